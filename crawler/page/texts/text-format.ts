import type { DocumentText } from "../formats/to-extracted.ts"

/**
 * What is read of a text, with the library that it takes. Null: the text is not of this kind after all.
 * @throws DocumentError when the text is no page
 */
export type ReadText = (text: string, url: string) => DocumentText | null | Promise<DocumentText | null>

/** A kind of text that has a structure: how it is told, and what reads it. Everything known of it is in its one file in kinds/. */
export interface TextFormat<Name extends string = string> {
  /** What its pages are called by type. */
  readonly name: Name
  /** Its media types, lower case, without parameters. */
  readonly types: readonly string[]
  /** Types that servers send for it and for much else: believed as far as its ending or its name is right. */
  readonly looseTypes?: readonly string[]
  /** What names of its files end with, lower case, without the dot. */
  readonly extensions: readonly string[]
  /** Whole names of files, lower case. */
  readonly fileNames?: readonly string[]
  /** Whether a text is one by its beginning. */
  readonly startsAs?: (start: string) => boolean
  /** Whether its library is large or its texts grow when they are read: such texts are read where documents are. */
  readonly isHeavy?: true
  /** Loads what reads it, with the first such text, so that nobody pays for what never comes. */
  readonly load: () => Promise<ReadText>
}

/** Declares one; its name is a type. */
export const textFormat = <const Name extends string>(format: TextFormat<Name>): TextFormat<Name> => format

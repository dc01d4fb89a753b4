import type { DocumentText } from "../formats/to-extracted.ts"

/**
 * Reads a text, with the library for it. Null: the text is not of this kind after all.
 * @throws DocumentError when the text can't be a page
 */
export type ReadText = (text: string, url: string) => DocumentText | null | Promise<DocumentText | null>

/** A kind of text with a structure of its own: how it is recognised, and its reader. Its file in kinds/ has everything about it. */
export interface TextFormat<Name extends string = string> {
  /** The type of its pages. */
  readonly name: Name
  /** Its media types, lower case, without parameters. */
  readonly types: readonly string[]
  /** Types that servers send for it and for much else: believed only where the file's ending or name fits. */
  readonly looseTypes?: readonly string[]
  /** The endings of its files' names, lower case, without the dot. */
  readonly extensions: readonly string[]
  /** Whole names of files, lower case. */
  readonly fileNames?: readonly string[]
  /** Whether a text is one by its beginning. */
  readonly startsAs?: (start: string) => boolean
  /** Whether its library is large or its texts grow when they are read: such texts are read where documents are. */
  readonly isHeavy?: true
  /** Loads its reader. Called for the first such text, so that a process without one never loads the library. */
  readonly load: () => Promise<ReadText>
}

/** Declares one; its name is a type. */
export const textFormat = <const Name extends string>(format: TextFormat<Name>): TextFormat<Name> => format

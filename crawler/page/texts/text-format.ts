import type { DocumentText } from "../formats/to-extracted.ts"

/**
 * Reads a text, using the kind's library. Null when the text is not of this kind after all.
 * @throws DocumentError when the text can't be a page
 */
export type ReadText = (text: string, url: string) => DocumentText | null | Promise<DocumentText | null>

/** A kind of text with a structure of its own: how it is recognised, and its reader. Its file in kinds/ has everything about it. */
export interface TextFormat<Name extends string = string> {
  /** The type of the pages made from it. */
  readonly name: Name
  /** The kind's media types, in lower case, without parameters. */
  readonly types: readonly string[]
  /** Types that servers send for this kind and for many others: believed only if the file's extension or name fits. */
  readonly looseTypes?: readonly string[]
  /** The kind's file extensions, in lower case, without the dot. */
  readonly extensions: readonly string[]
  /** Whole names of files, lower case. */
  readonly fileNames?: readonly string[]
  /** Whether a text is of this kind, by its beginning. */
  readonly startsAs?: (start: string) => boolean
  /** Whether its library is large or its texts grow when they are read: such texts are read where documents are. */
  readonly isHeavy?: true
  /** Loads its reader. Called for the first such text, so that a process without one never loads the library. */
  readonly load: () => Promise<ReadText>
}

/** Declares a text format; its name becomes a type. */
export const textFormat = <const Name extends string>(format: TextFormat<Name>): TextFormat<Name> => format

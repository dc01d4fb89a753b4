import type { DocumentText } from "../formats/to-extracted.ts"

/**
 * Reads a text, using the kind's library. Null when the text is not of this kind after all.
 * @throws DocumentError when the text can't be a page
 */
export type ReadText = (text: string, url: string) => DocumentText | null | Promise<DocumentText | null>

/** A kind of structured text: how to recognise and read it. Everything about a kind is in its file in kinds/. */
export interface TextFormat<Name extends string = string> {
  /** The type of the pages made from such texts. */
  readonly name: Name
  /** The kind's media types, in lower case, without parameters. */
  readonly types: readonly string[]
  /** Types that servers send for this kind and for many others: accepted only if the file's extension or name fits. */
  readonly looseTypes?: readonly string[]
  /** The kind's file extensions, in lower case, without the dot. */
  readonly extensions: readonly string[]
  /** Complete file names, in lower case. */
  readonly fileNames?: readonly string[]
  /** Whether a text is of this kind, judging by its beginning. */
  readonly startsAs?: (start: string) => boolean
  /** Whether the kind's library is large, or its texts expand when they are read: such texts are read in the same place as documents. */
  readonly isHeavy?: true
  /** Loads the kind's reader. Called for the first such text, so that a process that reads none never loads the library. */
  readonly load: () => Promise<ReadText>
}

/** Declares a text format and makes its name a type. */
export const textFormat = <const Name extends string>(format: TextFormat<Name>): TextFormat<Name> => format

import type { DocumentText } from "./to-extracted.ts"

/**
 * Extracts text from a body, and loads the library needed for this.
 * @param budgetMs time limit; the page contains the text read within this time, and its `note` says so if that is not
 * all of it
 * @param recognised path of the file for text recognised in images, which may not exist yet; omitted if text
 * recognition is not installed
 * @throws DocumentError when the file is damaged, locked or too large
 */
export type ReadFile = (
  body: Uint8Array,
  url: string,
  budgetMs: number,
  recognised?: string,
) => DocumentText | Promise<DocumentText>

/**
 * A kind of file that is a document: how to recognise and read it. Everything about a kind is in one file in kinds/.
 */
export interface FileFormat<Name extends string = string> {
  /** The kind's name in this code, and in messages between processes. */
  readonly name: Name
  /** The kind's media types, in lower case, without parameters. */
  readonly types: readonly string[]
  /** The kind's file extensions, in lower case, without the dot. */
  readonly extensions: readonly string[]
  /**
   * Whether a body is of this kind, judging by its first bytes (latin1). `isClaimed`: the media type says so. Omitted
   * if the first bytes do not show it.
   */
  readonly startsAs?: (start: string, isClaimed: boolean) => boolean
  /** Whether a zip archive is of this kind, judging by the names in it. Omitted if the kind is recognised only by the declared media type, or isn't a zip archive. */
  readonly isArchiveOf?: (names: readonly string[]) => boolean
  /** Loads the reader when the first such file is read, so that unused libraries cost nothing. */
  readonly load: () => Promise<ReadFile>
}

/** Declares a format and makes its name a type. */
export const fileFormat = <const Name extends string>(format: FileFormat<Name>): FileFormat<Name> => format

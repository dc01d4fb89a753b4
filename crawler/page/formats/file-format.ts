import type { DocumentText } from "./to-extracted.ts"

/**
 * The text read from a body, with the library it needs.
 * @param budgetMs the text read within this time is the page, and its `note` says so
 * @param recognised path of the file for its recognised text, which may not exist yet; left out where text
 *   recognition is not installed
 * @throws DocumentError when the file is damaged, locked or too large
 */
export type ReadFile = (
  body: Uint8Array,
  url: string,
  budgetMs: number,
  recognised?: string,
) => DocumentText | Promise<DocumentText>

/**
 * A kind of file that is a document: how to recognise it, and its reader. All facts about it are in its one file in
 * kinds/.
 */
export interface FileFormat<Name extends string = string> {
  /** Its name in this code, and in messages between processes. */
  readonly name: Name
  /** Its media types, lower case, without parameters. */
  readonly types: readonly string[]
  /** The endings of its files' names, lower case, without the dot. */
  readonly extensions: readonly string[]
  /**
   * Whether a body is one by its first bytes (latin1). `isClaimed`: the media type says so. None: its first bytes do
   * not show it.
   */
  readonly startsAs?: (start: string, isClaimed: boolean) => boolean
  /** Whether a zip archive is one by the names it holds. None: only by the media type that it declares, or not at all. */
  readonly isArchiveOf?: (names: readonly string[]) => boolean
  /** Loads the reader with the first such file, so that unused libraries cost nothing. */
  readonly load: () => Promise<ReadFile>
}

/** Declares one; its name is a type. */
export const fileFormat = <const Name extends string>(format: FileFormat<Name>): FileFormat<Name> => format

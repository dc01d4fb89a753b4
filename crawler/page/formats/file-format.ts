import type { DocumentText } from "./to-extracted.ts"

/**
 * What is read of a body, with the library that it takes.
 * @param budgetMs what is read when it is over is the page, and its `note` says so
 * @param recognised path of the file for its recognised text, which may not exist yet; left out where text recognition is not installed
 * @throws DocumentError when the file is damaged, locked or too much
 */
export type ReadFile = (
  body: Uint8Array,
  url: string,
  budgetMs: number,
  recognised?: string,
) => DocumentText | Promise<DocumentText>

/** A kind of file that is a document: how it is told, and what reads it. Everything known of it is in its one file in kinds/. */
export interface FileFormat<Name extends string = string> {
  /** What it is called among us, and in messages between processes. */
  readonly name: Name
  /** Its media types, lower case, without parameters. */
  readonly types: readonly string[]
  /** What names of its files end with, lower case, without the dot. */
  readonly extensions: readonly string[]
  /** Whether a body is one by its first bytes (latin1). `isClaimed`: the media type says so. None: not told by them. */
  readonly startsAs?: (start: string, isClaimed: boolean) => boolean
  /** Whether a zip archive is one by the names it holds. None: only by the media type that it declares, or not at all. */
  readonly isArchiveOf?: (names: readonly string[]) => boolean
  /** Loads what reads it, with the first such file, so that nobody pays for what never comes. */
  readonly load: () => Promise<ReadFile>
}

/** Declares one; its name is a type. */
export const fileFormat = <const Name extends string>(format: FileFormat<Name>): FileFormat<Name> => format

import { CommandError } from "#base/run-command.ts"

/**
 * A backup, in format 1: a plain tar archive (POSIX.1-1988 ustar) with these files, in this order.
 *
 * ```
 * manifest.json                a BackupManifest
 * state.db                     SQLite: a copy of one moment
 * index/00000001 …             one behind the other, an export of the index (engine/lifecycle/move/format/export-format.ts)
 * images/<xx>/<number>.webp    thumbnails
 * SHA256SUMS                   size and SHA-256 of all others, in their order; `sha256sum -c` reads it
 * ```
 */
export const BACKUP_FORMAT = 1

export const MANIFEST = "manifest.json"
export const STATE = "state.db"
export const SUMS = "SHA256SUMS"
const INDEX_PART = /^index\/\d{8}$/
const THUMBNAIL = /^images\/[0-9a-f]{2}\/(\d{1,15})\.webp$/

/** A backup's manifest. */
export interface BackupManifest {
  readonly format: number
  /** The Fossick version that wrote the backup. */
  readonly fossick: string
  /** When the backup was started, ISO 8601. */
  readonly createdAt: string
  /** The engine that the index came from. */
  readonly engine: string
  readonly embedder: string
  readonly dimensions: number
  /** Number of pages in the index when the backup was started. */
  readonly pages: number
  readonly about: string
}

export const ABOUT =
  "index/* joined in order are one file for fossick import. state.db contains digests of API keys and names of secrets, but no keys or secrets. Settings (fossick.env), sources files and models are not included."

/** The name of a piece of the index. */
export const indexPart = (number: number): string => `index/${String(number).padStart(8, "0")}`
export const isIndexPart = (name: string): boolean => INDEX_PART.test(name)

/** The number of the image whose thumbnail an entry contains, or `null`. */
export function imageOf(name: string): number | null {
  const number = THUMBNAIL.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

/** Size and SHA-256 (hex) of one entry. */
export interface EntrySum {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** The text of the last entry: a line for `sha256sum -c` for each entry, with its size in a comment. */
export function sumsText(sums: readonly EntrySum[]): string {
  return sums.map(({ name, bytes, sha256 }) => `# ${bytes} bytes\n${sha256}  ${name}\n`).join("")
}

export type BackupFileErrorCode =
  /** The file is not a backup. */
  | "NOT_A_BACKUP"
  /** The backup was written by a newer Fossick, in a format that this version does not know. */
  | "FORMAT_TOO_NEW"
  /** The file ends too early. */
  | "TRUNCATED"
  /** An entry differs from the one written, or doesn't belong in the backup. */
  | "DAMAGED"

/** A file that isn't a complete, undamaged backup. */
export class BackupFileError extends CommandError {
  readonly code: BackupFileErrorCode

  constructor(code: BackupFileErrorCode, message: string) {
    super(message)
    this.name = "BackupFileError"
    this.code = code
  }
}

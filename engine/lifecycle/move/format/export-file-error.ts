import { CommandError } from "#base/run-command.ts"

export type ExportFileErrorCode =
  /** The file is something other than an export. */
  | "NOT_AN_EXPORT"
  /** The file was written by a newer Fossick, in a format that this one does not know. */
  | "FORMAT_TOO_NEW"
  /** The file ends before its trailer. */
  | "TRUNCATED"
  /** The file's bytes differ from what was written, or are in the wrong place. */
  | "DAMAGED"

/** A file that isn't a complete, undamaged export. */
export class ExportFileError extends CommandError {
  readonly code: ExportFileErrorCode
  /** The start of the first unreadable frame, in bytes from the beginning. */
  readonly at: number

  constructor(code: ExportFileErrorCode, at: number, message: string) {
    super(message)
    this.name = "ExportFileError"
    this.code = code
    this.at = at
  }
}

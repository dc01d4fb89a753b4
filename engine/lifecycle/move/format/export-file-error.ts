import { CommandError } from "#base/run-command.ts"

export type ExportFileErrorCode =
  /** Something else than an export. */
  | "NOT_AN_EXPORT"
  /** Written by a newer Fossick, in a format that this one does not know. */
  | "FORMAT_TOO_NEW"
  /** It ends before its trailer. */
  | "TRUNCATED"
  /** Bytes are not those that were written, or not in their place. */
  | "DAMAGED"

/** A file that is no whole and sound export. */
export class ExportFileError extends CommandError {
  readonly code: ExportFileErrorCode
  /** Where the first frame begins that cannot be read, in bytes from the beginning. */
  readonly at: number

  constructor(code: ExportFileErrorCode, at: number, message: string) {
    super(message)
    this.name = "ExportFileError"
    this.code = code
    this.at = at
  }
}

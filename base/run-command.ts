import { inspect } from "node:util"

import { ArgumentsError } from "./command-arguments.ts"
import { unwritableMessage, UnwritableError, isUnwritable } from "./disk-space.ts"
import { KnownError } from "./errors.ts"
import { EXIT } from "./exit-codes.ts"
import { trustAuthorities } from "./process/authorities.ts"
import { codeOf, endWithReader, outliveReader } from "./process/lost-reader.ts"
import { safeOutput } from "./process/safe-output.ts"
import { environment, SettingsError } from "./settings.ts"

/** A command cannot do its work; the message is for people and says what to do next. */
export class CommandError extends KnownError {}

/**
 * Runs the work of `fossick <name>`, which returns its exit code, and turns errors into a message and an exit code.
 * Also ends when nothing reads its output any more, unless it `outlivesReader`. Loads neither engine nor crawler, so
 * that a mistyped command is answered at once.
 */
export async function runCommand(
  name: string,
  work: () => number | Promise<number>,
  { outlivesReader = false }: { readonly outlivesReader?: boolean } = {},
): Promise<void> {
  safeOutput()
  if (outlivesReader) outliveReader()
  else endWithReader()
  trustOperators()
  try {
    process.exitCode = codeOf(await work())
  } catch (error) {
    const isWrong = error instanceof ArgumentsError || error instanceof SettingsError
    if (!(error instanceof CommandError) && isUnwritable(error, dataDir())) {
      const message = error instanceof UnwritableError ? error.message : unwritableMessage(dataDir())
      process.stderr.write(`${message} Then run fossick ${name} again.\n`)
      process.exitCode = EXIT.failed
      return
    }
    if (isDamage(error)) {
      process.stderr.write(
        `A file in ${dataDir()} is damaged (${error.message}). Run fossick doctor to see which one, and fossick doctor --repair to repair what can be repaired; otherwise restore a backup (fossick restore).\n`,
      )
      process.exitCode = EXIT.failed
      return
    }
    if (!isWrong && !(error instanceof KnownError)) {
      // Not rethrown, because Node would print it without making it safe.
      process.stderr.write(`${inspect(error)}\n`)
      process.exit(EXIT.failed)
    }
    process.stderr.write(`${error.message}\n`)
    if (error instanceof ArgumentsError) {
      process.stderr.write(`Run fossick ${name} --help for help.\n`)
    }
    process.exitCode = isWrong ? EXIT.usage : EXIT.failed
  }
}

/** SQLite's result codes for a corrupt file (sqlite.org/rescode.html): CORRUPT, NOTADB. */
const DAMAGED = [11, 26]

function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  return code === "ERR_SQLITE_ERROR" && DAMAGED.includes((errcode ?? 0) & 0xff)
}

function trustOperators(): void {
  try {
    trustAuthorities(environment())
  } catch {
    // If the environment cannot be read, code that needs a setting reports it.
  }
}

function dataDir(): string {
  try {
    return environment()["FOSSICK_DATA_DIR"] || "index-data"
  } catch {
    // The settings cannot be read, which is the error being reported.
    return "index-data"
  }
}

import { isBusy } from "#base/store/sqlite/busy.ts"
import { OtherStateError } from "#base/store/state-generation.ts"
import { SettingsError } from "#base/settings.ts"
import { EngineError } from "#engine"

import { ListenError, listenProblem } from "../ports.ts"
import { tellSupervisor } from "../supervisor/messages.ts"

/** Advice for the operator about a failed start, or null if the failure is a bug or might be temporary. */
function advice(error: unknown): string | null {
  if (error instanceof SettingsError) return error.message
  if (error instanceof EngineError && error.code !== "ENGINE_UNAVAILABLE") return error.message
  if (error instanceof ListenError || error instanceof OtherStateError) return error.message
  // A temporary failure: the supervisor tries again.
  if (isBusy(error)) return null
  if ((error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR") {
    return `state.db in FOSSICK_DATA_DIR cannot be used (${(error as Error).message}). If it is damaged, try fossick doctor --repair or restore a backup (fossick restore). Or move it and state.id away: keys, sources and usage then start over, and the index stays.`
  }
  return listenProblem(error)
}

/** Reports why the process is ending, to the supervisor if there is one and otherwise on standard error, and sets the exit code. */
export function endWithAdvice(error: unknown): void {
  const message = advice(error)
  if (message === null) {
    // Shows only the text, because other fields of an error might contain a login.
    const { stack, message: text } = error as Error
    const shown = error instanceof EngineError ? text : (stack ?? text)
    process.stderr.write(`${shown}\n`, () => process.exit(1))
  } else if (!tellSupervisor({ kind: "fatal", message })) process.stderr.write(`${message}\n`)
  process.exitCode = error instanceof SettingsError ? 2 : 1
  process.disconnect?.()
}

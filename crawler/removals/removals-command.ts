import { EngineError } from "#engine"
import { SettingsError } from "#engine/settings.ts"
import { ArgumentsError } from "../command-arguments.ts"
import { parseRemovalsArguments, REMOVALS_HELP } from "./removals-arguments.ts"

// `npm run removals`.

/** Arguments or settings. */
const BAD_ARGUMENTS = 2
const FAILED = 1

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseRemovalsArguments(args)
    if (parsed === null) {
      process.stdout.write(REMOVALS_HELP)
      return 0
    }
    const { removals } = await import("./removals-session.ts")
    return await removals(parsed)
  } catch (error) {
    if (error instanceof ArgumentsError) {
      process.stderr.write(`${error.message}\nnpm run removals -- --help shows what is possible.\n`)
      return BAD_ARGUMENTS
    }
    if (!(error instanceof SettingsError) && !(error instanceof EngineError)) throw error
    process.stderr.write(`${error.message}\n`)
    return error instanceof SettingsError ? BAD_ARGUMENTS : FAILED
  }
}

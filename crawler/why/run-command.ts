import { EngineError, type PageUrl, toPageUrl } from "#engine"
import { SettingsError } from "#engine/settings.ts"
import { ArgumentsError } from "../command-arguments.ts"

const BAD_ARGUMENTS = 2
const FAILED = 1

/** Runs a command's work and turns what it throws into a message and an exit code. */
export async function runCommand(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof ArgumentsError || code?.startsWith("ERR_PARSE_ARGS")) {
      process.stderr.write(`${message}\nnpm run ${name} -- --help shows what is possible.\n`)
      process.exitCode = BAD_ARGUMENTS
    } else if (error instanceof SettingsError) {
      process.stderr.write(`${message}\n`)
      process.exitCode = BAD_ARGUMENTS
    } else if (error instanceof EngineError) {
      process.stderr.write(`${message}\n`)
      process.exitCode = FAILED
    } else {
      throw error
    }
  }
}

/** The one address a command is about. @throws ArgumentsError */
export function addressArgument([address, ...more]: readonly string[]): PageUrl {
  if (address === undefined) throw new ArgumentsError("The address of the page is missing")
  if (more.length > 0) throw new ArgumentsError(`One address at a time: ${more.join(" ")} is too much`)
  const url = toPageUrl(address.includes("://") ? address : `https://${address}`)
  if (url === null) throw new ArgumentsError(`${JSON.stringify(address)} is no http or https address`)
  return url
}

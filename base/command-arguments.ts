import { parseArgs, type ParseArgsConfig } from "node:util"

/** Arguments that cannot be understood; the message says what is expected. */
export class ArgumentsError extends Error {}

const COMMON = {
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const

/** A command's options and the rest of its arguments; every command has `--json` and `--help`. @throws ArgumentsError */
export function readArguments<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, ...COMMON } })
  } catch (error) {
    throw new ArgumentsError((error as Error).message)
  }
}

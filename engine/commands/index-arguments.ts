import { ArgumentsError, readArguments } from "#base/command-arguments.ts"

const COMMANDS = ["status", "upgrade", "rollback", "drop"] as const

export const INDEX_HELP = `Usage: npm run index -- <command> [--json]

  status    which index is in use, what is being built, and what is kept for a rollback
  upgrade   make the index anew for this version and the model in FOSSICK_MODEL, where it differs, and
            make the vectors that are missing; a running appliance does so by itself
  rollback  go back to the index that was in use before, with all that was crawled since
  drop      delete the index that is kept for a rollback

  --json    one JSON object, for scripts
`

export interface IndexArguments {
  readonly command: (typeof COMMANDS)[number]
  readonly json: boolean
}

/** Null when help is wanted. @throws ArgumentsError */
export function parseIndexArguments(args: readonly string[]): IndexArguments | null {
  const { values, positionals } = readArguments(args, {})
  if (values.help) return null
  const [given, ...rest] = positionals
  const command = COMMANDS.find((one) => one === given)
  if (!command) {
    throw new ArgumentsError(
      `${given === undefined ? "A command is missing" : `${given} is no command`}; there are ${COMMANDS.join(", ")}`,
    )
  }
  if (rest.length > 0)
    throw new ArgumentsError(`${command} takes no more arguments, but got ${rest.join(" ")}`)
  return { command, json: values.json }
}

import { ArgumentsError, readArguments } from "#base/command-arguments.ts"
import type { RemovedPages } from "../../removals/removals.ts"

export const REMOVALS_HELP = `Usage: npm run removals [-- <command>]

Pages that seem to be gone, too many of a source to remove unasked:
  list              the sources that wait for your word; the default
  list <source>     the pages of one, with the reasons
  approve <source>  yes: remove them
  reject <source>   no: keep them; only what two more runs find counts against them

Pages that were removed, as long as they are kept:
  removed [source]  all of them, or those of one source
  restore <url>...  put these back
  restore --source NAME
                    put back all that was removed of a source
  restore --job N   put back what was removed on the evidence of one run

Options:
  --limit N         pages shown (default 100)
  --json            JSON instead of lines
  --help            this text
`

/** To show something; of all sources, or of one. */
export interface ShowArguments {
  readonly command: "list" | "removed"
  readonly source: string | null
  readonly limit: number
  readonly json: boolean
}

/** To decide something. */
export type DecideArguments =
  | { readonly command: "approve"; readonly source: string; readonly json: boolean }
  | { readonly command: "reject"; readonly source: string; readonly json: boolean }
  | { readonly command: "restore"; readonly pages: RemovedPages; readonly json: boolean }

export type RemovalsArguments = ShowArguments | DecideArguments

const COMMANDS = ["list", "approve", "reject", "removed", "restore"] as const

/** Reads the command's arguments; null when help is asked for. @throws ArgumentsError */
export function parseRemovalsArguments(args: readonly string[]): RemovalsArguments | null {
  const { values, positionals } = readArguments(args, {
    source: { type: "string" },
    job: { type: "string" },
    limit: { type: "string", default: "100" },
  })
  if (values.help) return null
  const { json } = values
  const [text = "list", ...rest] = positionals
  const command = COMMANDS.find((one) => one === text)
  if (command === undefined) {
    throw new ArgumentsError(`${text} is no command; there are ${COMMANDS.join(", ")}`)
  }
  if (command === "restore") {
    return { command, json, pages: pagesToRestore(rest, values.source, values.job) }
  }
  if (values.source !== undefined || values.job !== undefined) {
    throw new ArgumentsError("--source and --job go with restore")
  }
  const [source = null, ...more] = rest
  if (more.length > 0) throw new ArgumentsError(`${more.join(" ")} is too much`)
  if (command === "list" || command === "removed") {
    return { command, json, source, limit: wholeNumber("--limit", values.limit) }
  }
  if (source === null) throw new ArgumentsError(`${command} wants the name of a source`)
  return { command, json, source }
}

function pagesToRestore(
  urls: readonly string[],
  source: string | undefined,
  job: string | undefined,
): RemovedPages {
  const ways = [urls.length > 0, source !== undefined, job !== undefined].filter(Boolean).length
  if (ways !== 1) throw new ArgumentsError("restore wants addresses, or --source, or --job")
  if (source !== undefined) return { source }
  if (job !== undefined) return { job: wholeNumber("--job", job) }
  return { urls }
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/.test(value) || Number(value) === 0) {
    throw new ArgumentsError(`${name} must be a whole number from 1 on`)
  }
  return Number(value)
}

import { ArgumentsError, readArguments } from "#base/command-arguments.ts"

export const SOURCES_HELP = `Usage: npm run sources -- <command>

Commands on the file of sources (sources.yaml, or what FOSSICK_SOURCES_FILE names):
  validate [file]     say what is wrong with it
  plan [file]         say what applying it would change; changes nothing
  apply [file]        make it so; the appliance also does it at every start
                      --remove-pages: also remove the pages of sources that are no longer in it

Commands on declared sources:
  list                all of them, with their next runs
  show <name>         all about one
  run <name>          run it now and show how it goes
  pause <name>        hold its schedule
  resume <name>       let its schedule go on
  accept <name>       take its hosts to be where they are now: a run stops when one has moved
                      to another network; also for the name of a crawl
  delete <name>       forget it; its pages stay in the index
                      --remove-pages: remove them too; also for the name of a crawl that was
                      never declared

list, show and run take --json.
`

/** Commands and whether they want a name. */
const COMMANDS = {
  validate: false,
  plan: false,
  apply: false,
  list: false,
  show: true,
  run: true,
  pause: true,
  resume: true,
  accept: true,
  delete: true,
} as const

export interface SourcesArguments {
  readonly command: keyof typeof COMMANDS
  /** Name of a source; for commands on the file, the file; empty: none was given. */
  readonly subject: string
  readonly removePages: boolean
  readonly json: boolean
}

/** Reads the command's arguments; null when help is asked for. @throws ArgumentsError */
export function parseSourcesArguments(args: readonly string[]): SourcesArguments | null {
  const { values, positionals } = readArguments(args, {
    "remove-pages": { type: "boolean", default: false },
  })
  if (values.help) return null
  const [command, subject = "", ...more] = positionals
  if (command === undefined) throw new ArgumentsError("A command is missing")
  if (!isCommand(command)) {
    throw new ArgumentsError(`${command} is no command; there are ${Object.keys(COMMANDS).join(", ")}`)
  }
  if (COMMANDS[command] && subject === "") throw new ArgumentsError(`${command} wants the name of a source`)
  if (more.length > 0 || (command === "list" && subject !== "")) {
    throw new ArgumentsError(`${[subject, ...more].at(-1)} is too much`)
  }
  const removePages = values["remove-pages"]
  if (removePages && command !== "apply" && command !== "delete") {
    throw new ArgumentsError("--remove-pages goes with apply and delete")
  }
  return { command, subject, removePages, json: values.json }
}

const isCommand = (text: string): text is keyof typeof COMMANDS => Object.hasOwn(COMMANDS, text)

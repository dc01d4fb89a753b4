import { Argument, Command, CommanderError, Option } from "commander"
import { fossickVersion } from "#base/fossick-version.ts"
import { EXIT } from "#base/exit-codes.ts"
import { COMMANDS } from "./registry.ts"
import { type ArgumentSpec, type CommandSpec, type Given, type GroupSpec, isGroup } from "./spec.ts"

const NAME = "fossick"
const WIDTH = 100
const JSON_OBJECT = "one JSON object, for programs"

/** A parsed command line. */
export interface Wanted {
  /** `jobs list` */
  readonly path: string
  readonly spec: CommandSpec
  readonly given: Given
}

/** A command line that is answered at once: help, the version, or an error. */
export interface Answered {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Parses the arguments after `fossick`. Loads only the named command. */
export async function readCommandLine(args: readonly string[]): Promise<Wanted | Answered> {
  const answer = { out: "", err: "" }
  let wanted: Wanted | null = null
  const program = new Command(NAME)
    .description(
      "Fossick, a search engine that you run yourself: it crawls your sites and answers over the Tavily API.",
    )
    .usage("<command> [arguments]")
    .version(fossickVersion(), "-V, --version", "the version")
    .helpOption("-h, --help", "show this help; after a command, show its description, options and examples")
    .helpCommand(false)
    .configureHelp({ helpWidth: WIDTH })
    .configureOutput({
      writeOut: (text) => (answer.out += text),
      writeErr: (text) => (answer.err += text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
  const words = asWritten(args)
  const named = words.find((word) => !word.startsWith("-"))
  for (const [name, { summary, group, load }] of Object.entries(COMMANDS)) {
    const added = program.command(name).summary(summary).helpGroup(`${group}:`)
    if (name !== named) continue
    const spec = await load()
    declare(added, name, spec, (chosen) => (wanted = chosen))
    if (isGroup(spec) && spec.standard !== undefined) addStandard(words, name, spec.standard)
  }
  program.addHelpText(
    "after",
    `\n${NAME} <command> --help shows its options and examples. See also docs/command.md.`,
  )
  try {
    program.parse(words, { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Printing help that was not requested means that a command is missing.
    const isAsked = error.exitCode === 0
    return { ...answer, code: isAsked ? EXIT.ok : EXIT.usage }
  }
  return wanted ?? { ...answer, code: EXIT.usage }
}

/** `help jobs` is `jobs --help`. */
function asWritten(args: readonly string[]): string[] {
  const [first, ...rest] = args
  return first === "help" ? [...rest, "--help"] : [...args]
}

/** Adds the group's default command when only the group is given, or only options follow. */
function addStandard(words: string[], group: string, standard: string): void {
  const next = words.indexOf(group) + 1
  const word = words[next]
  if (word === undefined || (word.startsWith("-") && !["-h", "--help"].includes(word))) {
    words.splice(next, 0, standard)
  }
}

function declare(
  command: Command,
  path: string,
  spec: CommandSpec | GroupSpec,
  choose: (wanted: Wanted) => void,
): void {
  command
    .description(spec.about.replaceAll("\n", " "))
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError(`${NAME} ${path} --help shows the options.`)
  if (isGroup(spec)) {
    command.helpCommand(false)
    const examples = Object.values(spec.commands).flatMap((one) => one.examples)
    command.addHelpText("after", examplesText(examples.map(({ line }) => line)))
    for (const [name, one] of Object.entries(spec.commands)) {
      const added = command.command(name)
      added.summary(firstSentence(one.about))
      declare(added, `${path} ${name}`, one, choose)
    }
    return
  }
  for (const [name, argument] of Object.entries(spec.args ?? {})) {
    command.addArgument(argumentOf(name, argument))
  }
  const options = spec.options ?? {}
  for (const [name, { about, value, default: preset, choices, several }] of Object.entries(options)) {
    const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, about)
    if (choices) option.choices(choices)
    if (preset !== undefined) option.default(preset, preset)
    if (several) {
      const check = option.parseArg
      option.argParser((text: string, before: readonly string[] | undefined) => {
        check?.(text, undefined)
        return [...(before ?? []), text]
      })
    }
    command.addOption(option)
  }
  if (spec.json !== null) command.option("--json", spec.json ?? JSON_OBJECT)
  command.addHelpText("after", examplesText(spec.examples.map(({ line, about }) => `# ${about}\n  ${line}`)))
  command.action(() => choose({ path, spec, given: givenTo(command, spec) }))
}

function argumentOf(name: string, { about, optional, several, choices }: ArgumentSpec): Argument {
  const shown = several ? `${name}...` : name
  const argument = new Argument(optional ? `[${shown}]` : `<${shown}>`, about)
  return choices ? argument.choices(choices) : argument
}

function givenTo(command: Command, spec: CommandSpec): Given {
  const names = Object.keys(spec.options ?? {})
  const keyOf = (name: string) => new Option(`--${name}`).attributeName()
  const values = command.opts<Record<string, unknown>>()
  const value = (name: string) => {
    const { value: takesOne, several } = spec.options![name]!
    return values[keyOf(name)] ?? (several ? [] : takesOne === undefined ? false : undefined)
  }
  return {
    options: Object.fromEntries(names.map((name) => [name, value(name)])) as Given["options"],
    args: Object.fromEntries(
      Object.entries(spec.args ?? {}).map(([name, { several }], index) => [
        name,
        (command.processedArgs as unknown[])[index] ?? (several ? [] : undefined),
      ]),
    ) as Given["args"],
    json: values["json"] === true,
    named: new Set(names.filter((name) => command.getOptionValueSource(keyOf(name)) === "cli")),
  }
}

const examplesText = (lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`

/** The text shown next to the command's name in a list. */
const firstSentence = (text: string): string => /^.*?(?=\.\s|\.$|$)/s.exec(text)![0].replaceAll("\n", " ")

import {
  type ArgumentSpec,
  type CommandSpec,
  type GroupSpec,
  isGroup,
  type OptionSpec,
  type Registry,
} from "./spec.ts"

// The scripts contain all words, so no command runs while you type.

export type Shell = "bash" | "zsh" | "fish"

/** The words that a shell can offer after a command path: `""`, `jobs`, `jobs list`. */
interface Place {
  readonly path: string
  readonly commands: readonly Offer[]
  readonly options: readonly (Offer & Values)[]
  readonly args: Values
}

interface Offer {
  readonly word: string
  readonly about: string
}

interface Values {
  /** Whether an option requires a value. */
  readonly takes: boolean
  readonly choices: readonly string[]
  readonly files: boolean
}

/** A completion script for the shell to read. */
export async function completionScript(shell: Shell, commands: Registry): Promise<string> {
  return { bash, zsh, fish }[shell](await places(commands))
}

async function places(commands: Registry): Promise<Place[]> {
  const all = await Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => ({
      name,
      summary,
      spec: await load(),
    })),
  )
  const top: Place = {
    path: "",
    commands: all.map(({ name, summary }) => ({ word: name, about: summary })),
    options: [{ ...noValues, word: "--version", about: "the version" }, help],
    args: noValues,
  }
  return [top, ...all.flatMap(({ name, spec }) => placesOf(name, spec))]
}

function placesOf(path: string, spec: CommandSpec | GroupSpec): Place[] {
  if (!isGroup(spec)) return [placeOf(path, spec)]
  const commands = Object.entries(spec.commands)
  return [
    {
      path,
      commands: commands.map(([word, { about }]) => ({ word, about: about.split(". ")[0]! })),
      options: [help],
      args: noValues,
    },
    ...commands.map(([name, one]) => placeOf(`${path} ${name}`, one)),
  ]
}

function placeOf(path: string, { args = {}, options = {}, json }: CommandSpec): Place {
  const given = Object.entries(options).map(([name, option]) => ({
    word: `--${name}`,
    about: option.about,
    ...valuesOf(option),
  }))
  const values = Object.values(args).map(valuesOf)
  return {
    path,
    commands: [],
    options: [
      ...given,
      ...(json === null ? [] : [{ ...noValues, word: "--json", about: "for programs" }]),
      help,
    ],
    args: {
      takes: values.length > 0,
      choices: values.flatMap(({ choices }) => choices),
      files: values.some(({ files }) => files),
    },
  }
}

const valuesOf = (spec: OptionSpec | ArgumentSpec): Values => ({
  takes: !("value" in spec) || spec.value !== undefined,
  choices: spec.choices ?? [],
  files: spec.complete === "files",
})

const noValues: Values = { takes: false, choices: [], files: false }
const help = { ...noValues, word: "--help", about: "show its description, options and examples" }

/** Puts text in single quotes, for all three shells. */
const quoted = (text: string): string => `'${text.replaceAll("\n", " ").replaceAll("'", "’")}'`
const valued = ({ options }: Place) => options.filter(({ word, takes }) => takes && word !== "--help")

/** Finds the command that the words before the cursor name, in bash and zsh alike. `$1` is the start of the word list. */
const walk = (all: readonly Place[]): string => `  for word in "\${before[@]}"; do
    case "$place $word" in
      ${all
        .slice(1)
        .map(({ path }) => quoted(path.includes(" ") ? path : ` ${path}`))
        .join("|")}) place="\${place:+$place }$word" ;;
    esac
  done`

function bash(all: readonly Place[]): string {
  const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W ${quoted(list.join(" "))} -- "$cur"))`
  const offer = ({ choices, files }: Values) =>
    files ? `COMPREPLY=($(compgen -f -- "$cur"))` : choices.length > 0 ? words(choices) : "COMPREPLY=()"
  const lines = all.flatMap((place) =>
    valued(place).map(
      (option) => `    ${quoted(`${place.path} ${option.word}`)}) ${offer(option)}; return ;;`,
    ),
  )
  const places = all.map(
    (place) => `    ${quoted(place.path)})
      if [[ $cur == -* ]]; then ${words(place.options.map(({ word }) => word))}
      else ${place.commands.length > 0 ? words(place.commands.map(({ word }) => word)) : offer(place.args)}; fi ;;`,
  )
  return `# fossick completion bash
_fossick() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place="" word
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${walk(all)}
  case "$place $prev" in
${lines.join("\n")}
  esac
  case "$place" in
${places.join("\n")}
  esac
}
complete -o filenames -F _fossick fossick
`
}

function zsh(all: readonly Place[]): string {
  const described = (list: readonly Offer[]) =>
    `offers=(${list.map(({ word, about }) => quoted(`${word}:${about.replaceAll(":", "\\:")}`)).join(" ")}); _describe -o fossick offers`
  const offer = ({ choices, files }: Values) =>
    files ? "_files" : choices.length > 0 ? `compadd -- ${choices.join(" ")}` : "_message value"
  const lines = all.flatMap((place) =>
    valued(place).map(
      (option) => `    ${quoted(`${place.path} ${option.word}`)}) ${offer(option)}; return ;;`,
    ),
  )
  const places = all.map(
    (place) => `    ${quoted(place.path)})
      if [[ $cur == -* ]]; then ${described(place.options)}
      else ${place.commands.length > 0 ? described(place.commands) : offer(place.args)}; fi ;;`,
  )
  return `#compdef fossick
# fossick completion zsh
_fossick() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" place="" word
  local -a offers before
  before=("\${(@)words[2,CURRENT-1]}")
${walk(all)}
  case "$place $prev" in
${lines.join("\n")}
  esac
  case "$place" in
${places.join("\n")}
  esac
}
if [ "\${funcstack[1]}" = "_fossick" ]; then
  _fossick "$@"
elif (( $+functions[compdef] )); then
  compdef _fossick fossick
fi
`
}

function fish(all: readonly Place[]): string {
  const at = (path: string) => `-n ${quoted(`__fossick_at "${path}"`)}`
  const values = ({ choices, files }: Values) =>
    files ? "-r -F" : choices.length > 0 ? `-x -a ${quoted(choices.join(" "))}` : "-x"
  const lines = all.flatMap(({ path, commands, options, args }) => [
    ...commands.map(({ word, about }) => `complete -c fossick ${at(path)} -a ${word} -d ${quoted(about)}`),
    ...options.map(
      (option) =>
        `complete -c fossick ${at(path)} -l ${option.word.slice(2)}${option.takes ? ` ${values(option)}` : ""} -d ${quoted(option.about)}`,
    ),
    ...(args.files ? [`complete -c fossick ${at(path)} -F`] : []),
    ...(args.choices.length > 0
      ? [`complete -c fossick ${at(path)} -a ${quoted(args.choices.join(" "))}`]
      : []),
  ])
  return `# fossick completion fish
function __fossick_at
    set -l place
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $place $word)
        if contains -- "$next" ${all
          .slice(1)
          .map(({ path }) => quoted(path))
          .join(" ")}
            set place $place $word
        end
    end
    test (string join ' ' -- $place | string collect -a) = "$argv[1]"
end
complete -c fossick -f
${lines.join("\n")}
`
}

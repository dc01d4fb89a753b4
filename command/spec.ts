// How a command is declared: once, with everything that its help, its parser and shell completion need.

/** A switch, or if `value` is set, an option with a value. */
export interface OptionSpec {
  readonly about: string
  /** The value's placeholder in the help, such as `n` in `--depth <n>`; left out for a switch. */
  readonly value?: string
  readonly default?: string
  /** The allowed values. */
  readonly choices?: readonly string[]
  /** Whether the option can be given several times. */
  readonly several?: boolean
  /** The shell's suggestions for the value. */
  readonly complete?: "files"
}

/** One word after the command; the last argument can be several words. */
export interface ArgumentSpec {
  readonly about: string
  readonly optional?: boolean
  readonly several?: boolean
  /** The allowed words. */
  readonly choices?: readonly string[]
  readonly complete?: "files"
}

export type Options = Readonly<Record<string, OptionSpec>>
export type Arguments = Readonly<Record<string, ArgumentSpec>>

type Text<S> = S extends { readonly choices: readonly (infer C extends string)[] } ? C : string

type OptionValue<S> = S extends { readonly several: true }
  ? readonly Text<S>[]
  : S extends { readonly value: string }
    ? S extends { readonly default: string }
      ? Text<S>
      : Text<S> | undefined
    : boolean

type ArgumentValue<S> = S extends { readonly several: true }
  ? readonly Text<S>[]
  : S extends { readonly optional: true }
    ? Text<S> | undefined
    : Text<S>

/** The arguments on the command line. */
export interface Given<O extends Options = Options, A extends Arguments = Arguments> {
  readonly options: { readonly [K in keyof O]: OptionValue<O[K]> }
  readonly args: { readonly [K in keyof A]: ArgumentValue<A[K]> }
  readonly json: boolean
  /** Names of the given options, except `json`. */
  readonly named: ReadonlySet<string>
}

export interface Example {
  /** The whole command line, starting with `fossick`. */
  readonly line: string
  readonly about: string
}

export interface CommandSpec<O extends Options = Options, A extends Arguments = Arguments> {
  readonly about: string
  readonly args?: A
  readonly options?: O
  readonly examples: readonly [Example, ...Example[]]
  /** The output of `--json`; `null` if the command prints nothing for programs. Default: one JSON object. */
  readonly json?: string | null
  /**
   * Whether the command changes the data folder, in which case the audit log records it. Changes made through the API
   * of a running appliance are recorded there. Default: never.
   */
  changes?(given: Given<O, A>): boolean
  /** Whether the command continues when its output is no longer read, as a server does. */
  readonly outlivesReader?: boolean
  /**
   * @returns the exit code
   * @throws ArgumentsError, SettingsError: exit code 2; CommandError, EngineError: exit code 1
   */
  run(given: Given<O, A>): number | Promise<number>
}

/** A command with subcommands: `fossick jobs list`. */
export interface GroupSpec {
  readonly about: string
  readonly commands: Readonly<Record<string, CommandSpec>>
  /** The default when no subcommand is named. */
  readonly standard?: string
}

/** All commands by their names, in the order of the help. */
export type Registry = Readonly<
  Record<
    string,
    {
      /** The description in the list of all commands, which loads none of them. */
      readonly summary: string
      readonly group: "The appliance" | "Pages" | "Access and usage" | "The index" | "This command"
      readonly load: () => Promise<CommandSpec | GroupSpec>
    }
  >
>

/** Declares a command; `run` gets the types of its options and arguments. */
export const command = <const O extends Options = {}, const A extends Arguments = {}>(
  spec: CommandSpec<O, A>,
): CommandSpec => spec

export const isGroup = (spec: CommandSpec | GroupSpec): spec is GroupSpec => "commands" in spec

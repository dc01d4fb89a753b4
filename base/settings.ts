import { readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { didYouMean } from "./text/near-names.ts"

/** One setting: its name in the environment, its default as written there, and what it means. */
export interface Setting<T> {
  /** The environment variable's name. `X402_*` names are also used by other programs that sell through the x402 protocol. */
  readonly name: `FOSSICK_${string}` | `X402_${string}`
  readonly default: string
  /** One sentence for the handbook. */
  readonly about: string
  readonly secret?: boolean
  /** Throws an Error that names the expected form ("must be …"). */
  parse(text: string): T
}

/** The settings of one part of the appliance, by property name. */
export type Settings = Readonly<Record<string, Setting<unknown>>>
export type Values<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

type Declared<T> = Omit<Setting<T>, "parse">

export const text = (setting: Declared<string>): Setting<string> => ({ ...setting, parse: (value) => value })

export const integer = (setting: Declared<number>, min: number, max: number): Setting<number> => ({
  ...setting,
  parse(value) {
    const number = Number(value)
    if (!/^-?\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`)
    }
    return number
  },
})

export const oneOf = <T extends string>(setting: Declared<T>, ...values: readonly T[]): Setting<T> => ({
  ...setting,
  parse(value) {
    const found = values.find((one) => one === value)
    if (found === undefined) throw new Error(`must be one of ${values.join(", ")}`)
    return found
  },
})

export const onOff = (setting: Declared<boolean>): Setting<boolean> => ({
  ...setting,
  parse(value) {
    if (value !== "on" && value !== "off") throw new Error("must be on or off")
    return value === "on"
  },
})

/**
 * Base address of a server, without a slash at the end. The value is never shown, because a wrong one may contain a
 * password.
 *
 * @param instead what to do about a password in the address, appended to the error message
 */
export const baseUrl = (setting: Declared<string>, instead = ""): Setting<string> => ({
  ...setting,
  secret: true,
  parse(value) {
    if (value === "") return value
    const url = URL.parse(value)
    if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
      throw new Error("must be an http or https address without a query")
    }
    if (url.username !== "" || url.password !== "") {
      throw new Error(`must be an address without a user name or password${instead}`)
    }
    return value.replace(/\/+$/, "")
  },
})

/** A key or token that goes into a header. */
export const headerSecret = (setting: Declared<string>): Setting<string> => ({
  ...setting,
  secret: true,
  parse(value) {
    if (/[^\x21-\x7e]/.test(value)) throw new Error("must be printable ASCII without spaces")
    return value
  },
})

/** Comma-separated list; empty text is the empty list. */
export const list = (setting: Declared<readonly string[]>): Setting<readonly string[]> => ({
  ...setting,
  parse: (value) =>
    value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
})

/** Settings that are wrong or unknown; the message names all of them, but never a secret's value. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`Wrong settings:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`)
    this.name = "SettingsError"
  }
}

/**
 * The environment, with the settings file as a fallback: `FOSSICK_CONFIG_FILE`, otherwise `fossick.env` in the working
 * directory if it exists. The file has the format of a `.env` file and uses the same names as the environment, which
 * takes precedence.
 */
export function environment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  // Without this, Node's crash report, if the operator enables it, would contain the whole environment.
  if (process.report !== undefined) process.report.excludeEnv = true
  const named = env["FOSSICK_CONFIG_FILE"]
  try {
    return { ...parseEnv(readFileSync(named ?? "fossick.env", "utf8")), ...env }
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return env
    throw new SettingsError([`FOSSICK_CONFIG_FILE: cannot read ${named ?? "fossick.env"}`])
  }
}

/** Where a setting's value comes from, following the rules of {@link environment}. */
export function originOf(
  { name }: Pick<Setting<unknown>, "name">,
  env: NodeJS.ProcessEnv = process.env,
): "environment" | "file" | "default" {
  if (env[name] !== undefined) return env[name] === "" ? "default" : "environment"
  return environment(env)[name] ? "file" : "default"
}

/** The values of the declared settings. @throws SettingsError naming each setting whose value is wrong. */
export function readSettings<S extends Settings>(declared: S, env: NodeJS.ProcessEnv): Values<S> {
  const problems: string[] = []
  const values = Object.entries(declared).map(([key, setting]) => [key, valueOf(setting, env, problems)])
  if (problems.length > 0) throw new SettingsError(problems)
  return Object.fromEntries(values) as Values<S>
}

/**
 * Checks the settings of all parts.
 * @throws SettingsError naming each `FOSSICK_*` or `X402_*` variable that no part declares, and each wrong value.
 */
export function checkSettings(parts: readonly Settings[], env: NodeJS.ProcessEnv): void {
  const declared = parts.flatMap((part) => Object.values(part))
  const known = new Set(["FOSSICK_CONFIG_FILE", ...declared.map(({ name }) => name)])
  const problems = Object.keys(env)
    .filter((name) => /^(?:FOSSICK|X402)_/.test(name) && !known.has(name))
    .map((name) => {
      const prefix = name.slice(0, name.indexOf("_") + 1)
      return `${name} isn't a Fossick setting (docs/settings.md lists them)${didYouMean(name, known, prefix)}`
    })
  for (const setting of declared) valueOf(setting, env, problems)
  if (problems.length > 0) throw new SettingsError(problems)
}

/** The setting, or the default; a wrong value is added to `problems`. */
function valueOf(setting: Setting<unknown>, env: NodeJS.ProcessEnv, problems: string[]): unknown {
  const text = env[setting.name] || setting.default
  try {
    return setting.parse(text)
  } catch (error) {
    const shown = setting.secret ? "" : ` (is ${JSON.stringify(text)})`
    problems.push(`${setting.name} ${(error as Error).message}${shown}`)
    return undefined
  }
}

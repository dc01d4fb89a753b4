import { existsSync, readFileSync } from "node:fs"

import { Ajv, type ErrorObject } from "ajv"
import { parseDocument } from "yaml"

import { SettingsError } from "#base/settings.ts"
import { OWN_SCHEMA } from "#base/text/json/own-schema.ts"

import type { RoleRule } from "../../people/roles.ts"
import { KINDS } from "../kinds.ts"
import { namesProblems } from "./names.ts"
import type { ProviderSpec } from "../provider.ts"

const DEFAULT_FILE = "sign-on.yaml"
const SCHEMA_FILE = new URL("sign-on.schema.json", import.meta.url)

/** The providers that vouch for people, and those people's rights, as the operator declared them. */
export interface SignOnSpec {
  readonly providers: readonly ProviderSpec[]
  readonly roles: readonly RoleRule[]
  /** Maximum length of a session in hours; null if the settings apply. */
  readonly sessionHours: number | null
  readonly refreshMinutes: number
  readonly unrenewedHours: number
}

/**
 * The sign-on declared in the file; null if there is no file, or if it contains no providers.
 *
 * @param named path from FOSSICK_SIGN_ON_FILE; if empty, `sign-on.yaml` in the working directory, if there is one
 * @throws SettingsError naming each field that is wrong, and never a secret
 */
export function readSignOn(named: string, env: NodeJS.ProcessEnv): SignOnSpec | null {
  const file = named === "" ? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null) : named
  if (file === null) return null
  let text
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new SettingsError([`FOSSICK_SIGN_ON_FILE: cannot read ${file}`])
  }
  return parseSignOn(text, file, env)
}

/** Like {@link readSignOn}, but for a file's text. @throws SettingsError */
export function parseSignOn(text: string, file: string, env: NodeJS.ProcessEnv): SignOnSpec | null {
  const document = parseDocument(text)
  const [unreadable] = document.errors
  if (unreadable) throw new SettingsError([`${file}: ${unreadable.message.split("\n")[0]}`])
  const written = checked(document.toJS() ?? {}, file)
  const problems: string[] = []
  const providers = written.providers.map((one, at) =>
    providerOf(one, `${file}: providers[${at}]`, env, problems),
  )
  problems.push(...namesProblems(written.providers).map((one) => `${file}: ${one}`))
  for (const [at, { groups, signedIn, role, sources, collections }] of written.roles.entries()) {
    const where = `${file}: roles[${at}]`
    if ((groups === undefined) === (signedIn === undefined))
      problems.push(`${where} must have either groups or signedIn`)
    if (role !== "reader" && (sources ?? collections) !== undefined)
      problems.push(`${where} must not have sources or collections: the role ${role} sees every source`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  if (providers.length === 0) return null
  const { sessionHours = null, refreshMinutes, unrenewedHours } = written
  const roles = written.roles.map(({ groups = null, role, sources = null, collections = null }) => ({
    groups,
    role,
    sources,
    collections,
  }))
  return { providers, roles, sessionHours, refreshMinutes, unrenewedHours }
}

type WrittenProvider = Pick<ProviderSpec, "name" | "kind"> & Partial<Omit<ProviderSpec, "own">>

interface Written {
  readonly providers: readonly WrittenProvider[]
  readonly roles: readonly (Pick<RoleRule, "role"> & {
    readonly groups?: readonly string[]
    readonly signedIn?: true
    readonly sources?: readonly string[]
    readonly collections?: readonly string[]
  })[]
  readonly sessionHours?: number
  readonly refreshMinutes: number
  readonly unrenewedHours: number
}

/** Fields of the file, with defaults. Each provider is checked against the common fields and then by its kind, so that no message mentions other kinds. @throws SettingsError */
function checked(written: unknown, file: string): Written {
  const common = JSON.parse(readFileSync(SCHEMA_FILE, "utf8")) as Schema
  const errors = errorsIn(common, written).map((one) => inWords(one, file))
  const { properties } = common.properties["providers"]!.items
  const given = (written as { readonly providers?: unknown } | null)?.providers
  for (const [at, provider] of (Array.isArray(given) ? (given as unknown[]) : []).entries()) {
    if (typeof provider !== "object" || provider === null) continue
    const { kind: name } = provider as { readonly kind?: unknown }
    const kind = KINDS.find((one) => one.kind === name)
    const where = `/providers/${at}`
    if (kind !== undefined) {
      const { fields } = kind
      const schema = {
        type: "object",
        additionalProperties: false,
        required: fields.required,
        properties: {
          ...Object.fromEntries(Object.keys(properties).map((one) => [one, {}])),
          ...fields.properties,
        },
      }
      for (const error of errorsIn(schema, provider))
        errors.push(inWords({ ...error, instancePath: where + error.instancePath }, file))
    } else if (typeof name === "string")
      errors.push(`${file}: providers[${at}].kind must be one of ${KINDS.map((one) => one.kind).join(", ")}`)
  }
  if (errors.length > 0) throw new SettingsError(errors)
  return written as Written
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly items: { readonly properties: object } }>>
}

/** The validator also fills in defaults. */
function errorsIn(schema: object, written: unknown): readonly ErrorObject[] {
  const ajv = new Ajv({
    ...OWN_SCHEMA,
    strict: true,
    allErrors: true,
    useDefaults: true,
    strictRequired: false,
  })
  const validate = ajv.compile(schema)
  return validate(written) ? [] : (validate.errors ?? [])
}

function providerOf(
  {
    name,
    kind,
    title = name,
    userPrefix = "",
    userDomains = null,
    groupPrefix = "",
    ...more
  }: WrittenProvider,
  where: string,
  env: NodeJS.ProcessEnv,
  problems: string[],
): ProviderSpec {
  const tried = <T>(field: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      problems.push(`${where}.${field} ${(error as Error).message}`)
      return undefined
    }
  }
  const own = KINDS.find((one) => one.kind === kind)?.read(more, { env, tried })
  return { name, kind, title, userPrefix, userDomains, groupPrefix, own }
}

function inWords({ keyword, instancePath, params, message }: ErrorObject, file: string): string {
  const where = instancePath
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^\./, "")
  const named = `${file}: ${where === "" ? "the file" : where}`
  const { additionalProperty, missingProperty, allowedValues } = params as {
    readonly additionalProperty?: string
    readonly missingProperty?: string
    readonly allowedValues?: readonly string[]
  }
  if (keyword === "additionalProperties") return `${named} has the unknown field ${additionalProperty}`
  if (keyword === "required") return `${named} lacks ${missingProperty}`
  if (allowedValues !== undefined) return `${named} must be one of ${allowedValues.join(", ")}`
  if (keyword === "pattern" && /secret/i.test(where))
    return `${named} must name a secret, not contain it: \${NAME} for an environment variable, or file:/path`
  return `${named} ${message ?? "is wrong"}`
}

import { readFileSync } from "node:fs"
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv"
import { toPageUrl } from "#engine"
import { isMetadataHost } from "../fetch/guard/address-kind.ts"
import { bareHost, parseRule } from "../fetch/guard/allowed-networks.ts"
import { addressPatterns } from "../scope/globs.ts"
import { tlsProblems } from "../fetch/connect/source-tls.ts"
import { loginProblems } from "../fetch/secrets.ts"
import { PatternError } from "../scope/patterns.ts"
import { scheduleProblems } from "../tasks/schedule.ts"
import type { SourceSpec } from "../source.ts"

/** Something wrong in what was written of a source. */
export interface SourceProblem {
  /** Way to the field: `["limits", "pages"]`; a list's entries by number. Empty: the whole. */
  readonly path: readonly (string | number)[]
  /** What is expected; does not name the field. */
  readonly message: string
}

/** A source that is not understood; the message names every field that is wrong. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly SourceProblem[]) {
    super(problems.map(problemText).join("\n"))
    this.name = "SourceError"
    this.problems = problems
  }
}

/** `limits.pages must be a whole number`. */
export function problemText({ path, message }: SourceProblem): string {
  return path.length === 0 ? message : `${fieldText(path)} ${message}`
}

/** `webhooks[0].url`. */
export function fieldText(path: SourceProblem["path"]): string {
  return path
    .map((step) =>
      typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `["${step}"]`,
    )
    .join("")
    .replace(/^\./, "")
}

/** What a source looks like to those who write one: the JSON Schema (draft 7) of a file of sources. */
export const SOURCES_SCHEMA_FILE = new URL("sources.schema.json", import.meta.url)

type Written = Readonly<Record<string, unknown>>

/**
 * Reads a source as an operator wrote it. Beside the fields of a {@link SourceSpec} it takes one text where a list
 * is wanted, a cron line for a schedule, and addresses without `https://`.
 * @throws SourceError
 */
export function readSourceSpec(written: unknown): SourceSpec & { readonly name: string } {
  const problems = schemaProblems("source", written)
  if (problems.length > 0) throw new SourceError(problems)
  const spec = normalized(written as Written)
  const found = meaningProblems(spec)
  if (found.length > 0) throw new SourceError(found)
  return spec
}

let validators: Record<"file" | "source" | "defaults", ValidateFunction> | null = null

/** What the schema of a file of sources, or of one of its parts, has to say against `value`. */
export function schemaProblems(part: "file" | "source" | "defaults", value: unknown): SourceProblem[] {
  if (!validators) {
    const ajv = new Ajv({
      strict: true,
      strictRequired: false,
      allowUnionTypes: true,
      allErrors: true,
      verbose: true,
      discriminator: true,
    })
    const schema = JSON.parse(readFileSync(SOURCES_SCHEMA_FILE, "utf8")) as { $id: string }
    validators = {
      file: ajv.compile(schema),
      source: ajv.compile({ $ref: `${schema.$id}#/$defs/source` }),
      defaults: ajv.compile({ $ref: `${schema.$id}#/$defs/defaults` }),
    }
  }
  const validate = validators[part]
  return validate(value) ? [] : (validate.errors ?? []).map((error) => schemaProblem(error, value))
}

function schemaProblem(error: ErrorObject, value: unknown): SourceProblem {
  const params = error.params as Record<string, unknown>
  const path = pathOf(error.instancePath, value)
  switch (error.keyword) {
    case "additionalProperties":
      return {
        path: [...path, String(params["additionalProperty"])],
        message: `is no field of ${path[0] === "backup" ? "the backup" : "a source"}; there are ${Object.keys(error.parentSchema?.["properties"] ?? {}).join(", ")}`,
      }
    case "required":
      return { path: [...path, String(params["missingProperty"])], message: "is missing" }
    case "enum":
      return {
        path,
        message: `must be one of ${(params["allowedValues"] as unknown[]).map(String).join(", ")}`,
      }
    case "discriminator":
      return { path: [...path, "kind"], message: "must be one of basic, headers, cookies, form" }
    case "type":
      return { path, message: `must be ${typeNames(params["type"])}` }
    case "pattern":
      return { path, message: patternMeaning(path) }
    case "minLength":
    case "minItems":
    case "minProperties":
      return { path, message: "must not be empty" }
    default:
      return { path, message: error.message ?? "is wrong" }
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "a group of fields",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
}

function typeNames(types: unknown): string {
  return [types]
    .flat()
    .map((type) => TYPE_NAMES[String(type)] ?? String(type))
    .join(" or ")
}

function patternMeaning(path: SourceProblem["path"]): string {
  const field = path.at(-1)
  if (["password", "secret", "cert", "key", "passphrase"].includes(String(field))) {
    return "must name a secret, not hold one: ${NAME} of the environment, or file:/path"
  }
  if (field === "name" && path[0] === "backup")
    return "may hold letters, digits and ._- and begins and ends with a letter or digit"
  if (field === "name")
    return "may hold letters, digits, spaces and ._:@- and begins and ends with a letter or digit"
  return "must be two lower-case letters"
}

function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at = value
  return pointer
    .split("/")
    .slice(1)
    .map((step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
      const isIndex = Array.isArray(at)
      at = (at as Written | null)?.[key]
      return isIndex ? Number(key) : key
    })
}

const LISTS = ["seeds", "include", "exclude", "allowedNetworks", "sitemaps", "feeds"]
/** Lists of addresses. */
const ADDRESSES = ["seeds", "sitemaps", "feeds"]

/** The short forms written out. */
function normalized(given: Written): SourceSpec & { readonly name: string } {
  const spec: Record<string, unknown> = { ...given }
  for (const field of LISTS) {
    if (typeof spec[field] === "string") spec[field] = [spec[field]]
  }
  for (const field of ADDRESSES) {
    const list = spec[field] as readonly string[] | undefined
    if (list) spec[field] = list.map(written)
  }
  if (typeof spec["schedule"] === "string") spec["schedule"] = { cron: spec["schedule"] }
  const login = spec["login"] as Written | null | undefined
  if (login?.["kind"] === "form") spec["login"] = { proof: null, ...login }
  return spec as unknown as SourceSpec & { readonly name: string }
}

/** In the spelling that pages have; as it stands when it is no address, or holds a password. */
function written(address: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`
  return holdsPassword(whole) ? address : (toPageUrl(whole) ?? address)
}

const holdsPassword = (address: string): boolean => /^(https?:\/\/)?[^/?#]*@/i.test(address)

/** What a schema cannot tell. */
function meaningProblems(spec: SourceSpec): SourceProblem[] {
  const problems: SourceProblem[] = []
  const check = (path: SourceProblem["path"], test: () => void) => {
    try {
      test()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      problems.push({ path, message: error.message })
    }
  }
  for (const field of ADDRESSES as readonly ("seeds" | "sitemaps" | "feeds")[]) {
    for (const [index, address] of (spec[field] ?? []).entries()) {
      check([field, index], () => assertAddress(address))
    }
  }
  for (const field of ["include", "exclude"] as const) {
    for (const [index, pattern] of (spec[field] ?? []).entries()) {
      check([field, index], () => assertPatterns(field, [pattern]))
    }
    if (!problems.some(({ path }) => path[0] === field))
      check([field], () => assertPatterns(field, spec[field] ?? []))
  }
  for (const [index, entry] of (spec.allowedNetworks ?? []).entries()) {
    check(["allowedNetworks", index], () => void parseRule(entry))
  }
  for (const [index, { url }] of (spec.webhooks ?? []).entries()) {
    check(["webhooks", index, "url"], () => assertAddress(url))
  }
  const { login, schedule, revisit } = spec
  if (login?.kind === "form") check(["login", "url"], () => assertAddress(login.url))
  if (login) {
    for (const { path, message } of loginProblems(login)) problems.push({ path: ["login", ...path], message })
  }
  problems.push(...tlsProblems(spec))
  if (schedule) {
    for (const { path, message } of scheduleProblems(schedule))
      problems.push({ path: ["schedule", ...path], message })
  }
  if ((revisit?.minHours ?? 0) > (revisit?.maxHours ?? Infinity)) {
    problems.push({ path: ["revisit", "maxHours"], message: "must not be less than minHours" })
  }
  return problems
}

function assertAddress(address: string): void {
  if (holdsPassword(address)) throw new Error("must not hold a user or password; there is login for them")
  if (toPageUrl(address) === null)
    throw new Error(`must be an http or https address; ${JSON.stringify(address)} is none`)
  if (isMetadataHost(bareHost(new URL(address))))
    throw new Error("must not lead to the metadata service of a cloud, which is never read")
}

function assertPatterns(field: string, patterns: readonly string[]): void {
  try {
    addressPatterns(field, patterns)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new Error(`is no pattern: ${error.message}`, { cause: error })
  }
}

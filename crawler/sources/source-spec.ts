import { toPageUrl } from "#engine"
import { isMetadataHost } from "../fetch/guard/address-kind.ts"
import { bareHost, parseRule } from "../fetch/guard/allowed-networks.ts"
import { addressPatterns } from "../crawl/scope/globs.ts"
import { tlsProblems } from "../fetch/connect/source-tls.ts"
import { HANDBOOK_SOURCE } from "../handbook-source.ts"
import { loginProblems } from "../fetch/secrets.ts"
import { PatternError } from "../crawl/scope/patterns.ts"
import { scheduleProblems } from "../jobs/tasks/schedule.ts"
import type { SourceSpec } from "../source.ts"
import { observersProblems } from "./written/observers-problems.ts"
import { readersProblems } from "./written/readers-problems.ts"
import { contentProblems } from "./written/content-source.ts"
import { schemaProblems } from "./written/schema-problems.ts"
import { fieldText, SourceError, type SourceProblem } from "./written/source-problem.ts"
import { type Surroundings, workProblems } from "./written/surroundings.ts"

type Written = Readonly<Record<string, unknown>>

/**
 * Reads a source as an operator wrote it. In addition to the fields of a {@link SourceSpec}, it accepts a single string
 * where a list is expected, a cron line for a schedule, and addresses without `https://`.
 * @param surroundings where the source will run; not checked if left out
 * @throws SourceError
 */
export function readSourceSpec(
  written: unknown,
  surroundings?: Surroundings,
): SourceSpec & { readonly name: string } {
  const problems = schemaProblems("source", written)
  if (problems.length > 0) throw new SourceError(problems)
  const spec = normalized(written as Written)
  const wrong = meaningProblems(spec)
  const fields = new Set(wrong.map(({ path }) => fieldText(path)))
  const unfit = surroundings ? workProblems(spec, surroundings) : []
  const found = [...wrong, ...unfit.filter(({ path }) => !fields.has(fieldText(path)))]
  if (found.length > 0) throw new SourceError(found)
  return spec
}

const LISTS = ["seeds", "include", "exclude", "allowedNetworks", "sitemaps", "feeds"]
/** Lists of addresses. */
const ADDRESSES = ["seeds", "sitemaps", "feeds"]

/** Expands the short forms. */
function normalized(given: Written): SourceSpec & { readonly name: string } {
  const spec: Record<string, unknown> = { ...given }
  for (const field of LISTS) {
    if (typeof spec[field] === "string") spec[field] = [spec[field]]
  }
  for (const field of ADDRESSES) {
    const list = spec[field] as readonly string[] | undefined
    if (list) spec[field] = list.map(written)
  }
  const repository = spec["repository"] as Written | string | null | undefined
  if (typeof repository === "string") spec["repository"] = { url: repository }
  else if (typeof repository?.["paths"] === "string")
    spec["repository"] = { ...repository, paths: [repository["paths"]] }
  const mailbox = spec["mailbox"] as Written | string | null | undefined
  if (typeof mailbox === "object" && typeof mailbox?.["folders"] === "string")
    spec["mailbox"] = { ...mailbox, folders: [mailbox["folders"]] }
  const readers = spec["readers"] as Written | null | undefined
  if (readers) spec["readers"] = Object.fromEntries(Object.entries(readers).map(([k, v]) => [k, [v].flat()]))
  if (typeof spec["schedule"] === "string") spec["schedule"] = { cron: spec["schedule"] }
  if (spec["login"]) spec["login"] = normalLogin(spec["login"])
  const observers = spec["observers"] as readonly Written[] | undefined
  if (observers) spec["observers"] = observers.map(normalObserver)
  return spec as unknown as SourceSpec & { readonly name: string }
}

function normalLogin(given: unknown): unknown {
  const login = given as Written | string | null
  return typeof login === "object" && login?.["kind"] === "form" ? { proof: null, ...login } : login
}

function normalObserver({ login, readers: given, ...rest }: Written): Written {
  const readers = given as Written | string
  return {
    ...rest,
    login: normalLogin(login),
    readers: typeof readers === "string" ? readers : { allow: [readers["allow"]].flat() },
  }
}

/** Normalizes an address to the spelling that pages use; returns it unchanged if it isn't an address or contains a password. */
function written(address: string): string {
  // A path without a host: a URL parser would mistake its first segment for a host.
  if (/^[/.\s]/.test(address) || TYPOGRAPHIC_QUOTE.test(address)) return address
  const whole = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`
  return holdsPassword(whole) ? address : (toPageUrl(whole) ?? address)
}

const holdsPassword = (address: string): boolean => /^(https?:\/\/)?[^/?#]*@/i.test(address)

/** Problems that a schema cannot express. */
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
  for (const { path, message } of readersProblems(spec.readers ?? {}))
    problems.push({ path: ["readers", ...path], message })
  for (const [index, { url }] of (spec.webhooks ?? []).entries()) {
    check(["webhooks", index, "url"], () => assertAddress(url))
  }
  const { login, schedule, revisit } = spec
  if (spec.name === HANDBOOK_SOURCE) {
    problems.push({
      path: ["name"],
      message: `must not be ${HANDBOOK_SOURCE}: this is the appliance's own handbook`,
    })
  }
  if (login?.kind === "form") check(["login", "url"], () => assertAddress(login.url))
  if (login) {
    for (const { path, message } of loginProblems(login)) problems.push({ path: ["login", ...path], message })
  }
  problems.push(...contentProblems(spec), ...tlsProblems(spec), ...observersProblems(spec))
  for (const [index, { login: other }] of (spec.observers ?? []).entries()) {
    if (typeof other === "object" && other?.kind === "form")
      check(["observers", index, "login", "url"], () => assertAddress(other.url))
  }
  if (schedule) {
    for (const { path, message } of scheduleProblems(schedule))
      problems.push({ path: ["schedule", ...path], message })
  }
  if ((revisit?.minHours ?? 0) > (revisit?.maxHours ?? Infinity)) {
    problems.push({ path: ["revisit", "maxHours"], message: "must not be less than minHours" })
  }
  return problems
}

/** Typographic quotes that word processors and web pages put into copied text. */
const TYPOGRAPHIC_QUOTE = /^[“”„‟«»‘’‚‛]/
/** A name or address as it appears in a parsed URL (RFC 1123 §2.1, plus `_`, which service names use). */
const HOST = /^(\[[\da-f:.]+\]|[\da-z_]([\da-z_-]*[\da-z_])?(\.[\da-z_]([\da-z_-]*[\da-z_])?)*\.?)$/

function assertAddress(address: string): void {
  if (TYPOGRAPHIC_QUOTE.test(address))
    throw new Error(`begins with a typographic quote; YAML allows only " and '`)
  if (holdsPassword(address)) throw new Error("must not contain a user or password; use login for them")
  if (toPageUrl(address) === null)
    throw new Error(`must be an http or https address; ${JSON.stringify(address)} isn't one`)
  if (!HOST.test(new URL(address).hostname))
    throw new Error(`must name a host; ${JSON.stringify(bareHost(new URL(address)))} cannot be one`)
  if (isMetadataHost(bareHost(new URL(address))))
    throw new Error("must not lead to a cloud metadata service, which is never read")
}

function assertPatterns(field: string, patterns: readonly string[]): void {
  try {
    addressPatterns(field, patterns)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new Error(`isn't a valid pattern: ${error.message}`, { cause: error })
  }
}

import { ArgumentsError, wholeNumber } from "#base/command-arguments.ts"

import { readScope, ScopeError, strayLimit } from "../../identity/accounts/keys/key-scope.ts"
import {
  actsProblem,
  principalsProblem,
  readPrincipals,
} from "../../identity/accounts/keys/key-principals.ts"
import type { ActsBy, CreditLimit, KeyRole, KeySpec } from "../../identity/accounts/keys/keys.ts"
import { parseRateLimits, type RateLimits } from "../../identity/accounts/rates/rate-limits.ts"

const HOUR_MS = 3_600_000
const MAX_NAME_CHARS = 100
const MOST_CREDITS = 1_000_000_000
/** Maximum lifetime of a key. */
const MAX_DAYS = 36_500

/** The options of `fossick keys create`. */
export interface KeyOptions {
  readonly role: KeyRole
  readonly name: string
  readonly expires: string | undefined
  readonly credits: string | undefined
  readonly per: CreditLimit["per"]
  readonly "rate-limits": string | undefined
  readonly "make-keys": boolean
  readonly endpoint: readonly string[]
  readonly source: readonly string[]
  readonly collection: readonly string[]
  readonly domain: readonly string[]
  readonly reads: readonly string[]
  readonly "acts-for-people": ActsBy | undefined
  readonly project: readonly string[]
}

/** The key that the options describe. @throws ArgumentsError */
export function keySpec(options: KeyOptions): KeySpec {
  const { role, name, project, expires, reads } = options
  if (name.length > MAX_NAME_CHARS) {
    throw new ArgumentsError(`--name must have at most ${MAX_NAME_CHARS} characters.`)
  }
  const scope = scopeOf(options)
  const stray = strayLimit(role, scope)
  if (stray !== null)
    throw new ArgumentsError(
      `--${stray.field.slice(0, -1)} can't limit a key with the role ${role}: ${stray.why}.`,
    )
  const wrong = principalsProblem({ role, principals: reads })
  if (wrong !== null) throw new ArgumentsError(`--reads ${wrong}.`)
  const actsForPeople = options["acts-for-people"] ?? null
  const mistake = actsForPeople && actsProblem({ role, principals: reads, mayMakeKeys: options["make-keys"] })
  if (mistake !== null) throw new ArgumentsError(`--acts-for-people ${mistake}.`)
  if ((role === "write" || role === "operator") && options["make-keys"])
    throw new ArgumentsError(`A key with the role ${role} can't make keys.`)
  return {
    role,
    name,
    scope,
    principals: readPrincipals(reads),
    actsForPeople,
    projects: project,
    creditLimit: creditsOf(options),
    rateLimits: ratesOf(options),
    mayMakeKeys: role === "admin" || options["make-keys"],
    expiresAt: expires === undefined ? null : endOf(expires),
  }
}

function scopeOf({ endpoint, source, collection, domain }: KeyOptions) {
  const named = (names: readonly string[]) => (names.length > 0 ? names : undefined)
  try {
    return readScope({
      endpoints: named(endpoint),
      sources: named(source),
      collections: named(collection),
      domains: named(domain),
    })
  } catch (error) {
    throw error instanceof ScopeError ? new ArgumentsError(error.message) : error
  }
}

function creditsOf({ credits, per }: KeyOptions): CreditLimit | null {
  return credits === undefined ? null : { credits: wholeNumber("--credits", credits, 0, MOST_CREDITS), per }
}

function ratesOf({ "rate-limits": text }: KeyOptions): RateLimits | null {
  if (text === undefined) return null
  try {
    return parseRateLimits(text)
  } catch (error) {
    throw new ArgumentsError(`--rate-limits ${(error as Error).message}.`)
  }
}

function endOf(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([dh])$/.exec(text) ?? []
  const end =
    count === undefined
      ? Date.parse(`${text}T00:00:00Z`)
      : Date.now() + Number(count) * (unit === "d" ? 24 : 1) * HOUR_MS
  if (!(end > Date.now() && end < Date.now() + MAX_DAYS * 24 * HOUR_MS)) {
    throw new ArgumentsError("--expires must be a future time, such as 30d, 12h or 2027-01-31.")
  }
  return new Date(end)
}

import { ArgumentsError, readArguments } from "#base/command-arguments.ts"

import { isUnlimited, readScope, ScopeError } from "../accounts/keys/key-scope.ts"
import { type CreditLimit, KEY_ROLES, type KeySpec, LIMIT_PERIODS } from "../accounts/keys/keys.ts"
import { parseRateLimits, type RateLimits } from "../accounts/limits/rate-limits.ts"

export const KEYS_HELP = `Usage: npm run keys -- create [options]
       npm run keys -- list [--json]
       npm run keys -- disable <id>

  create   makes a key and shows it, only this once
  list     the keys that were made, without their text
  disable  has a key refused from now on, for good

Options of create:
  --role search|admin   search (default): every endpoint that searches and reads; admin: all of it
  --name TEXT           what the key is for, up to 100 characters
  --expires WHEN        when it ends: a number of days (30d) or hours (12h), or a date (2027-01-31, UTC)
  --credits N           credits it may use, each month
  --per month|total     instead: ever
  --rate-limits LIST    calls it may make, instead of FOSSICK_RATE_LIMITS: search=100/m,*=1000/m
  --make-keys           it may make keys over the API, within its own limits

Only pages and endpoints named by these; each may be given several times:
  --endpoint NAME       search, extract, crawl, map, research
  --source NAME         pages of this source
  --collection NAME     pages of the sources of this collection (npm run collections)
  --domain NAME         pages on this domain
  --project NAME        calls for this project
`

const several = { type: "string", multiple: true } as const
const OPTIONS = {
  role: { type: "string", default: "search" },
  name: { type: "string", default: "" },
  expires: { type: "string" },
  credits: { type: "string" },
  per: { type: "string", default: "month" },
  "rate-limits": { type: "string" },
  "make-keys": { type: "boolean", default: false },
  endpoint: several,
  source: several,
  collection: several,
  domain: several,
  project: several,
} as const

const HOUR_MS = 3_600_000
const MAX_NAME_CHARS = 100
const MOST_CREDITS = 1_000_000_000
/** So long a key may live. */
const MAX_DAYS = 36_500

/** What `npm run keys` is asked to do. */
export type KeysArguments =
  | { readonly command: "create"; readonly spec: KeySpec }
  | { readonly command: "list"; readonly json: boolean }
  | { readonly command: "disable"; readonly id: string }

/** The arguments taken apart; null when help is wanted. @throws ArgumentsError */
export function parseKeysArguments(args: readonly string[]): KeysArguments | null {
  const { values, positionals } = readArguments(args, OPTIONS)
  if (values.help) return null
  const [command, id, ...more] = positionals
  if (command === undefined)
    throw new ArgumentsError("What is to be done is missing: create, list or disable.")
  const surplus = command === "disable" ? more[0] : id
  if (surplus !== undefined) throw new ArgumentsError(`${surplus} is too much.`)
  switch (command) {
    case "create":
      return { command, spec: specOf(values) }
    case "list":
      return { command, json: values.json }
    case "disable":
      if (id === undefined) throw new ArgumentsError("The id of the key is missing.")
      return { command, id }
    default:
      throw new ArgumentsError(`There is no ${command} of keys.`)
  }
}

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>["values"]

/** @throws ArgumentsError */
function specOf(values: Values): KeySpec {
  const role = KEY_ROLES.find((one) => one === values.role)
  if (role === undefined) throw new ArgumentsError(`--role must be one of ${KEY_ROLES.join(", ")}.`)
  if (values.name.length > MAX_NAME_CHARS) {
    throw new ArgumentsError(`--name must have at most ${MAX_NAME_CHARS} characters.`)
  }
  const scope = scopeOf(values)
  if (role === "admin" && !isUnlimited(scope)) {
    throw new ArgumentsError("A key of the role admin sees everything; a limited one is of the role search.")
  }
  return {
    role,
    name: values.name,
    scope,
    projects: values.project ?? [],
    creditLimit: creditsOf(values),
    rateLimits: ratesOf(values),
    mayMakeKeys: role === "admin" || values["make-keys"],
    expiresAt: values.expires === undefined ? null : endOf(values.expires),
  }
}

function scopeOf({ endpoint, source, collection, domain }: Values) {
  try {
    return readScope({ endpoints: endpoint, sources: source, collections: collection, domains: domain })
  } catch (error) {
    throw error instanceof ScopeError ? new ArgumentsError(error.message) : error
  }
}

function creditsOf({ credits, per: given }: Values): CreditLimit | null {
  const per = LIMIT_PERIODS.find((one) => one === given)
  if (per === undefined) throw new ArgumentsError(`--per must be one of ${LIMIT_PERIODS.join(", ")}.`)
  if (credits === undefined) return null
  const number = Number(credits)
  if (!/^\d+$/.test(credits) || number > MOST_CREDITS) {
    throw new ArgumentsError(`--credits must be a whole number from 0 to ${MOST_CREDITS}.`)
  }
  return { credits: number, per }
}

function ratesOf({ "rate-limits": text }: Values): RateLimits | null {
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
    throw new ArgumentsError("--expires must be a time to come, such as 30d, 12h or 2027-01-31.")
  }
  return new Date(end)
}

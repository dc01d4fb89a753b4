import { characters } from "../../../server/wire/characters.ts"
import { domainList } from "../../../server/wire/domains.ts"

/** What a key can be limited to: the calls that cost credits. */
export const ENDPOINTS = ["search", "extract", "crawl", "map", "research"] as const

export type Endpoint = (typeof ENDPOINTS)[number]

/**
 * What a key or person may use and see. Each part is a separate limit and all of them apply; null for no limit. An
 * empty list lets nothing through.
 */
export interface KeyScope {
  readonly endpoints: readonly Endpoint[] | null
  /** Names of sources, in addition to those of the collections: pages of other sources do not exist for this key. */
  readonly sources: readonly string[] | null
  /** Names of collections, resolved at the time of a call. */
  readonly collections: readonly string[] | null
  /** A registrable domain includes its subdomains; any other host includes only itself. */
  readonly domains: readonly string[] | null
}

/** Everything. */
export const UNLIMITED: KeyScope = { endpoints: null, sources: null, collections: null, domains: null }

/** A scope that allows every endpoint, but only the pages of these collections. */
export const scopeOfCollections = (collections: readonly string[]): KeyScope => ({
  ...UNLIMITED,
  collections,
})

/** Whether some pages are out of reach. */
export const limitsPages = ({ sources, collections, domains }: KeyScope): boolean =>
  sources !== null || collections !== null || domains !== null

export const isUnlimited = (scope: KeyScope): boolean => scope.endpoints === null && !limitsPages(scope)

/** The roles of keys, as in keys.ts, which imports this file. */
export type LimitedRole = "search" | "write" | "operator" | "admin"

/** A limit in a scope that has no effect on keys of a role, with the reason; null when there is no such limit. */
export function strayLimit(
  role: LimitedRole,
  scope: KeyScope,
): { readonly field: keyof KeyScope; readonly why: string } | null {
  if (role === "search") return null
  const fields: (keyof KeyScope)[] = ["endpoints", "collections", "domains"]
  if (role !== "write") fields.push("sources")
  const field = fields.find((one) => scope[one] !== null)
  if (field === undefined) return null
  return { field, why: WHY_STRAY[role] }
}

const WHY_STRAY = {
  admin: "it sees everything",
  operator: "it runs all sources",
  write: "only sources can limit where it sends documents",
} as const

/** Maximum number of entries in each list of a scope, and maximum length of a name in it. */
export const MAX_ENTRIES = 300
export const MAX_NAME_CHARS = 100

/** The error for an invalid scope; the message names the field. */
export class ScopeError extends Error {}

/**
 * Validates a given scope. Empty and missing lists mean no limit, because forms and clients send those for untouched
 * fields.
 * @throws ScopeError naming the first field that is wrong
 */
export function readScope(written: {
  readonly endpoints?: readonly string[] | undefined
  readonly sources?: readonly string[] | undefined
  readonly collections?: readonly string[] | undefined
  readonly domains?: readonly string[] | undefined
}): KeyScope {
  const { endpoints, sources, collections, domains } = written
  for (const one of endpoints ?? []) {
    if (!ENDPOINTS.includes(one as Endpoint)) {
      throw new ScopeError(`Invalid endpoints. Must be some of ${ENDPOINTS.join(", ")}.`)
    }
  }
  return {
    endpoints: given(endpoints) as readonly Endpoint[] | null,
    sources: given(names("sources", sources)),
    collections: given(names("collections", collections)),
    domains: given(hosts(domains)),
  }
}

const given = (list: readonly string[] | undefined): readonly string[] | null =>
  list === undefined || list.length === 0 ? null : [...new Set(list)]

function names(field: string, list: readonly string[] | undefined): readonly string[] | undefined {
  if (list !== undefined && list.length > MAX_ENTRIES) {
    throw new ScopeError(`Invalid ${field}. Must have at most ${MAX_ENTRIES} entries.`)
  }
  if (list?.some((name) => name.trim() === "" || characters(name) > MAX_NAME_CHARS)) {
    throw new ScopeError(`Invalid ${field}. Must be names of 1 to ${MAX_NAME_CHARS} characters.`)
  }
  return list
}

function hosts(list: readonly string[] | undefined): readonly string[] {
  try {
    return domainList("domains", list, MAX_ENTRIES)
  } catch (error) {
    throw new ScopeError((error as Error).message)
  }
}

/** The scope in the form stored in `state.db`; null for a scope without limits. */
export const scopeText = (scope: KeyScope): string | null =>
  isUnlimited(scope) ? null : JSON.stringify(scope)

export const scopeOfText = (text: string | null): KeyScope =>
  text === null ? UNLIMITED : { ...UNLIMITED, ...(JSON.parse(text) as Partial<KeyScope>) }

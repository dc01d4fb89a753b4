import type { Incomplete } from "#crawler/reporting/coverage/incomplete.ts"
import { type Engine, toPageUrl } from "#engine"
import { pagesWaitText } from "#engine/lifecycle/filling/filling-text.ts"
import { domainRules, matchesDomains, placeOf } from "#engine/index/page/domains.ts"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { namesLeft } from "../../identity/accounts/reach/scoped-pages.ts"
import { viewOf } from "./address-miss.ts"
import { isMiss } from "./miss-threshold.ts"
import { type Cause, type Miss, missOf, REACH_TEXT } from "./miss.ts"
import type { AskedSource, MissKnowledge } from "./miss-knowledge.ts"
import { type AskedQuery, narrowFilters } from "./narrow-filters.ts"

/** Maximum number of sources in one answer. */
const MOST_SOURCES = 100
/** Maximum number of leads in one answer; the likeliest causes come first. */
const MOST_LEADS = 5

/** How complete the searched sources are, in wire format. */
export interface Coverage {
  /** Whether all searched sources contain everything their rules allow, with vectors. */
  readonly complete: boolean
  /** The time as of which this was known; missing if the sources are incomplete. */
  readonly complete_as_of?: string
  readonly sources: readonly {
    readonly name: string
    readonly pages: number
    readonly complete: boolean
    readonly complete_as_of: string | null
    /** Why the source is not complete. */
    readonly incomplete: string | null
    readonly checked_at: string | null
    readonly kept_out: Readonly<Record<string, number>>
    /** Number of pages whose responses were cut off; left out if 0. */
    readonly cut_off?: number
    readonly waiting_for_vectors: number
  }[]
  /** Number of sources that were searched but are not listed. */
  readonly more_sources?: number
}

export interface SearchMissParts {
  readonly reach: Pick<Reach, "engine" | "limits" | "addresses" | "page">
  readonly key: Pick<ApiKey, "role">
  readonly knowledge: MissKnowledge
  readonly signal: AbortSignal
}

/** The searched sources, how complete they are, and for a miss the reasons, likeliest first. */
export interface Searched {
  readonly coverage: Coverage
  readonly misses: readonly Miss[]
}

/** @param hits the hits, best first */
export async function searchedOf(
  query: AskedQuery,
  hits: readonly { readonly score: number }[],
  parts: SearchMissParts,
): Promise<Searched> {
  const { reach, knowledge } = parts
  const limits = await reach.limits()
  const wanted = query.filter?.sources ?? []
  const { names, isNameless } = await namesOf(query, reach, knowledge)
  const looked = isNameless ? [] : await knowledge.sources(names.slice(0, MOST_SOURCES))
  const asked = looked.filter((one) => wanted.includes(one.name) || !neverAnswered(one))
  const more = isNameless ? 0 : names.length - looked.length
  const misses = isMiss(hits)
    ? await missesOf(query, { asked, names }, { ...parts, isLimited: limits !== null })
    : []
  const isComplete =
    more === 0 &&
    asked.length > 0 &&
    asked.every(
      ({ incomplete, waiting, completeAsOf }) => incomplete === null && waiting === 0 && completeAsOf,
    )
  const oldest = Math.min(...asked.map(({ completeAsOf }) => completeAsOf?.getTime() ?? Infinity))
  return {
    coverage: {
      complete: isComplete,
      ...(isComplete && { complete_as_of: new Date(oldest).toISOString() }),
      sources: asked.map(sourceOnWire),
      ...(more > 0 && { more_sources: more }),
    },
    misses,
  }
}

/** The names of a search's sources. `isNameless` is true if the caller may not see them. */
async function namesOf(
  query: AskedQuery,
  reach: Pick<Reach, "limits">,
  knowledge: Pick<MissKnowledge, "names">,
) {
  const limits = await reach.limits()
  // A key limited to domains sees no source names, and no page counts of a source on those domains.
  const isNameless = limits !== null && limits.domains !== null
  const wanted = query.filter?.sources ?? []
  const left = namesLeft(limits, limits?.sources ?? (await knowledge.names(wanted)))
  // Coverage counts all pages of a source, so sources with hidden pages are left out.
  const all = left.filter((name) => limits?.readable?.partly.has(name) !== true)
  return { names: wanted.length === 0 ? all : all.filter((name) => wanted.includes(name)), isNameless }
}

/** Warnings about pages of a search's sources that could not be read. */
export async function unreadTexts(
  query: AskedQuery,
  reach: Pick<Reach, "limits">,
  knowledge: Pick<MissKnowledge, "names" | "unread">,
): Promise<readonly string[]> {
  const { names, isNameless } = await namesOf(query, reach, knowledge)
  if (isNameless) return []
  return (await knowledge.unread(names.slice(0, MOST_SOURCES))).map(({ source, host, pages }) => {
    const what = pages === 1 ? "1 page" : `${pages.toLocaleString("en")} pages`
    return `${what} from ${host ?? source} could not be read on the last visit.`
  })
}

/**
 * Whether the source's address has not responded in any run: the operator has to correct that, and readers don't need
 * to know.
 */
const neverAnswered = ({ pages, checkedAt, incomplete, keptOut }: AskedSource): boolean =>
  pages === 0 &&
  checkedAt === null &&
  (incomplete === "failed" || incomplete === "unread") &&
  [...keptOut.keys()].every((cause) => cause === "unreachable")

function sourceOnWire({
  name,
  pages,
  completeAsOf,
  incomplete,
  checkedAt,
  keptOut,
  cutOff,
  waiting,
}: AskedSource) {
  return {
    name,
    pages,
    complete: incomplete === null && completeAsOf !== null,
    complete_as_of: completeAsOf?.toISOString() ?? null,
    incomplete,
    checked_at: checkedAt?.toISOString() ?? null,
    kept_out: Object.fromEntries(keptOut),
    ...(cutOff > 0 && { cut_off: cutOff }),
    waiting_for_vectors: waiting,
  }
}

/** The reasons why nothing was found, likeliest first. */
async function missesOf(
  query: AskedQuery,
  { asked, names }: { readonly asked: readonly AskedSource[]; readonly names: readonly string[] },
  { reach, key, knowledge, signal, isLimited }: SearchMissParts & { readonly isLimited: boolean },
): Promise<readonly Miss[]> {
  const view = await viewOf(reach, signal)
  const hosts = [...(query.filter?.includeDomains ?? []), ...query.text.includeDomains]
  // Sources that might contain the answer.
  const covering = hosts.length === 0 ? asked : asked.filter((one) => coversAny(one, hosts))
  const held = covering.filter(({ pages }) => pages > 0)
  if (hosts.length > 0 && held.length === 0 && !(await hasPagesOn(hosts, query, reach.engine, signal))) {
    if (isLimited && covering.length === 0) return [{ cause: "reach", text: REACH_TEXT }]
    if (covering.length === 0) return [hostMiss(hosts)]
  }
  if (!isLimited && asked.length === 0 && (await knowledge.isUnfilled())) return [UNFILLED]
  if (held.length === 0) {
    const [worst] = covering.toSorted((a, b) => gravity(a) - gravity(b))
    if (worst !== undefined) return [sourceMiss(worst, covering.length)]
    if (isLimited && view.sources?.length === 0) return [{ cause: "reach", text: REACH_TEXT }]
  }
  const filters = await narrowFilters(query, reach.engine, signal)
  if (filters.length > 0) return [filterMiss(filters)]
  const found: Miss[] = []
  for (const { url, title } of await knowledge.leads(query.text, names, view, MOST_LEADS)) {
    const why = await knowledge.missing(url, view)
    if (why === null || why.missing.cause === "other-address") continue
    found.push(missOf(url, why.missing, { title, ...(key.role === "admin" && { detail: why.summary }) }))
  }
  if (found.length > 0) return found
  const [open] = covering.filter(isOpen).toSorted((a, b) => gravity(a) - gravity(b))
  if (open !== undefined) return [sourceMiss(open, covering.length)]
  if (isLimited) return [{ cause: "reach", text: REACH_TEXT }]
  const waiting = asked.reduce((sum, one) => sum + one.waiting, 0)
  return [waiting > 0 ? notYet(waiting) : NO_MATCH]
}

const NO_MATCH: Miss = {
  cause: "no-match",
  text: "No page matches. Try other words, or fewer of them.",
}

/** These pages have low scores because they are found only by their words. */
const notYet = (waiting: number): Miss => ({
  cause: "no-match",
  text: `No page matches well yet: ${pagesWaitText(waiting)}. Ask again in a moment, or try other words.`,
})

const UNFILLED: Miss = {
  cause: "not-crawled",
  text: "No site has been added yet: there are no sources, and the index contains at most the handbook.",
}

const isOpen = ({ incomplete }: AskedSource): boolean => incomplete !== null

/** Reasons why a source has no answer, most likely first. */
const GRAVITY: readonly (Incomplete | null)[] = [
  "login-failed",
  "failed",
  "never-run",
  "running",
  "cancelled",
  "limit",
  "rules-changed",
  "depth",
]

function gravity({ incomplete, pages }: AskedSource): number {
  const at = GRAVITY.indexOf(incomplete)
  return (pages === 0 ? 0 : GRAVITY.length + 1) + (at === -1 ? GRAVITY.length : at)
}

function coversAny({ source }: AskedSource, hosts: readonly string[]): boolean {
  if (source === null) return false
  return source.seeds.some((seed) => {
    const url = toPageUrl(seed)
    if (url === null) return false
    const place = placeOf(url)
    if (matchesDomains(place, domainRules(hosts))) return true
    // The host may be under the seed's domain.
    return (
      source.scope === "domain" &&
      hosts.some((host) =>
        matchesDomains({ ...placeOf(`http://${host}/`), port: 0 }, domainRules([place.domain])),
      )
    )
  })
}

async function hasPagesOn(
  hosts: readonly string[],
  query: AskedQuery,
  engine: Pick<Engine, "search">,
  signal: AbortSignal,
): Promise<boolean> {
  const text = { ...query.text, includeDomains: [], phrases: [], excludedWords: [], excludedPhrases: [] }
  const { hits } = await engine.search(
    { text, limit: 1, passagesPerPage: 1, withMarkdown: false, filter: { includeDomains: hosts } },
    { signal },
  )
  return hits.length > 0
}

const hostMiss = (hosts: readonly string[]): Miss => ({
  cause: "out-of-scope",
  text: `No source covers ${hosts.slice(0, 5).join(", ")}.`,
})

const filterMiss = (filters: readonly string[]): Miss => ({
  cause: "filter",
  text: `The filter is too narrow: without ${filters.join(", ")} there would be results.`,
  filters,
})

const SOURCE_WORDS: Readonly<Record<Incomplete, readonly [Cause, string]>> = {
  "never-run": ["not-crawled", "it was never crawled"],
  running: ["not-crawled", "its crawl is still running"],
  "login-failed": ["login-failed", "the crawler could not log in"],
  failed: ["unreachable", "its last crawl failed"],
  cancelled: ["not-crawled", "its last crawl was cancelled"],
  limit: ["not-crawled", "its last crawl reached a limit"],
  depth: ["not-crawled", "pages at its depth limit link to more pages"],
  unread: ["unreachable", "some of its pages could not be read"],
  "rules-changed": ["not-crawled", "its rules have changed since its last crawl"],
  unfollowed: ["not-crawled", "its last crawl did not follow every link"],
}

const NO_PAGES = ["not-crawled", "its crawls found none"] as const

function sourceMiss({ name, pages, incomplete }: AskedSource, of: number): Miss {
  const [cause, why] = incomplete === null ? NO_PAGES : SOURCE_WORDS[incomplete]
  const what = pages === 0 ? "has no pages" : "is not complete"
  return {
    cause,
    text: `The source ${name}${of > 1 ? ` (one of ${of})` : ""} ${what}: ${why}.`,
  }
}

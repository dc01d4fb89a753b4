import { hash } from "node:crypto"
import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import { getDomain } from "tldts"

import {
  type Engine,
  type LanguageNotice,
  type Page,
  type PageFilter,
  type PageUrl,
  sourcesOf,
  withSources,
} from "#engine"
import {
  domainRules,
  hostAndPort,
  type HostAndPort,
  matchesDomains,
  placeOf,
} from "#engine/index/page/domains.ts"
import { noticeOf } from "#engine/search/stages/language-notice.ts"

import type { Collections } from "./collections.ts"
import { type KeyScope, limitsPages } from "../keys/key-scope.ts"
import type { ApiKey } from "../keys/keys.ts"
import { isReadable, type Readable, readableBy } from "./readable.ts"

/** The pages that may be seen, determined for one call; null for no limit. */
export interface PageLimits {
  readonly sources: readonly string[] | null
  readonly domains: readonly string[] | null
  /** Null if the lists of readers set no limit. */
  readonly readable: Readable | null
}

/** Limits used while no readers are known in the state. Pages that have readers anyway, for example because the state was lost, are hidden. */
const NONE_KNOWN: PageLimits = {
  sources: null,
  domains: null,
  readable: { principals: new Set(), hidden: [], partly: new Set(), labels: [] },
}

/** A key's scope and principals, which together limit what it sees. */
export interface Limited {
  readonly scope: KeyScope
  /** As in {@link ApiKey}. */
  readonly principals: ApiKey["principals"]
}

export interface LimitParts {
  readonly collections: Pick<Collections, "sourcesOf">
  readonly readers: () => Promise<ReadersNow>
}

/** What the caller may see now; null for every page. */
export async function pageLimits(
  { scope, principals }: Limited,
  { collections, readers }: LimitParts,
): Promise<PageLimits | null> {
  const readable = principals === null ? null : readableBy(principals, await readers())
  if (!limitsPages(scope) && readable === null) return null
  return { sources: await listedSources(scope, collections), domains: scope.domains, readable }
}

/** The sources that a scope is limited to, including those of its collections; null for no limit. */
export async function listedSources(
  { sources, collections: named }: Pick<KeyScope, "sources" | "collections">,
  collections: LimitParts["collections"],
): Promise<readonly string[] | null> {
  if (sources === null && named === null) return null
  return [...new Set([...(sources ?? []), ...(await collections.sourcesOf(named ?? []))])]
}

/**
 * What the caller may see of the index now. Like {@link pageLimits}, except that pages with readers are hidden while no
 * readers are known in the state.
 */
export const indexLimits = async (limited: Limited, parts: LimitParts): Promise<PageLimits | null> =>
  (await pageLimits(limited, parts)) ?? (limited.principals === null ? null : NONE_KNOWN)

/** The names of sources that the caller may know; empty if the only limit is on domains. */
export function namesLeft(limits: PageLimits | null, all: readonly string[]): readonly string[] {
  if (limits === null) return all
  const { sources, domains, readable } = limits
  const left = sources ?? (domains === null ? all : [])
  return readable === null ? left : left.filter((name) => !readable.hidden.includes(name))
}

/**
 * The engine for a limited caller. The limits are part of the filter, so that a search returns as many pages as without
 * them. Results are checked again, so that no adapter's mistake exposes a page. Without limits, pages with readers are
 * dropped, because it is unknown who those readers are.
 */
export function scopedEngine(
  engine: Pick<Engine, "search">,
  limits: () => Promise<PageLimits | null>,
): Pick<Engine, "search"> {
  return {
    async search(query, options) {
      const now = await limits()
      if (now === null) {
        const { hits, ...found } = await engine.search(query, options)
        return { ...found, hits: hits.filter(({ readers }) => readers === undefined) }
      }
      const filter = narrowed(query.filter ?? {}, now)
      if (filter === null) return { hits: [] }
      const { languageNotice, ...found } = await engine.search({ ...query, filter }, options)
      const admits = pageTest(now)
      const onDomains = now.domains === null ? () => true : domainTest(now.domains)
      const hits = found.hits
        .filter((hit) => admits(hit.url, sourcesOf(hit), hit.readers))
        .map((hit) =>
          hit.folded === undefined ? hit : { ...hit, folded: hit.folded.filter(({ url }) => onDomains(url)) },
        )
      const notice = languageNotice && ofSeenPages(languageNotice)
      return { ...found, hits, ...(notice && { languageNotice: notice }) }
    },
  }
}

/** The notice leaves out the model: its choice depends on the languages of all pages, so it would reveal something about hidden ones. */
const ofSeenPages = ({ languages, isScarce }: LanguageNotice) => noticeOf({ languages, isScarce })

/**
 * A page as a caller with these limits sees it, with only the sources they may know by name; null if they may not see
 * it.
 */
export function scopedPage(page: Page | null, limits: PageLimits | null): Page | null {
  if (page === null || limits === null) return page
  const { sources } = limits
  const names = sourcesOf(page)
  if (!pageTest(limits)(page.url, names, page.readers)) return null
  const [first, ...others] = sources === null ? names : names.filter((name) => sources.includes(name))
  return first === undefined ? null : withSources(page, [first, ...others])
}

/** Tests pages in the index by their address, sources and readers. */
export function pageTest({
  sources,
  domains,
  readable,
}: PageLimits): (url: PageUrl, sources: readonly string[], readers: Page["readers"]) => boolean {
  const onDomains = domains === null ? () => true : domainTest(domains)
  const listed = sources === null ? null : new Set(sources)
  return (url, names, readers) =>
    (listed === null || names.some((name) => listed.has(name))) &&
    onDomains(url) &&
    (readable === null || isReadable(readable, names, readers))
}

/** Tests addresses by their host. */
export function domainTest(domains: readonly string[]): (url: PageUrl) => boolean {
  const rules = domainRules(domains)
  return (url) => matchesDomains(placeOf(url), rules)
}

/** The requested names within the limits; null if no names remain, because the engine reads an empty list as "all". */
export function narrowed(asked: PageFilter, { sources, domains, readable }: PageLimits): PageFilter | null {
  const { sources: askedSources = [], includeDomains: askedDomains = [], excludeSources = [] } = asked
  const ofSources =
    sources === null || askedSources.length === 0
      ? (sources ?? askedSources)
      : askedSources.filter((one) => sources.includes(one))
  const ofDomains =
    domains === null || askedDomains.length === 0
      ? (domains ?? askedDomains)
      : intersection(askedDomains, domains)
  if ((sources !== null && ofSources.length === 0) || (domains !== null && ofDomains.length === 0))
    return null
  return {
    ...asked,
    ...(ofSources.length > 0 && { sources: ofSources }),
    ...(ofDomains.length > 0 && { includeDomains: ofDomains }),
    ...(readable !== null && {
      readers: readable.labels,
      excludeSources: [...excludeSources, ...readable.hidden],
    }),
  }
}

/**
 * The intersection of both lists: if a host is within another, the narrower one is kept, with the port that either
 * specifies.
 */
function intersection(a: readonly string[], b: readonly string[]): readonly string[] {
  const others = b.map(hostAndPort)
  return [...new Set(a.flatMap((name) => others.flatMap((other) => shared(hostAndPort(name), other) ?? [])))]
}

function shared(a: HostAndPort, b: HostAndPort): string | null {
  if (a.port !== null && b.port !== null && a.port !== b.port) return null
  const host = covers(a.host, b.host) ? b.host : covers(b.host, a.host) ? a.host : null
  const port = a.port ?? b.port
  return host === null || port === null ? host : `${host}:${port}`
}

const covers = (listed: string, host: string): boolean =>
  matchesDomains({ host, domain: getDomain(host) ?? host, port: 0 }, domainRules([listed]))

/**
 * Limits as text, which is the same for all keys that see the same pages, whatever those keys are. There can be
 * thousands of labels, so only their digest is included.
 */
export const limitsText = (limits: PageLimits | null): string =>
  limits === null
    ? ""
    : JSON.stringify([
        limits.sources?.toSorted() ?? null,
        limits.domains?.toSorted() ?? null,
        ...(limits.readable === null ? [] : [digestOf(limits.readable)]),
      ])

const digestOf = ({ hidden, labels }: Readable): string =>
  hash("sha256", JSON.stringify([hidden.toSorted(), labels]), "base64url")

import type { ReadOptions, Reader, ReadResult } from "#crawler"
import type { Reread, RereadOptions, Rereader } from "#crawler/upkeep/reread/rereader.ts"
import { EVERYBODY, mayRead } from "#engine/index/page/readers.ts"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import {
  type Engine,
  type FacetCounts,
  type FacetQuery,
  type Page,
  type PageUrl,
  sourcesOf,
  type Suggestion,
  type SuggestionQuery,
} from "#engine"

import { EngineError } from "#engine/errors.ts"
import { noFacets } from "#engine/search/facets/count-facets.ts"

import type { FederatedQuery } from "../../../services/federation/federated-engine.ts"
import type { Peer } from "../../../services/federation/peer.ts"
import { sourceOfPeer } from "../../../services/federation/peers-file.ts"
import type { Gates } from "../../../server/load/gates.ts"
import { type CallHold, holding } from "../../../server/load/memory/memory.ts"
import { limitsPages } from "../keys/key-scope.ts"
import {
  domainTest,
  indexLimits,
  narrowed,
  type Limited,
  type LimitParts,
  type PageLimits,
  pageLimits,
  pageTest,
  scopedEngine,
  scopedPage,
} from "./scoped-pages.ts"
import { isReadable, type Readable } from "./readable.ts"
import { knownNames, type KnownNames, type NameParts } from "./known-names.ts"

/** The reader for live calls. */
export type LiveReader = Pick<Reader, "read" | "sitemap">

/** A test for addresses. */
export type AddressTest = (url: PageUrl) => boolean

/**
 * What a caller may see of the index and the web. Endpoints get it through the key of their request and have no other
 * engine or reader, so none of them can forget the check.
 */
export interface Reach {
  readonly engine: Pick<Engine, "search">
  /** Counts of the visible pages, in total and for each of their sources that the caller may know. */
  facets(query: FacetQuery, signal?: AbortSignal): Promise<FacetCounts>
  /** Titles and headings of the pages that the caller may see. */
  suggest(query: SuggestionQuery): Promise<readonly Suggestion[]>
  /** The stored page, with the sources that the caller may know; null if the caller may see no such page. */
  page(url: PageUrl, signal?: AbortSignal): Promise<Page | null>
  /** Which pages in the index the caller may see now; null for all. */
  limits(): Promise<PageLimits | null>
  /** Whether the index has the page, but the key is not allowed to read it. While the index is away: true if any page has readers. */
  keepsOut(url: PageUrl): Promise<boolean>
  /** The other appliance that should read a page, because it was found there; null if this appliance's reader should. */
  holderOf(url: PageUrl): Promise<Peer | null>
  /**
   * The current text of a visible page in the index, read the way its source reads it, and never beyond the caller's
   * scope. The caller must be allowed to know the source.
   */
  reread(url: PageUrl, options: RereadOptions): Promise<Reread>
  /** Reads no address out of scope, wherever redirects lead. */
  readonly reader: LiveReader
  /** The names of sources and collections that the caller may request and see. */
  readonly names: KnownNames
  /** Tests whether an address may be read, or named in an answer. */
  addresses(): Promise<AddressTest>
}

export interface ReachParts {
  readonly engine: Pick<Engine, "search" | "get" | "suggest" | "facets">
  readonly reader: LiveReader
  /** Rereads pages in the index; if left out, pages are not reread. */
  readonly rereader?: Pick<Rereader, "read" | "readLive"> | undefined
  readonly collections: NameParts["collections"]
  readonly sourceNames: NameParts["sourceNames"]
  readonly readers: LimitParts["readers"]
  /** Tests whether an address belongs to any of these sources. */
  readonly sites: (sources: readonly string[]) => Promise<AddressTest>
  /** Searches other appliances in addition to the engine; left out if there are none. These searches don't count as searches at the gate. */
  readonly federated?: ((own: Pick<Engine, "search">) => Pick<Engine, "search">) | undefined
  /** Finds the other appliance where a page was recently found; left out if there are no other appliances. */
  readonly holderOf?: ((url: PageUrl) => Peer | null) | undefined
  /** The gate for all searches and all reads of live pages. */
  readonly gates: Gates
}

/** A key or person with a scope; their turns are counted by id. */
export interface Seeker extends Limited {
  readonly id: string
  /** Whether the searches wait as long as needed: for background work. */
  readonly isPatient?: boolean
}

/**
 * What `seeker` may see. This is the only place where a scope takes effect. In the index, `seeker` may see pages of its
 * sources and domains; on the web, addresses on its domains and, if it has sources, addresses that belong to one of
 * them.
 *
 * @param memory the memory of the call; left out for work outside a call
 */
export function reachOf(
  { id, scope, principals, isPatient = false }: Seeker,
  parts: ReachParts,
  memory?: Pick<CallHold, "hold">,
): Reach {
  const { gates } = parts
  const limits = () => pageLimits({ scope, principals }, parts)
  const stored = () => indexLimits({ scope, principals }, parts)
  const isLimited = limitsPages(scope) || principals !== null
  const byTurns: Pick<Engine, "search"> = {
    // It has already been decided above which other appliances to ask.
    search: ({ peers: _peers, ...query }: FederatedQuery, options) =>
      gates.searches.run(() => parts.engine.search(query, options), {
        key: id,
        signal: options?.signal,
        isPatient,
      }),
  }
  const all = parts.federated?.(byTurns) ?? byTurns
  const engine = memory === undefined ? all : holding(all, memory)
  const addresses = async (): Promise<AddressTest> => {
    const now = await limits()
    if (now === null) return () => true
    const ofSources = now.sources === null ? () => true : await parts.sites(now.sources)
    const onDomains = now.domains === null ? () => true : domainTest(now.domains)
    const hidden = now.readable?.hidden ?? []
    const ofHidden = hidden.length === 0 ? () => false : await parts.sites(hidden)
    return (url) => onDomains(url) && ofSources(url) && !ofHidden(url)
  }
  const page: Reach["page"] = async (url, signal) => {
    const held = await gates.searches.run(() => parts.engine.get(url), { key: id, signal })
    const found = scopedPage(held, await stored())
    if (found !== null) memory?.hold(found.markdown.length)
    return found
  }
  /** The page in the index, with its readers, if it has any; null if there is no such page; undefined if the index is away. */
  const indexed = async (url: PageUrl): Promise<Page | null | undefined> => {
    try {
      return await parts.engine.get(url)
    } catch (error) {
      if (error instanceof EngineError) return undefined
      throw error
    }
  }
  const keepsOut: Reach["keepsOut"] = async (url) => {
    const readable = (await limits())?.readable ?? null
    return readable !== null && isHidden(await indexed(url), readable)
  }
  /**
   * Reads a page with the rights of its source if it is in the index and in scope. Checks readers here and at redirect
   * targets.
   */
  const readLive = async (text: string, options: ReadOptions): Promise<ReadResult> => {
    const { reader, rereader } = parts
    const url = toPageUrl(text)
    const now = url && (await limits())
    const readable = now?.readable ?? null
    const held = url && (rereader || readable) ? await indexed(url) : null
    if (readable !== null && isHidden(held, readable)) return ELSEWHERE
    const known = scopedPage(held ?? null, now)
    const found = (known && (await rereader?.readLive(known, options))) ?? (await reader.read(text, options))
    if (found.kind !== "read" || principals === null) return found
    const { extracted, url: end } = found.reading
    const mayBeRead = mayRead(new Set(principals), extracted.ownReaders ?? EVERYBODY)
    return mayBeRead && (end === url || !(await keepsOut(end))) ? found : ELSEWHERE
  }
  return {
    engine: isLimited ? scopedEngine(engine, limits) : engine,
    facets: (query, signal) =>
      gates.searches.run(
        async () => {
          const now = await stored()
          const filter = now === null ? (query.filter ?? {}) : narrowed(query.filter ?? {}, now)
          if (filter === null) return noFacets(query)
          const found = await parts.engine.facets({ ...query, filter }, signal ? { signal } : {})
          // Counts exclude pages out of reach, so if the caller is limited only by readers, every counted source may be
          // named.
          const areKnown = now === null || (now.sources === null && now.domains === null)
          return areKnown ? found : withKnownSources(found, now.sources ?? [])
        },
        { key: id, signal, isPatient },
      ),
    // A suggestion takes a millisecond or two, so it doesn't wait for a turn.
    suggest: async (query) => {
      const now = await stored()
      const filter = now === null ? (query.filter ?? {}) : narrowed(query.filter ?? {}, now)
      return filter === null ? [] : await parts.engine.suggest({ ...query, filter })
    },
    page,
    async reread(url, options) {
      const { rereader } = parts
      if (rereader === undefined)
        return { kind: "refused", because: "this appliance doesn't read pages live" }
      try {
        const held = await page(url, options.signal)
        if (held === null) return { kind: "refused", because: "the page is no longer in the index" }
        const now = await gates.reads.run(() => rereader.read(held, options), {
          key: id,
          signal: options.signal,
        })
        if (now.kind !== "changed") return now
        if (now.page.url !== url && !(await addresses())(now.page.url))
          return { kind: "unread", end: ELSEWHERE }
        // The page's readers might have changed since the last visit.
        if (scopedPage(now.page, await limits()) === null) return { kind: "unread", end: ELSEWHERE }
        memory?.hold(now.page.markdown.length)
        return now
      } catch (error) {
        if (options.signal.aborted) return { kind: "unread", end: CANCELLED }
        throw error
      }
    },
    limits,
    keepsOut,
    names: knownNames({ scope, principals }, parts),
    addresses,
    async holderOf(url) {
      const peer = parts.holderOf?.(url) ?? null
      const now = await limits()
      if (peer === null || now === null) return peer
      return pageTest(now)(url, [sourceOfPeer(peer.spec.name)], []) ? peer : null
    },
    reader: {
      async read(url, options = {}) {
        const admitted: ReadOptions = isLimited ? { ...options, admits: await addresses() } : options
        try {
          return await gates.reads.run(() => readLive(url, admitted), { key: id, signal: options.signal })
        } catch (error) {
          if (options.signal?.aborted) return CANCELLED
          throw error
        }
      },
      async sitemap(site, options) {
        const admitted = isLimited ? { ...options, admits: await addresses() } : options
        try {
          return await gates.reads.run(() => parts.reader.sitemap(site, admitted), {
            key: id,
            signal: options.signal,
          })
        } catch (error) {
          if (options.signal?.aborted) return []
          throw error
        }
      },
    },
  }
}

/** Whether the page must be hidden from the caller. While the index is away, it is unknown who may read a page. */
const isHidden = (page: Page | null | undefined, readable: Readable): boolean =>
  page === undefined || (page !== null && !isReadable(readable, sourcesOf(page), page.readers))

const CANCELLED = { kind: "failed", because: "cancelled", detail: "the call has ended" } as const
const ELSEWHERE = { kind: "skipped", because: "out-of-scope" } as const

const withKnownSources = ({ facets, ...counted }: FacetCounts, known: readonly string[]): FacetCounts => ({
  ...counted,
  facets: facets.map(({ field, values }) => ({
    field,
    values: field === "source" ? values.filter(({ value }) => known.includes(value)) : values,
  })),
})

import { isDegradedPart, leaveOut } from "#base/flow/degraded.ts"
import type { Engine, Hit, Query, Rule, SearchResult } from "#engine"
import type { WordStatistics } from "#engine/engine.ts"
import { merged } from "#engine/search/federation/merge.ts"
import { amongOthers } from "#engine/search/stages/language-notice.ts"
import { wordsOf } from "#engine/text/query-text.ts"
import { statisticsOf, sumOf } from "#engine/search/ranking/word-statistics.ts"

import { type PeerAnswer, type PeerFacet, readAnswer, readStatistics } from "./answer-schema.ts"
import { EVIDENCE_VERSION, fromWire, hitOf, toWire } from "./evidence.ts"
import { fitsQuery } from "./fits-query.ts"
import { type Peer, PeerError, type PeerState } from "./peer.ts"
import { peerOfSource, sourceOfPeer } from "./peers-file.ts"

/** A question that can be handed on to peers. */
export interface PeersAsked {
  /** The body of the POST /search that asked the question, or of an equivalent one. */
  readonly body: Readonly<Record<string, unknown>>
  /** Number of times that the question has been handed on. */
  readonly hops: number
}

export interface FederatedQuery extends Query {
  /** The question for peers; if left out, only our own index is asked. */
  readonly peers?: PeersAsked
}

/** One peer's reply, for the answer. */
export interface PeerReport {
  readonly name: string
  readonly state: PeerState
  /** Number of pages that the peer returned, before they were merged with the others. */
  readonly results: number
  /** Why the peer gave no reply; continues a sentence whose subject is the peer. */
  readonly because?: string
}

export interface FederatedResult extends SearchResult {
  /** One report for each peer in the request, in the order of the peers file; left out if there were none. */
  readonly peers?: readonly PeerReport[]
  /** Facet counts from the peers, by peer name. */
  readonly peerFacets?: ReadonlyMap<string, readonly PeerFacet[]>
}

export interface FederatedParts {
  readonly peers: readonly Peer[]
  /** Maximum number of hops: questions that have been handed on this many times are answered only from this appliance's index. */
  readonly mostHops: number
  /** The operator's rules. */
  readonly rules: () => Promise<readonly Rule[]>
  /** Number of pages in our own index. */
  readonly pages: () => Promise<number>
  readonly onAnswer: (peer: string, state: PeerState) => void
  /** Called for each hit, to record which peer has the page. */
  readonly onHit: (hit: Hit) => void
}

/** Request fields that are passed on unchanged. The others concern only this appliance, or are set from the query. */
const HANDED_ON = [
  "topic",
  "time_range",
  "start_date",
  "end_date",
  "days",
  "exclude_domains",
  "types",
  "topics",
  "paths",
  "versions",
  "country",
  "language",
  "filter_by_language",
  "filter_by_published_date",
  "safe_search",
  "exact_match",
  "include_facets",
  "max_age_hours",
  "max_hours",
  "cache_fallback",
] as const
/** Share of a peer's answer time in which it may read pages again. */
const READING_SHARE = 0.5
const MOST_RESULTS = 50
const MOST_PASSAGES = 3

/**
 * Our own index and our peers as one engine. In a first round, each of them reports how many pages contain each word of
 * the question. In a second round, each ranks its pages by the sums, so that their scores are comparable; the final
 * ranking is then made from all results. The filters of the query are checked again here, whatever a peer claims.
 *
 * @param own our own index, limited to the caller's reach and searched in the caller's turns
 */
export function federatedEngine(own: Pick<Engine, "search">, parts: FederatedParts): Pick<Engine, "search"> {
  return {
    search: async (query: FederatedQuery, options = {}): Promise<FederatedResult> => {
      const { peers: asked, ...alone } = query
      const sources = query.filter?.sources ?? []
      const ours = sources.filter((name) => peerOfSource(name) === null)
      const peers =
        asked === undefined || asked.hops >= parts.mostHops
          ? []
          : wantedOf(parts.peers, sources, query.filter?.excludeSources)
      const asksOwn = sources.length === 0 || ours.length > 0
      const ownQuery = { ...alone, filter: { ...query.filter, sources: ours } }
      if (peers.length === 0 || query.limit < 1) {
        return asksOwn ? await own.search(ownQuery, options) : { hits: [] }
      }
      return await ask(
        { query, ownQuery: asksOwn ? ownQuery : null, asked: asked!, peers },
        own,
        parts,
        options.signal,
      )
    },
  }
}

const wantedOf = (
  peers: readonly Peer[],
  sources: readonly string[],
  excluded: readonly string[] = [],
): readonly Peer[] =>
  peers.filter(({ spec }) => {
    const name = sourceOfPeer(spec.name)
    return (sources.length === 0 || sources.includes(name)) && !excluded.includes(name)
  })

interface Asking {
  readonly query: Query
  /** The query for our own index; `null` if our own index is not part of the search. */
  readonly ownQuery: Query | null
  readonly asked: PeersAsked
  readonly peers: readonly Peer[]
}

interface Call {
  readonly peer: Peer
  readonly hops: number
  readonly deadline: AbortSignal
  readonly signal: AbortSignal | undefined
}

async function ask(
  { query, ownQuery, asked, peers }: Asking,
  own: Pick<Engine, "search">,
  parts: FederatedParts,
  signal: AbortSignal | undefined,
): Promise<FederatedResult> {
  const options = signal ? { signal } : {}
  const failures = new Map<Peer, PeerError>()
  const calls = peers.map((peer): Call => ({
    peer,
    hops: asked.hops + 1,
    // The timeout starts now and covers both rounds.
    deadline: AbortSignal.timeout(peer.spec.timeoutMs),
    signal,
  }))
  const tried = async <T>({ peer }: Call, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      failures.set(peer, error)
      return undefined
    }
  }
  const told = await Promise.all([
    ownQuery && ownStatistics(own, ownQuery, parts, options),
    ...calls.map((call) => tried(call, statisticsAt(call, bodyFor(query, asked, call.peer)))),
  ])
  const known = told.filter((one) => one !== null && one !== undefined)
  const statistics = known.length > 0 ? sumOf(known) : undefined
  const [ownFound, ...answers] = await Promise.all([
    ownQuery && own.search({ ...ownQuery, withEvidence: true, ...(statistics && { statistics }) }, options),
    ...calls
      .filter(({ peer }) => !failures.has(peer))
      .map(async (call) => ({
        peer: call.peer,
        answer: await tried(call, answerOf(call, bodyFor(query, asked, call.peer), statistics)),
      })),
  ])
  const admits = fitsQuery(query)
  const found = answers.flatMap(({ peer, answer }) => {
    if (answer === undefined) return []
    const hits = answer.results.flatMap((result) => hitOf(result, peer.spec.name) ?? []).filter(admits)
    for (const part of answer.degraded ?? []) if (isDegradedPart(part)) leaveOut(part)
    const { reach, nowhere } = answer.evidence
    return [{ peer, hits, reach, nowhere, facets: answer.facets ?? [] }]
  })
  if (failures.size > 0) leaveOut("peers")
  const hits = await merged({ ...query, rules: query.rules ?? (await parts.rules()) }, [
    ownFound ?? { hits: [] },
    ...found,
  ])
  const shown = query.withEvidence ? hits : hits.map(({ evidence: _evidence, ...hit }) => hit)
  for (const hit of shown) parts.onHit(hit)
  const { languageNotice, ...ownResult } = ownFound ?? {}
  const notice = languageNotice && amongOthers(languageNotice, shown)
  return {
    ...ownResult,
    hits: shown,
    ...(notice && { languageNotice: notice }),
    peers: peers.map((peer): PeerReport => {
      const failure = failures.get(peer)
      const state = failure?.state ?? "answered"
      parts.onAnswer(peer.spec.name, state)
      const results = found.find((one) => one.peer === peer)?.hits.length ?? 0
      return { name: peer.spec.name, state, results, ...(failure && { because: failure.message }) }
    }),
    peerFacets: new Map(found.map(({ peer, facets }) => [peer.spec.name, facets])),
  }
}

async function ownStatistics(
  own: Pick<Engine, "search">,
  query: Query,
  { pages }: Pick<FederatedParts, "pages">,
  options: { readonly signal?: AbortSignal },
): Promise<WordStatistics> {
  const [count, { rarity }] = await Promise.all([
    pages(),
    own.search({ ...query, limit: 0, rarityOnly: true }, options),
  ])
  return statisticsOf(count, rarity ?? new Map<string, number>())
}

/** The peer's word statistics; null if it returns none because the key can't see all of its pages. */
async function statisticsAt({ peer, ...call }: Call, body: object): Promise<WordStatistics | null> {
  const asked = { ...body, max_results: 0, include_raw_content: false, include_word_statistics: true }
  const { told } = await peer.ask(
    "/search",
    asked,
    (answer) => {
      const statistics = readStatistics(answer)
      return statistics === null ? null : { told: statistics }
    },
    call,
  )
  return told === undefined ? null : fromWire(told)
}

async function answerOf(
  { peer, ...call }: Call,
  body: object,
  statistics: WordStatistics | undefined,
): Promise<PeerAnswer> {
  const asked = {
    ...body,
    include_evidence: true,
    ...(statistics && { word_statistics: toWire(statistics) }),
  }
  return await peer.ask(
    "/search",
    asked,
    (answer) => {
      const read = readAnswer(answer)
      return read?.evidence.version === EVIDENCE_VERSION ? read : null
    },
    call,
  )
}

/** The question as sent to a peer, limited to what our own caller may see, insofar as the parameters can express that. */
function bodyFor(
  { filter = {}, limit, depth, passagesPerPage, withMarkdown }: Query,
  { body }: PeersAsked,
  { spec }: Peer,
): Readonly<Record<string, unknown>> {
  const given = HANDED_ON.filter((field) => body[field] !== undefined).map((field) => [field, body[field]])
  return {
    ...Object.fromEntries(given),
    query: body["query"],
    ...(depth !== undefined && { search_depth: depth }),
    max_results: Math.min(MOST_RESULTS, Math.floor(limit)),
    ...(passagesPerPage !== undefined && {
      chunks_per_source: Math.min(MOST_PASSAGES, Math.max(1, passagesPerPage)),
    }),
    include_raw_content: withMarkdown === false ? false : "markdown",
    ...(filter.includeDomains?.length
      ? { include_domains: filter.includeDomains }
      : body["include_domains_mode"] !== undefined && {
          include_domains: body["include_domains"],
          include_domains_mode: body["include_domains_mode"],
        }),
    ...(filter.excludeDomains?.length && { exclude_domains: filter.excludeDomains }),
    ...(spec.sources !== null && { sources: spec.sources }),
    ...fetchTimeout(body, spec.timeoutMs),
  }
}

/** How long a peer may take to read pages again: never longer than we would wait for it. */
function fetchTimeout(
  { max_age_hours: age, max_hours: alias, fetch_timeout: seconds }: PeersAsked["body"],
  timeoutMs: number,
): { readonly fetch_timeout?: number } {
  if (age === undefined && alias === undefined) return {}
  const most = (timeoutMs / 1000) * READING_SHARE
  return { fetch_timeout: typeof seconds === "number" ? Math.min(seconds, most) : most }
}

/** An engine that passes every question on, for work that searches without a request, such as research. */
export const handingOn = (engine: Pick<Engine, "search">): Pick<Engine, "search"> => ({
  search: async (query, options) => {
    const peers: PeersAsked = { body: { query: wordsOf(query.text) }, hops: 0 }
    const asked: FederatedQuery = { ...query, peers }
    return await engine.search(asked, options)
  },
})

import type { AppliedRule, Rule } from "./search/rules/rule.ts"
import type { Fingerprint } from "./index/page/fingerprint.ts"
import type { QueryText } from "./text/query-text.ts"
import type { Page, PageImage, PageTopic } from "./index/page/page.ts"
import type { PageReaders } from "./index/page/readers.ts"
import type { PageType } from "./index/page/page-type.ts"
import type { Passage } from "./index/page/passage.ts"
import type { PageUrl } from "./index/page/page-url.ts"
import type { ShippedModel } from "./shipped-models.ts"

/**
 * A searchable set of pages, keyed by {@link PageUrl}.
 *
 * Promises that every adapter keeps and `testing/engine-contract.ts` tests:
 * - `index()` replaces an existing page. When it resolves, `search()` on this engine finds the page by its text, and
 * the page survives `kill -9`. Vectors are created later from a durable queue: `settled()` waits for it,
 * `stats().pagesWithoutVectors` counts it.
 * - `remove()` forgets pages; when it resolves, `search()` and `get()` no longer find them. Removing an unknown page is
 * not an error.
 * - `search()` never waits for a running `index()`, and never blocks the event loop for long.
 * - Another process that opened the same index for reading sees a change within `supports.readerLagMs`.
 * - Only one process at a time can open an index for writing; a second one gets `INDEX_LOCKED`.
 * - The caller that opened the engine closes it. Closing loses no acknowledged page and no queued vector.
 *
 * Failures are {@link EngineError}s with a stable `code`.
 */
export interface Engine extends AsyncDisposable {
  readonly supports: EngineSupports
  index(pages: readonly Page[]): Promise<void>
  /**
   * Like {@link Engine.index}, with vectors created earlier by the same embedder, for pages that come from another
   * index. A page whose vectors are `null`, or whose number of vectors differs from its number of passages, gets them
   * from the queue.
   */
  load(pages: readonly PageWithVectors[]): Promise<void>
  remove(urls: readonly PageUrl[]): Promise<void>
  search(query: Query, options?: { signal?: AbortSignal }): Promise<SearchResult>
  /** Counts, for some fields, how many of the pages that match a question have each value: see `facets/`. */
  facets(query: FacetQuery, options?: { signal?: AbortSignal }): Promise<FacetCounts>
  /**
   * Titles and headings of pages that match what the user has typed so far, best first, each text once. Pages that are
   * being indexed can be missing for a moment.
   */
  suggest(query: SuggestionQuery): Promise<readonly Suggestion[]>
  /** The stored page, or `null`. */
  get(url: PageUrl): Promise<Page | null>
  /** Names of the sources that a page belongs to, starting with the one that read it; empty if the index doesn't contain it. Cheaper than {@link get}. */
  holdersOf(url: PageUrl): Promise<readonly string[]>
  /**
   * Every page with the vectors it has, in the order of {@link pageId}, in its state at the time it is returned: a page
   * that is indexed or removed in the meantime may or may not be included. `after` skips that id and all before it.
   */
  allPages(options?: { after?: string; signal?: AbortSignal }): AsyncIterable<PageWithVectors>
  /** The given pages that are in the index, with the vectors they have, in any order. */
  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]>
  /** How much of a page can be found by searches, or `null` if the index doesn't contain the page. */
  coverage(url: PageUrl): Promise<PageCoverage | null>
  stats(): Promise<EngineStats>
  /** Number of pages per language (ISO 639-1); "" for an unknown language. */
  languages(): Promise<ReadonlyMap<string, number>>
  /** Counts pages by sources and label of readers. */
  pagesByReaders(): Promise<readonly PagesOfReaders[]>
  /** Like {@link EngineStats.pagesWithoutVectors}, for the pages of one source. */
  pagesWithoutVectors(source: string): Promise<number>
  /** Resolves when every page indexed so far has its vectors. */
  settled(): Promise<void>
}

/** Optional abilities of an adapter, in addition to the promises that every adapter keeps. */
export interface EngineSupports {
  readonly adapter: string
  /** Whether a misspelt query word still finds its page. Default: false. */
  readonly typoTolerance: boolean
  /** Whether phrases are matched word for word. Default: true. */
  readonly exactPhrase: boolean
  /** Milliseconds after which a reader in another process sees a change. */
  readonly readerLagMs: number
}

/** The effort to spend on a search; each level gives better results than the one before and takes longer. */
export type SearchDepth = "ultra-fast" | "fast" | "basic" | "advanced"

export interface Query {
  /**
   * The question as asked, with the operators of `query-text.ts`: quoted phrases (the first 32 distinct ones; pages
   * with all of them come first), `-word`, `site:host`, `-site:host`; or already parsed. An empty text finds nothing.
   */
  readonly text: string | QueryText
  /** Number of pages to return, at least 0. */
  readonly limit: number
  readonly filter?: PageFilter
  /** Pages to rank higher than their text alone would. */
  readonly preference?: PagePreference
  /** The operator's ranking rules. Default: none. */
  readonly rules?: readonly Rule[]
  /** Default `basic`. */
  readonly depth?: SearchDepth
  /** Number of best passages to return for each page. Default 3. */
  readonly passagesPerPage?: number
  /** If false, {@link Hit.markdown} is empty, which saves reading it, the largest cost for long pages. Default true. */
  readonly withMarkdown?: boolean
  /** `lexical` and `vector` each use only one of the two arms, for benchmarks and when no vectors are wanted. Default `hybrid`. */
  readonly arms?: "hybrid" | "lexical" | "vector"
  /**
   * How many pages contain each word, if this index is one of several being searched: words are weighted by these
   * numbers. Default: the numbers of this index alone.
   */
  readonly statistics?: WordStatistics
  /** If true, no hits are searched for: the result only has {@link SearchResult.rarity}, for all terms that the ranking would weigh. Default false. */
  readonly rarityOnly?: boolean
  /** Whether hits include their {@link Hit.evidence}. Default false. */
  readonly withEvidence?: boolean
}

/** How many of a set of pages contain each word. */
export interface WordStatistics {
  readonly pages: number
  /** Number of pages by term, as produced by the engine's analysis; a term missing here is weighted by the index itself. */
  readonly words: ReadonlyMap<string, number>
}

/** All given conditions must hold. An empty list counts as not given, except for readers. */
export interface PageFilter {
  /**
   * A registrable domain matches itself and its subdomains; any other host matches only itself. With a port
   * (`localhost:8080`), a domain matches only on that port.
   */
  readonly includeDomains?: readonly string[]
  readonly excludeDomains?: readonly string[]
  /** Pages with a known date before this are dropped. */
  readonly publishedFrom?: Date
  /** Pages with a known date at or after this are dropped. */
  readonly publishedBefore?: Date
  /** Whether a date bound also drops pages without a known date. Default false. */
  readonly requirePublished?: boolean
  /** ISO 639-1. Pages in other or unknown languages are dropped. */
  readonly languages?: readonly string[]
  /** Pages that belong to none of these sources are dropped. */
  readonly sources?: readonly string[]
  /** Pages that belong to one of these sources are dropped. */
  readonly excludeSources?: readonly string[]
  /** Pages of other types are dropped. */
  readonly types?: readonly PageType[]
  /** Whether to drop pages that are `unsafe`. Default false. */
  readonly safe?: boolean
  /** Pages on other topics, or on none, are dropped. */
  readonly topics?: readonly PageTopic[]
  /** Pages whose address is in none of these folders are dropped, and so are those in a folder prefixed with `!`: see `isAmong` in `page/address-parts.ts`. */
  readonly paths?: readonly string[]
  /** Pages whose address names none of these versions are dropped: see `versionOf` in `page/address-parts.ts`. */
  readonly versions?: readonly string[]
  /**
   * Labels of readers, as produced by `readersLabel`: pages with any other label are dropped. An empty list drops every
   * page that has readers. Default: all pages pass.
   */
  readonly readers?: readonly string[]
  /** Every phrase must be in the page's title or text, as whole words, ignoring case and white space. */
  readonly phrases?: readonly string[]
}

export const FACET_FIELDS = [
  "source",
  "domain",
  "path",
  "version",
  "language",
  "type",
  "topic",
  "published",
] as const

/** `domain` is the registrable domain, `path` a folder of addresses (`//host/folder` if they are on several sites), `published` the year (UTC). */
export type FacetField = (typeof FACET_FIELDS)[number]

export interface FacetQuery extends Pick<Query, "text" | "filter" | "rules"> {
  readonly fields: readonly FacetField[]
  /** Additional pages to count, whatever words they contain: those that a search found by their meaning. */
  readonly also?: readonly PageUrl[]
}

export interface FacetValue {
  readonly value: string
  /** Number of pages. A page that belongs to several sources is counted for each. */
  readonly count: number
}

export interface Facet {
  readonly field: FacetField
  /** Most frequent values first; pages without a value aren't counted. */
  readonly values: readonly FacetValue[]
}

export interface FacetCounts {
  /** Number of pages counted. */
  readonly pages: number
  /** False if more pages match: in that case, only the best were counted. */
  readonly isExact: boolean
  /** One entry for each field, in the same order. */
  readonly facets: readonly Facet[]
}

/** The text that the user has typed so far. */
export interface SuggestionQuery {
  /** Words, the last of which may be incomplete; without a word nothing is suggested. */
  readonly text: string
  /** Maximum number of suggestions. */
  readonly limit: number
  readonly filter?: SuggestionFilter
}

/** As in {@link PageFilter}. */
export type SuggestionFilter = Pick<PageFilter, "sources" | "excludeSources" | "includeDomains" | "readers">

export interface Suggestion {
  readonly text: string
  readonly kind: "title" | "heading"
  /** The page that the title or heading belongs to. */
  readonly url: string
}

/** The effects of all given preferences add up; an empty list counts as not given. Preferences drop no pages. */
export interface PagePreference {
  /** As in {@link PageFilter.includeDomains}. */
  readonly domains?: readonly string[]
  /** ISO 639-1. */
  readonly languages?: readonly string[]
  /** ISO 3166-1 alpha-2, lower case. */
  readonly countries?: readonly string[]
  readonly topic?: PageTopic
  /** Pages that are more recent as of this time rank higher; pages without a date gain nothing. */
  readonly recentAt?: Date
}

export interface SearchResult {
  /** Best first; scores never rise from one hit to the next. */
  readonly hits: readonly Hit[]
  /**
   * The inverse document frequency of each of the question's terms, and of the corrections of misspelt ones, among all
   * pages, as in BM25: 0 or more.
   */
  readonly rarity?: ReadonlyMap<string, number>
  /** The reason, for any reader, why meaning was left out although the query asked for it; `undefined` if it wasn't left out. */
  readonly wordsAlone?: string
  /** The reason, for any reader, why the reranker was left out although the settings ask for it; `undefined` if it wasn't left out. */
  readonly notReranked?: string
  /** Omitted if the question's language isn't clear, if the caller names languages, or if pages and model fit the language. */
  readonly languageNotice?: LanguageNotice
  /** Misspelt words of the question in lower case, each with the word that replaced it, taken from the hits; omitted if there are none. */
  readonly corrected?: ReadonlyMap<string, string>
  /** `QueryFacts.reach` of the ranking; only with {@link Query.withEvidence}. */
  readonly reach?: number
  /** `QueryFacts.nowhere` of the ranking; only with {@link Query.withEvidence}. */
  readonly nowhere?: number
}

/** The reasons why a question in its language might find little. */
export interface LanguageNotice {
  /** Language of the question (ISO 639-1); several languages if the question's script only narrows the language down to these. */
  readonly languages: readonly string[]
  /** Whether none, or hardly any, of the pages that could be found are in this language. */
  readonly isScarce: boolean
  /** The shipped model that supports the language of the question and the pages; omitted if the index's model supports it, or none does. */
  readonly betterModel?: ShippedModel
}

/** A page that is grouped with a hit instead of shown separately. */
export interface FoldedPage {
  readonly url: PageUrl
  readonly title: string
  readonly language: string | null
  /** `copy`: it has the same content; `translation`: it is the same page in another language; `version`: it is the same page in another version of its documentation. */
  readonly kind: "copy" | "translation" | "version"
}

export interface Hit {
  readonly url: PageUrl
  readonly title: string
  /** The calibrated probability, 0..1, that the page answers the query, as measured on judged collections. */
  readonly score: number
  /** Best first. */
  readonly passages: readonly HitPassage[]
  readonly description: string | null
  readonly markdown: string
  readonly language: string | null
  readonly author: string | null
  readonly publishedAt: Date | null
  readonly topic: PageTopic | null
  readonly country: string | null
  readonly unsafe: boolean
  readonly isListing?: true
  readonly type: PageType
  readonly fetchedAt: Date
  readonly images: readonly PageImage[]
  readonly favicon: string | null
  readonly source: string
  readonly sharedWith?: readonly string[]
  readonly readers?: readonly PageReaders[]
  /** Other pages with the same content, here or in another language, best first; omitted if there are none. */
  readonly folded?: readonly FoldedPage[]
  /** How the rank was computed, for `explain` and benchmarks. */
  readonly parts: HitParts
  /** The score before the page is penalized for what it lacks, and before preferences and boosts. Default: the score. */
  readonly match?: number
  /** Only with {@link Query.withEvidence}. */
  readonly evidence?: HitEvidence
  /** The operator's rules that affected the hit; omitted if none did. */
  readonly rules?: readonly AppliedRule[]
}

/** Facts about each hit that a ranking of hits from several indexes needs in addition to the hit's parts. */
export interface HitEvidence {
  readonly fingerprint: Fingerprint
  /** Whether the page has vectors relevant to the question. */
  readonly hasVectors: boolean
  /** Whether the page contains the phrases quoted in the question. */
  readonly holdsPhrases: boolean
  /** The share of the question's numbers that the page lacks, 0..1. */
  readonly lacksNumbers: number
}

/** Each score is 0..1, and 0 if it played no part in the rank. */
export interface HitParts {
  /** Score of the page's words. */
  readonly lexical: number
  /** Score of the words of the page's best passage. */
  readonly passage: number
  /** Score of the meaning of the page's nearest passage. */
  readonly vector: number
  /** Score of the meaning of each word of the page's best passage (late interaction). */
  readonly late: number
  /** The reranker's score of the page's best passage. */
  readonly rerank: number
  /** All of the scores combined. */
  readonly fused: number
  /**
   * The bonus for preferences and quoted phrases added to `fused`, minus the penalty for a page that mostly lists
   * others, or that is in a different language from the question.
   */
  readonly boost: number
}

export interface HitPassage {
  readonly text: string
  /** As in `Passage`. */
  readonly shown?: string
  readonly headings: readonly string[]
  /** As in `Passage`. */
  readonly anchor?: string
  /** As in `Passage`; for a passage that spans several pages, the one that best matches the question, if there is one. */
  readonly page?: string
  readonly pages?: NonNullable<Passage["pages"]>
  readonly beginsUnder?: string
  /** Position in the page, from 0. */
  readonly position: number
}

export interface PageWithVectors {
  readonly page: Page
  /** One for each passage, by position, each with {@link EngineStats.dimensions} values; `null` while the page is waiting for them. */
  readonly vectors: readonly Float32Array[] | null
}

/** The number of pages that have the same sources and the same readers. */
export interface PagesOfReaders {
  /** All sources of the pages. Indexes on servers have one row per source, and count a page that belongs to several sources once for each. */
  readonly sources: readonly string[]
  /** The `readersLabel`; `null` if anyone may read the pages. */
  readonly label: string | null
  readonly pages: number
}

export interface PageCoverage {
  readonly passages: number
  /** Number of passages with a vector for the page's current text; the rest are waiting for theirs and are found only by their text. */
  readonly vectors: number
}

export interface EngineStats {
  readonly pages: number
  readonly passages: number
  /** Number of pages found only by their text until their vectors are created. */
  readonly pagesWithoutVectors: number
  /** Number of passages on those pages. On Meilisearch, it is an estimate based on the mean of all pages. */
  readonly passagesWithoutVectors: number
  /** Number of passages per second that received their vectors during the last minute; `null` while none are being created, or if it is too early to tell. */
  readonly vectorsPerSecond: number | null
  readonly embedder: string
  readonly dimensions: number
}

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
 * Promises that every adapter keeps and `testing/engine-contract.ts` proves:
 * - `index()` replaces a page that is already there. When it resolves, `search()` on this engine finds the
 *   page by its text, and the page survives `kill -9`. Vectors follow from a durable queue: `settled()`
 *   waits for it, `stats().pagesWithoutVectors` counts it.
 * - `remove()` forgets pages; when it resolves, `search()` and `get()` no longer know them. Removing an
 *   unknown page is no error.
 * - `search()` never waits for a running `index()`, and never blocks the event loop for long.
 * - Another process that opened the same index for reading sees a change within `supports.readerLagMs`.
 * - One process at a time may open an index for writing; a second one gets `INDEX_LOCKED`.
 * - The caller that opened the engine closes it. Closing loses no acknowledged page and no queued vector.
 *
 * Failures are {@link EngineError}s with a stable `code`.
 */
export interface Engine extends AsyncDisposable {
  readonly supports: EngineSupports
  index(pages: readonly Page[]): Promise<void>
  /**
   * As {@link Engine.index}, with vectors that were made before by the same embedder: of pages that come from another
   * index. A page whose vectors are null, or are not one for each of its passages, gets them from the queue.
   */
  load(pages: readonly PageWithVectors[]): Promise<void>
  remove(urls: readonly PageUrl[]): Promise<void>
  search(query: Query, options?: { signal?: AbortSignal }): Promise<SearchResult>
  /** How many of the pages that match a question have each value of some fields: see `facets/`. */
  facets(query: FacetQuery, options?: { signal?: AbortSignal }): Promise<FacetCounts>
  /**
   * Titles and headings of pages by what the user has typed so far, best first, each text once. Pages that are being indexed may
   * be missing for a moment.
   */
  suggest(query: SuggestionQuery): Promise<readonly Suggestion[]>
  /** The stored page, or null. */
  get(url: PageUrl): Promise<Page | null>
  /** Names of the sources that hold a page, the one that read it first; none when the index does not hold it. Cheaper than {@link get}. */
  holdersOf(url: PageUrl): Promise<readonly string[]>
  /**
   * Every page with the vectors it has, in the order of {@link pageId}, as they are when their turn comes: a page that is
   * indexed or removed meanwhile may be among them or not. `after` leaves out that id and all before it.
   */
  allPages(options?: { after?: string; signal?: AbortSignal }): AsyncIterable<PageWithVectors>
  /** Those of these pages that the index holds, with the vectors they have, in any order. */
  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]>
  /** How much of a page searches can find, or null when the index does not hold it. */
  coverage(url: PageUrl): Promise<PageCoverage | null>
  stats(): Promise<EngineStats>
  /** Pages per language (ISO 639-1); "" for an unknown language. */
  languages(): Promise<ReadonlyMap<string, number>>
  /** Counts pages by their sources and label of readers. */
  pagesByReaders(): Promise<readonly PagesOfReaders[]>
  /** As {@link EngineStats.pagesWithoutVectors}, of the pages of one source. */
  pagesWithoutVectors(source: string): Promise<number>
  /** Resolves when every page indexed so far has its vectors. */
  settled(): Promise<void>
}

/** Optional abilities of an adapter, beyond the promises every adapter keeps. */
export interface EngineSupports {
  readonly adapter: string
  /** A misspelt query word still finds its page. Default: false. */
  readonly typoTolerance: boolean
  /** Phrases are looked for word by word. Default: true. */
  readonly exactPhrase: boolean
  /** Milliseconds after which a reader in another process sees a change. */
  readonly readerLagMs: number
}

/** How much work a search is worth; each finds better than the one before and takes longer. */
export type SearchDepth = "ultra-fast" | "fast" | "basic" | "advanced"

export interface Query {
  /**
   * The question as asked, with the operators of `query-text.ts`: quoted phrases (the first 32 different ones; pages
   * that hold all come first), `-word`, `site:host`, `-site:host`; or taken apart already. Empty text finds nothing.
   */
  readonly text: string | QueryText
  /** How many pages to return, at least 0. */
  readonly limit: number
  readonly filter?: PageFilter
  /** Pages that rank higher than their text alone would bring them. */
  readonly preference?: PagePreference
  /** The operator's ranking rules. Default: none. */
  readonly rules?: readonly Rule[]
  /** Default `basic`. */
  readonly depth?: SearchDepth
  /** Best passages to return for each page. Default 3. */
  readonly passagesPerPage?: number
  /** False leaves {@link Hit.markdown} empty, which saves reading it: of long pages it costs most. Default true. */
  readonly withMarkdown?: boolean
  /** `lexical` and `vector` leave one arm out; used by benches and when no vectors are wanted. Default `hybrid`. */
  readonly arms?: "hybrid" | "lexical" | "vector"
  /**
   * How many pages hold each word, when this index is one of several that are searched: words are weighted by these. Default: by
   * this index alone.
   */
  readonly statistics?: WordStatistics
  /** True finds nothing: the result has {@link SearchResult.rarity} alone, of all terms that the ranking would weigh. Default false. */
  readonly rarityOnly?: boolean
  /** Whether hits have their {@link Hit.evidence}. Default false. */
  readonly withEvidence?: boolean
}

/** How many of a set of pages hold each word. */
export interface WordStatistics {
  readonly pages: number
  /** By term, as the analysis of the engine makes them; a term that is missing here is weighed by the index itself. */
  readonly words: ReadonlyMap<string, number>
}

/** All given conditions must hold. An empty list counts as not given, except for readers. */
export interface PageFilter {
  /**
   * A registrable domain matches itself and its subdomains; any other host matches itself only. With a port behind it
   * (`localhost:8080`) only on that port.
   */
  readonly includeDomains?: readonly string[]
  readonly excludeDomains?: readonly string[]
  /** Pages with a known date before this are dropped. */
  readonly publishedFrom?: Date
  /** Pages with a known date at or after this are dropped. */
  readonly publishedBefore?: Date
  /** With a date bound: drop pages of unknown date too. Default false. */
  readonly requirePublished?: boolean
  /** ISO 639-1. Pages of other or unknown language are dropped. */
  readonly languages?: readonly string[]
  /** Pages that belong to none of these are dropped. */
  readonly sources?: readonly string[]
  /** Pages that belong to one of these are dropped. */
  readonly excludeSources?: readonly string[]
  /** Pages of other types are dropped. */
  readonly types?: readonly PageType[]
  /** Drop pages that are `unsafe`. Default false. */
  readonly safe?: boolean
  /** Pages of other topics, and of none, are dropped. */
  readonly topics?: readonly PageTopic[]
  /** Pages whose address is under none of these folders are dropped, and those under one behind `!`: see `isAmong` of `page/address-parts.ts`. */
  readonly paths?: readonly string[]
  /** Pages whose address names none of these versions are dropped: see `versionOf` of `page/address-parts.ts`. */
  readonly versions?: readonly string[]
  /**
   * Labels of readers, as `readersLabel` makes them: pages with any other label are dropped. An empty list drops every page that has
   * readers. Default: all pages pass.
   */
  readonly readers?: readonly string[]
  /** Every phrase must be in the page's title or text, whole words, ignoring case and white space. */
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

/** `domain` is the registrable one, `path` a folder of addresses (`//host/folder` where they are of several sites), `published` the year (UTC). */
export type FacetField = (typeof FACET_FIELDS)[number]

export interface FacetQuery extends Pick<Query, "text" | "filter" | "rules"> {
  readonly fields: readonly FacetField[]
  /** Pages that count besides, whatever words they hold: those that a search found by their meaning. */
  readonly also?: readonly PageUrl[]
}

export interface FacetValue {
  readonly value: string
  /** Pages. One that belongs to several sources counts for each. */
  readonly count: number
}

export interface Facet {
  readonly field: FacetField
  /** The most frequent first; pages without a value count for none. */
  readonly values: readonly FacetValue[]
}

export interface FacetCounts {
  /** Pages that were counted. */
  readonly pages: number
  /** False when more match: then the best were counted. */
  readonly isExact: boolean
  /** One for each field, in their order. */
  readonly facets: readonly Facet[]
}

/** The text that the user has typed so far. */
export interface SuggestionQuery {
  /** Words, the last of them perhaps half typed; without a word nothing is suggested. */
  readonly text: string
  /** At most. */
  readonly limit: number
  readonly filter?: SuggestionFilter
}

/** As in {@link PageFilter}. */
export type SuggestionFilter = Pick<PageFilter, "sources" | "excludeSources" | "includeDomains" | "readers">

export interface Suggestion {
  readonly text: string
  readonly kind: "title" | "heading"
  /** The page of the title or heading. */
  readonly url: string
}

/** All given ones add up; an empty list counts as not given. Nothing is dropped by them. */
export interface PagePreference {
  /** As in {@link PageFilter.includeDomains}. */
  readonly domains?: readonly string[]
  /** ISO 639-1. */
  readonly languages?: readonly string[]
  /** ISO 3166-1 alpha-2, lower case. */
  readonly countries?: readonly string[]
  readonly topic?: PageTopic
  /** The younger at this time the better; pages without a date gain nothing. */
  readonly recentAt?: Date
}

export interface SearchResult {
  /** Best first; scores never rise from one hit to the next. */
  readonly hits: readonly Hit[]
  /**
   * The inverse document frequency of each of the question's terms, and of the corrections of misspelt ones, among all pages, as
   * BM25 has it: 0 and more.
   */
  readonly rarity?: ReadonlyMap<string, number>
  /** Why meaning was left out although the query asked for it, for any reader. Undefined when it was not. */
  readonly wordsAlone?: string
  /** Why the reranker was left out although the settings ask for it, for any reader. Undefined when it was not. */
  readonly notReranked?: string
  /** Left out where the question's language is not clear, where the caller names languages, and where pages and model fit it. */
  readonly languageNotice?: LanguageNotice
  /** Words of the question that are misspelt, lower case, each with the word of the hits that it was taken for; left out where none is. */
  readonly corrected?: ReadonlyMap<string, string>
  /** As `QueryFacts.reach` of the ranking has it: with {@link Query.withEvidence}, else left out. */
  readonly reach?: number
  /** As `QueryFacts.nowhere` of the ranking has it: with {@link Query.withEvidence}, else left out. */
  readonly nowhere?: number
}

/** Why a question in its language may find little. */
export interface LanguageNotice {
  /** Language of the question, ISO 639-1; several when its script only narrows it down to these. */
  readonly languages: readonly string[]
  /** Whether none of the pages that could be found is in it, or hardly any. */
  readonly isScarce: boolean
  /** The shipped model that reads the question and the pages; left out where that of the index reads them, or none does. */
  readonly betterModel?: ShippedModel
}

/** A page that is grouped behind a hit instead of shown beside it. */
export interface FoldedPage {
  readonly url: PageUrl
  readonly title: string
  readonly language: string | null
  /** `copy`: it says the same; `translation`: the same page in another language; `version`: in another version of its documentation. */
  readonly kind: "copy" | "translation" | "version"
}

export interface Hit {
  readonly url: PageUrl
  readonly title: string
  /** Calibrated, 0..1: the chance, as measured on judged collections, that the page answers the query. */
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
  /** Pages found besides that say the same, here or in another language, best first; left out where there is none. */
  readonly folded?: readonly FoldedPage[]
  /** How the rank came about, for `explain` and benches. */
  readonly parts: HitParts
  /** The score before what the page lacks counts against it, and before preferences and boosts. Default: the score. */
  readonly match?: number
  /** With {@link Query.withEvidence}, else left out. */
  readonly evidence?: HitEvidence
  /** The operator's rules that had a part in it; left out where none had. */
  readonly rules?: readonly AppliedRule[]
}

/** What a ranking of hits from several indexes needs about each hit besides its parts. */
export interface HitEvidence {
  readonly fingerprint: Fingerprint
  /** Whether it has vectors that say anything of the question. */
  readonly hasVectors: boolean
  /** Whether it holds the phrases that the question quotes. */
  readonly holdsPhrases: boolean
  /** The share of the question's numbers that it lacks, 0..1. */
  readonly lacksNumbers: number
}

/** Each 0..1, and 0 where it had no part in the rank. */
export interface HitParts {
  /** The page's words. */
  readonly lexical: number
  /** The words of its best passage. */
  readonly passage: number
  /** The meaning of its nearest passage. */
  readonly vector: number
  /** The meaning of each word of its best passage (late interaction). */
  readonly late: number
  /** The reranker's score of its best passage. */
  readonly rerank: number
  /** All of them together. */
  readonly fused: number
  /**
   * The bonus of preferences and quoted phrases on `fused`, minus the loss of a page that mostly lists others, or that is in
   * another language than the question.
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
  /** As in `Passage`; for a passage that runs over several pages, the one that best matches the question, if there is one. */
  readonly page?: string
  readonly pages?: NonNullable<Passage["pages"]>
  readonly beginsUnder?: string
  /** Position in the page, from 0. */
  readonly position: number
}

export interface PageWithVectors {
  readonly page: Page
  /** One for each passage, by position, of {@link EngineStats.dimensions} each; null while the page waits for them. */
  readonly vectors: readonly Float32Array[] | null
}

/** A count of pages with the same sources and the same readers. */
export interface PagesOfReaders {
  /** All sources of the pages. Indexes on servers give one source a row and count a page of several once for each. */
  readonly sources: readonly string[]
  /** As `readersLabel` makes it; null: everyone may read them. */
  readonly label: string | null
  readonly pages: number
}

export interface PageCoverage {
  readonly passages: number
  /** Passages with a vector of what the page says now; the rest wait for theirs and are found by their text. */
  readonly vectors: number
}

export interface EngineStats {
  readonly pages: number
  readonly passages: number
  /** Pages found by their text only, until their vectors are made. */
  readonly pagesWithoutVectors: number
  /** Passages of those pages. On Meilisearch about, by the mean of all pages. */
  readonly passagesWithoutVectors: number
  /** Passages that got their vectors in a second, over the last minute; null while none are made, or it is too early to tell. */
  readonly vectorsPerSecond: number | null
  readonly embedder: string
  readonly dimensions: number
}

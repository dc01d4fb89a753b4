import type { AnalysedQuery } from "../text/analysis/analyse.ts"
import type { PageFilter } from "../engine.ts"
import type { PageFacts } from "./page/page-facts.ts"
import type { PageHead } from "./page-record.ts"
import type { Passage } from "./page/passage.ts"

/** All given conditions must hold. An empty list counts as not given, except for ids and readers. */
export interface Condition extends Omit<PageFilter, "phrases" | "paths" | "versions"> {
  /** ISO 3166-1 alpha-2, lower case. */
  readonly countries?: readonly string[]
  /** Only these pages; no page if the list is empty. */
  readonly ids?: readonly string[]
}

/** BM25 score by page id. */
export type LexicalHits = ReadonlyMap<string, number>

/** A passage close to a question. */
export interface Nearest {
  /** Page id. */
  readonly page: string
  /** Version of the page that the vector was made from. */
  readonly revision: number
  readonly position: number
  readonly cosine: number
}

/** The positions of passages in one page. */
export interface PassagesWanted {
  readonly head: PageHead
  readonly positions: readonly number[]
}

/**
 * The queries of a search: everything that depends on how and where the index is stored. Each adapter implements it;
 * `search.ts` ranks the results in the same way for every adapter.
 *
 * All `conditions` in a list must hold. Ids of deleted pages are skipped silently, since pages come and go while a
 * search is running.
 */
export interface SearchIndex {
  /** Languages of the pages (ISO 639-1), each with the approximate share of pages in it, 0..1. */
  readonly languages: ReadonlyMap<string, number>
  /** False if pages might be waiting for their vectors. */
  readonly allEmbedded: boolean
  /** Whether terms can be read without a server: if so, some are read before it is known which ones are needed. */
  readonly hasTermsAtHand: boolean
  /** Whether simultaneous queries, such as those of both arms, are sent to the server in one request. Default: false. */
  readonly takesArmsTogether?: boolean

  /** The inverse document frequency of each term among all pages, whatever the conditions, as in BM25 and never negative. */
  idf(terms: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Corrections of the misspelt terms, by term.
   * @param unheld terms to treat as words that are on no page. Default: none
   */
  corrections(
    asked: Pick<AnalysedQuery, "terms" | "written">,
    unheld?: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, readonly string[]>>

  /** The best pages by BM25 over the terms of their best section, best first. */
  lexical(terms: readonly string[], limit: number, conditions: readonly Condition[]): Promise<LexicalHits>
  /** The nearest passages, nearest first. */
  nearest(vector: Float32Array, limit: number, conditions: readonly Condition[]): Promise<readonly Nearest[]>
  /** Ids of pages that contain all or any of the terms, best first; any pages if there are no terms. */
  holding(
    terms: readonly string[],
    match: "all" | "any",
    limit: number,
    conditions: readonly Condition[],
  ): Promise<readonly string[]>
  /** The pages that are waiting for their vectors. */
  withoutVectors(ids: readonly string[]): Promise<ReadonlySet<string>>

  facts(ids: readonly string[]): Promise<ReadonlyMap<string, PageFacts>>
  heads(ids: readonly string[]): Promise<readonly PageHead[]>
  /** Title, markdown and passages, in which phrases are searched for. */
  texts(ids: readonly string[]): Promise<readonly PageText[]>
  /** The terms of names and passages, as packed by `passage-terms.ts`, page by page in any order. */
  passageTerms(ids: readonly string[]): AsyncIterable<readonly [id: string, packed: Uint8Array]>
  /** Passages by page id and position; pages replaced since their head was read are missing. */
  passages(wanted: readonly PassagesWanted[]): Promise<ReadonlyMap<string, ReadonlyMap<number, Passage>>>
  /** Markdown by page id; pages replaced since their head was read are missing. */
  markdown(heads: readonly PageHead[]): Promise<ReadonlyMap<string, string>>
}

export interface PageText {
  readonly id: string
  readonly title: string
  readonly markdown: string
  readonly passages: readonly Passage[]
}

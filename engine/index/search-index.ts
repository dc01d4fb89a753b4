import type { AnalysedQuery } from "../text/analysis/analyse.ts"
import type { PageFilter } from "../engine.ts"
import type { PageFacts } from "./page/page-facts.ts"
import type { PageHead } from "./page-record.ts"
import type { Passage } from "./page/passage.ts"

/** All given conditions must hold. An empty list counts as not given, except for ids and readers. */
export interface Condition extends Omit<PageFilter, "phrases" | "paths" | "versions"> {
  /** ISO 3166-1 alpha-2, lower case. */
  readonly countries?: readonly string[]
  /** Only these pages; of none: no page. */
  readonly ids?: readonly string[]
}

/** Page id to BM25 score. */
export type LexicalHits = ReadonlyMap<string, number>

/** A passage that is near a question. */
export interface Nearest {
  /** Page id. */
  readonly page: string
  /** Version of the page that the vector was made from. */
  readonly revision: number
  readonly position: number
  readonly cosine: number
}

/** Positions in one page. */
export interface PassagesWanted {
  readonly head: PageHead
  readonly positions: readonly number[]
}

/**
 * The queries of a search: everything that depends on how and where the index is kept. Each adapter implements it; `search.ts`
 * ranks the results in the same way for every adapter.
 *
 * Lists of `conditions` must hold all together. Ids of deleted pages are skipped silently, since pages come and go while a search
 * runs.
 */
export interface SearchIndex {
  /** Languages of the pages (ISO 639-1) with the share of the pages in each, about, 0..1. */
  readonly languages: ReadonlyMap<string, number>
  /** False while pages may wait for their vectors. */
  readonly allEmbedded: boolean
  /** Whether terms are read without a server: then some are read before it is known which are wanted. */
  readonly hasTermsAtHand: boolean
  /** Whether simultaneous queries go to the server in one request, such as both arms. Default: false. */
  readonly takesArmsTogether?: boolean

  /** The inverse document frequency of each term, as BM25 has it, never negative: of all pages, whatever the conditions. */
  idf(terms: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Corrections of the misspelt terms, by term.
   * @param unheld terms to treat as words that no page holds. Default: none
   */
  corrections(
    asked: Pick<AnalysedQuery, "terms" | "written">,
    unheld?: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, readonly string[]>>

  /** The best pages by BM25 over the terms of their best section, best first. */
  lexical(terms: readonly string[], limit: number, conditions: readonly Condition[]): Promise<LexicalHits>
  /** Nearest passages, nearest first. */
  nearest(vector: Float32Array, limit: number, conditions: readonly Condition[]): Promise<readonly Nearest[]>
  /** Ids of pages that hold all or any of the terms, best first; of no terms, of any pages. */
  holding(
    terms: readonly string[],
    match: "all" | "any",
    limit: number,
    conditions: readonly Condition[],
  ): Promise<readonly string[]>
  /** The pages that wait for their vectors. */
  withoutVectors(ids: readonly string[]): Promise<ReadonlySet<string>>

  facts(ids: readonly string[]): Promise<ReadonlyMap<string, PageFacts>>
  heads(ids: readonly string[]): Promise<readonly PageHead[]>
  /** Title, markdown and passages: what phrases are looked for in. */
  texts(ids: readonly string[]): Promise<readonly PageText[]>
  /** The terms of names and passages, as `passage-terms.ts` packs them, page by page in any order. */
  passageTerms(ids: readonly string[]): AsyncIterable<readonly [id: string, packed: Uint8Array]>
  /** By page id and position; nothing of a page that was replaced since its head was read. */
  passages(wanted: readonly PassagesWanted[]): Promise<ReadonlyMap<string, ReadonlyMap<number, Passage>>>
  /** By page id; nothing of a page that was replaced since its head was read. */
  markdown(heads: readonly PageHead[]): Promise<ReadonlyMap<string, string>>
}

export interface PageText {
  readonly id: string
  readonly title: string
  readonly markdown: string
  readonly passages: readonly Passage[]
}

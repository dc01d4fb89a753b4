import type { SearchDepth } from "./engine.ts"

/** What a search of one depth does. */
export interface SearchPlan {
  readonly arms: "lexical" | "hybrid"
  /** Whether a page also counts by its best passage's words. */
  readonly passageWords: boolean
  /** Pages whose best passage is read word by word against the question (late interaction). */
  readonly latePages: number
  /** Candidates of the lexical arm and passages of the vector arm, at least. */
  readonly pages: number
  readonly passages: number
}

/**
 * The four depths, each with what the one before lacks. nDCG@10 through the embedded engine on the judged
 * collections of `bench/relevance.ts` (apidocs, codebase, passages, mean), and what each adds:
 *
 * - `ultra-fast`: one full-text query.
 * - `fast`: the words of each candidate's passages; no model, no vectors.
 * - `basic`: the question's embedding and its nearest passages.
 * - `advanced`: both, and a second reading of sixteen passages by the model: 16 × 15 to 25 ms of CPU. Reading 50
 *   pages, or three passages of each, changes the ranking by less than 0.001.
 */
export const DEPTHS: Readonly<Record<SearchDepth, SearchPlan>> = {
  "ultra-fast": { arms: "lexical", passageWords: false, latePages: 0, pages: 100, passages: 0 },
  fast: { arms: "lexical", passageWords: true, latePages: 0, pages: 100, passages: 0 },
  basic: { arms: "hybrid", passageWords: false, latePages: 0, pages: 100, passages: 150 },
  advanced: { arms: "hybrid", passageWords: true, latePages: 16, pages: 200, passages: 300 },
}

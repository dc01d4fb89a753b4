import type { SearchDepth } from "../engine.ts"

/** What a search of one depth does. */
export interface SearchPlan {
  readonly arms: "lexical" | "hybrid"
  /** Pages whose best passage is read word by word against the question (late interaction). */
  readonly latePages: number
  /** Candidates of the lexical arm and passages of the vector arm, at least. */
  readonly pages: number
  readonly passages: number
}

/**
 * The four depths, each with what the one before lacks. nDCG@10 through the embedded engine on the judged
 * collections of `bench/quality/relevance.ts` (apidocs, codebase, passages), and what each adds:
 *
 * - `ultra-fast`, 0.741 0.728 0.715: one full-text query. 7 ms of CPU.
 * - `fast`, 0.784 0.727 0.719: the words of each candidate's passages; no model, no vectors. 10 ms.
 * - `basic`, 0.823 0.748 0.743: the question's embedding and its nearest passages. 19 ms.
 * - `advanced`, 0.844 0.758 0.751: both, and a second reading of sixteen passages by the model: 340 ms when none of them
 *   was read before. Reading 50 pages, or three passages of each, changes the ranking by less than 0.001.
 */
export const DEPTHS: Readonly<Record<SearchDepth, SearchPlan>> = {
  "ultra-fast": { arms: "lexical", latePages: 0, pages: 100, passages: 0 },
  fast: { arms: "lexical", latePages: 0, pages: 100, passages: 0 },
  basic: { arms: "hybrid", latePages: 0, pages: 100, passages: 150 },
  advanced: { arms: "hybrid", latePages: 16, pages: 200, passages: 300 },
}

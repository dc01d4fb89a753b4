import type { Query, SearchDepth } from "../../engine.ts"

/** The work that a search of one depth does. */
export interface SearchPlan {
  readonly arms: "lexical" | "hybrid"
  /** Maximum number of pages whose best passage is read word by word against the question (late interaction), if ten results are wanted. */
  readonly latePages: number
  /** Minimum number of lexical candidates and of passages from the vector arm. */
  readonly pages: number
  readonly passages: number
  /** Number of candidates whose terms are read for ranking, the likeliest by both arms; at least as many as are wanted. */
  readonly read: number
}

/**
 * The four depths. nDCG@10 on the judged collections of `bench/quality/relevance.ts` (apidocs, codebase, passages), and
 * what each adds:
 *
 * - `ultra-fast` and `fast`, 0.808 0.733 0.722: words of the best section, the best passage and the names; no model or
 * vectors.
 * - `basic`, 0.845 0.751 0.743: the question's embedding and its nearest passages.
 * - `advanced`, 0.852 0.753 0.750: both, and a second reading of up to sixteen passages by the model, unless the words
 * match well enough. Longer lists, reading 50 pages, or three passages of each change the ranking by less than 0.001.
 *
 * The small limits of `basic` cost 0.001 of that and save nine tenths of the time: with 150 passages, 20 pages read and
 * three sections for each page, 0.846 0.750 0.742; with 60, 10 and two, 0.844 0.750 0.742, and the results of
 * `bench/quality/needles.ts` are unchanged.
 */
export const DEPTHS: Readonly<Record<SearchDepth, SearchPlan>> = {
  "ultra-fast": { arms: "lexical", latePages: 0, pages: 60, passages: 0, read: 20 },
  fast: { arms: "lexical", latePages: 0, pages: 60, passages: 0, read: 20 },
  basic: { arms: "hybrid", latePages: 0, pages: 60, passages: 60, read: 10 },
  advanced: { arms: "hybrid", latePages: 16, pages: 60, passages: 150, read: 20 },
}

/** With `arms`, only those arms are queried, for benchmarks. */
export function planOf({
  arms,
  depth = "basic",
}: Query): Omit<SearchPlan, "arms"> & Pick<Required<Query>, "arms"> {
  return arms ? { ...DEPTHS.basic, arms } : DEPTHS[depth]
}

/** Whether a search looks for meaning as well as words. */
export const asksMeaning = (query: Query): boolean => planOf(query).arms !== "lexical"

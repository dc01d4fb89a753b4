/** What one query knows of one page before ranking. */
export interface Candidate {
  readonly id: string
  /** BM25 score of the page for the query; 0 when no term is found or the lexical arm was left out. */
  readonly lexical: number
  /**
   * Cosine of the query and the page's nearest passage, -1..1; undefined when the page is not among the
   * nearest, null when it has no vectors yet.
   */
  readonly cosine: number | undefined | null
  /** BM25 of its best passage as a share of what a passage could have, 0..1; undefined when it is not known. */
  readonly passage?: number | undefined
  /** Looked for by itself: its cosine says nothing of how near the nearest pages reach. Default false. */
  readonly aside?: boolean
}

/** Facts of the query that make scores of different queries comparable. */
export interface QueryFacts {
  /**
   * The BM25 score of a page that would hold every term of the query very often: Σ idf(t) · (k1 + 1), terms
   * that no page holds among them. 0 when the lexical arm was left out or the query has no term.
   */
  readonly lexicalBound: number
  /** Whether candidates count by their best passage's words too. Default false. */
  readonly passageWords?: boolean
}

/** One page of the ranking; the list's order is the order of `fused` and of `score`. */
export interface Ranked {
  readonly id: string
  /** BM25 as a share of the query's bound, 0..1. */
  readonly lexical: number
  /** The words of its best passage, 0..1; 0 when they did not count. */
  readonly passage: number
  /** Cosine, 0 where it is negative or unknown. */
  readonly vector: number
  /** Late interaction of its best passage, 0..1; 0 when it was not read. */
  readonly late: number
  /** Convex combination of all evidence, 0..1. */
  readonly fused: number
  /** Calibrated, 0..1. */
  readonly score: number
}

/**
 * Weights of the page's words, its best passage's words and its vectors. nDCG@10 on the judged collections of
 * `bench/quality/relevance.ts`, exact BM25 and vectors (apidocs, codebase, passages):
 *
 *     BM25 alone                      0.732  0.728  0.716
 *     vectors alone                   0.733  0.600  0.643
 *     0.50                            0.818  0.745  0.738
 *     0.57                            0.821  0.748  0.743
 *     0.60                            0.821  0.746  0.740
 *     scores ÷ their maximum, 0.40    0.822  0.743  0.736
 *     scores ÷ their maximum, 0.50    0.820  0.745  0.742
 *
 * With the best passage's words, and, for comparison, its share of the lexical part:
 *
 *     words, passage 0.50             0.772  0.731  0.716
 *     words, passage 0.67             0.789  0.723  0.716
 *     0.37 words, 0.20 passage        0.838  0.749  0.743
 *     a third each                    0.841  0.751  0.739
 */
const WEIGHTS = {
  lexical: { page: 1, passage: 0, vector: 0 },
  lexicalPassage: { page: 1 / 3, passage: 2 / 3, vector: 0 },
  hybrid: { page: 0.57, passage: 0, vector: 0.43 },
  hybridPassage: { page: 1 / 3, passage: 1 / 3, vector: 1 / 3 },
  vector: { page: 0, passage: 0, vector: 1 },
}

/**
 * Weight of late interaction beside all other evidence, which so have a quarter each. nDCG@10 0.785 in the
 * mean of the judged collections; 0.778 without, 0.784 to 0.785 with 0.2 to 0.35.
 */
const LATE_WEIGHT = 0.25

/**
 * Logistic regression of "the page answers the query" on the page's share of the best fused value, squared,
 * and on that best value. The first says which hits of a query matter, the second whether the query is one
 * that this index answers. Fitted on the ten best hits of every judged query and of queries taken from another
 * collection, which nothing here answers (those with a fifth of the weight). Area under the curve, by collection:
 * `hybrid` 0.879, 0.900, 0.833; `late` 0.889, 0.901, 0.821; `lexicalPassage` 0.863, 0.898, 0.822; 0.812 to 0.87
 * with the fused value alone. Constants without vectors are 0.3 lower than fitted: words of an unrelated question
 * stand in some page of any index, and no such page shall have more than 0.25.
 */
interface Calibration {
  readonly constant: number
  readonly shareSquared: number
  readonly best: number
}

const CALIBRATIONS: Record<keyof typeof WEIGHTS | "late", Calibration> = {
  hybrid: { constant: -9.11, shareSquared: 6.35, best: 5.56 },
  lexical: { constant: -7.1, shareSquared: 4.97, best: 3.93 },
  lexicalPassage: { constant: -7.3, shareSquared: 5.05, best: 4.72 },
  hybridPassage: { constant: -9.2, shareSquared: 5.84, best: 7.73 },
  late: { constant: -9.2, shareSquared: 5.84, best: 7.73 },
  vector: { constant: -10.36, shareSquared: 7.46, best: 3.97 },
}

/**
 * Ranks the candidates of one query, best first; ties by id. Pages that neither arm knows are left out.
 *
 * Both arms are put on scales that mean the same for every query and do not depend on the other candidates,
 * so that a page without a rival ranks and scores as it would beside many. A page that is not among
 * the nearest is taken to be as near as the farthest page known; one without vectors counts by its words alone.
 */
export function fuse(candidates: readonly Candidate[], facts: QueryFacts): Ranked[] {
  const { lexicalBound, passageWords = false } = facts
  const cosines = candidates.flatMap(({ cosine, aside }) => (aside ? [] : (cosine ?? [])))
  const farthest = cosines.reduce((least, cosine) => Math.min(least, cosine), 1)
  const arms = cosines.length === 0 ? "lexical" : lexicalBound > 0 ? "hybrid" : "vector"
  const evidence = passageWords && arms !== "vector" ? (`${arms}Passage` as const) : arms
  const weights = WEIGHTS[evidence]
  const ranked = candidates
    .map(({ id, lexical, cosine, passage }) => {
      const share = lexicalBound > 0 ? within(lexical / lexicalBound) : 0
      const words = passage ?? share
      const found = weights.page * share + weights.passage * words
      const fused =
        cosine === null
          ? found / (weights.page + weights.passage || 1)
          : found + weights.vector * within(cosine ?? farthest)
      const counted = weights.passage > 0 ? words : 0
      return { id, lexical: share, passage: counted, vector: within(cosine ?? 0), late: 0, fused, score: 0 }
    })
    .filter((one) => one.fused > 0)
  return scored(ranked, CALIBRATIONS[evidence])
}

/**
 * The ranking with late interaction heeded, where it was measured; the other pages keep their order behind
 * those, as if they matched like the worst of them.
 *
 * @param ranked best first
 * @param late by page id, 0..1, of the first pages of the ranking
 */
export function withLateInteraction(ranked: readonly Ranked[], late: ReadonlyMap<string, number>): Ranked[] {
  if (late.size === 0) return [...ranked]
  const worst = Math.min(...late.values())
  const mixed = ranked.map((one) => ({
    ...one,
    late: late.get(one.id) ?? 0,
    fused: (1 - LATE_WEIGHT) * one.fused + LATE_WEIGHT * (late.get(one.id) ?? worst),
  }))
  return scored(mixed, CALIBRATIONS.late)
}

function scored(ranked: readonly Ranked[], calibration: Calibration): Ranked[] {
  const sorted = [...ranked].sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
  const best = sorted[0]?.fused ?? 0
  return sorted.map((one) => ({ ...one, score: calibrated(one.fused, best, calibration) }))
}

function calibrated(
  fused: number,
  best: number,
  { constant, shareSquared, best: weight }: Calibration,
): number {
  return 1 / (1 + Math.exp(-(constant + shareSquared * (fused / best) ** 2 + weight * best)))
}

const within = (value: number) => Math.min(1, Math.max(0, value))

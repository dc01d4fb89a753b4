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
}

/** One page of the ranking; the list's order is the order of `fused` and of `score`. */
export interface Ranked {
  readonly id: string
  /** BM25 as a share of the query's bound, 0..1. */
  readonly lexical: number
  /** Cosine, 0 where it is negative or unknown. */
  readonly vector: number
  /** Convex combination of both, 0..1. */
  readonly fused: number
  /** Calibrated, 0..1. */
  readonly score: number
}

/**
 * Weight of the lexical arm; the vector arm has the rest. nDCG@10 on the judged collections of
 * `bench/relevance.ts`, exact BM25 and vectors (apidocs, codebase, passages):
 *
 *     BM25 alone                      0.732  0.728  0.716
 *     vectors alone                   0.733  0.600  0.643
 *     0.50                            0.818  0.745  0.738
 *     0.57                            0.821  0.748  0.743
 *     0.60                            0.821  0.746  0.740
 *     scores ÷ their maximum, 0.40    0.822  0.743  0.736
 *     scores ÷ their maximum, 0.50    0.820  0.745  0.742
 */
const LEXICAL_WEIGHT = 0.57

/**
 * Logistic regression of "the page answers the query" on the page's share of the best fused value, squared,
 * and on that best value. The first says which hits of a query matter, the second whether the query is one
 * that this index answers. Fitted on the ten best hits of every judged query and of queries taken from another
 * collection, which nothing here answers (those with a fifth of the weight). Area under the curve 0.880,
 * 0.900, 0.833 on the judged collections; 0.812 to 0.87 with the fused value alone.
 */
interface Calibration {
  readonly constant: number
  readonly shareSquared: number
  readonly best: number
}

const CALIBRATIONS = {
  hybrid: { constant: -9.11, shareSquared: 6.35, best: 5.56 },
  lexical: { constant: -6.83, shareSquared: 4.97, best: 3.93 },
  vector: { constant: -10.36, shareSquared: 7.46, best: 3.97 },
} satisfies Record<string, Calibration>

/**
 * Ranks the candidates of one query, best first; ties by id. Pages that neither arm knows are left out.
 *
 * Both arms are put on scales that mean the same for every query and do not depend on the other candidates,
 * so that a page without a rival ranks and scores as it would beside many. A page that is not among
 * the nearest is taken to be as near as the farthest page known; one without vectors counts by its words alone.
 */
export function fuse(candidates: readonly Candidate[], { lexicalBound }: QueryFacts): Ranked[] {
  const cosines = candidates.flatMap(({ cosine, aside }) => (aside ? [] : (cosine ?? [])))
  const farthest = cosines.reduce((least, cosine) => Math.min(least, cosine), 1)
  const arms = cosines.length === 0 ? "lexical" : lexicalBound > 0 ? "hybrid" : "vector"
  const weight = { lexical: 1, vector: 0, hybrid: LEXICAL_WEIGHT }[arms]
  const ranked = candidates
    .map(({ id, lexical, cosine }) => {
      const share = lexicalBound > 0 ? within(lexical / lexicalBound) : 0
      const nearness = within(cosine === undefined ? farthest : (cosine ?? share))
      const fused = weight * share + (1 - weight) * nearness
      return { id, lexical: share, vector: within(cosine ?? 0), fused, score: 0 }
    })
    .filter((one) => one.fused > 0)
    .sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
  const best = ranked[0]?.fused ?? 0
  return ranked.map((one) => ({ ...one, score: calibrated(one.fused, best, CALIBRATIONS[arms]) }))
}

function calibrated(
  fused: number,
  best: number,
  { constant, shareSquared, best: weight }: Calibration,
): number {
  return 1 / (1 + Math.exp(-(constant + shareSquared * (fused / best) ** 2 + weight * best)))
}

const within = (value: number) => Math.min(1, Math.max(0, value))

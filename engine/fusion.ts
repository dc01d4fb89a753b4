/** What one query knows of one page before ranking. */
export interface Candidate {
  readonly id: string
  /** BM25 score of the page for the query; 0 when no term is found or the lexical arm was left out. */
  readonly lexical: number
  /** Cosine of the query and the page's nearest passage, -1..1; undefined when unknown. */
  readonly cosine: number | undefined
}

/** Facts of the query that make scores of different queries comparable. */
export interface QueryFacts {
  /**
   * The BM25 score of a page that would hold every term of the query very often: Σ idf(t) · (k1 + 1).
   * 0 when the query has no term.
   */
  readonly lexicalBound: number
}

/** One page of the ranking; the list's order is the order of `fused` and of `score`. */
export interface Ranked {
  readonly id: string
  /** 0..1. */
  readonly lexical: number
  /** 0..1. */
  readonly vector: number
  /** 0..1. */
  readonly fused: number
  /** Calibrated, 0..1. */
  readonly score: number
}

export const LEXICAL_WEIGHT = 0.4

/** Ranks the candidates of one query, best first; ties by id. */
export function fuse(candidates: readonly Candidate[], facts: QueryFacts): Ranked[] {
  const highest = Math.max(0, ...candidates.map((one) => one.lexical))
  const nearest = Math.max(0, ...candidates.map((one) => one.cosine ?? 0))
  const attained = facts.lexicalBound > 0 ? Math.min(1, highest / facts.lexicalBound) : 0
  const confidence = 1 / (1 + Math.exp(-(6 * attained + 8 * nearest - 5)))
  return candidates
    .map(({ id, lexical, cosine }) => {
      const l = highest > 0 ? lexical / highest : 0
      const v = nearest > 0 ? Math.max(0, cosine ?? 0) / nearest : 0
      const fused = LEXICAL_WEIGHT * l + (1 - LEXICAL_WEIGHT) * v
      return { id, lexical: l, vector: v, fused, score: confidence * fused }
    })
    .sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
}

/** What one query knows of one page before ranking. */
export interface Candidate {
  readonly id: string
  /** What it says in the words of the query, 0..1: see `word-evidence.ts`; 0 when words were left out. */
  readonly words: number
  /**
   * Cosine of the query and the page's nearest passage, -1..1; undefined when the page is not among the
   * nearest, null when it has no vectors yet.
   */
  readonly cosine: number | undefined | null
  /** Looked for by itself: its cosine says nothing of how near the nearest pages reach. Default false. */
  readonly aside?: boolean
}

/** Facts of the query. */
export interface QueryFacts {
  /** False when the words of the query were left out. */
  readonly hasWords: boolean
}

/** One page of the ranking; the list's order is the order of `fused` and of `score`. */
export interface Ranked {
  readonly id: string
  /** Its words, 0..1. */
  readonly lexical: number
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
 * Weights of words and vectors. nDCG@10 on the tune halves of long pages, exact words and misspelt ones over a third of the
 * manuals of `bench/quality/needles.ts`, and on the judged collections:
 *
 *     words alone    0.869  0.989  0.916    0.808  0.733  0.722
 *     vectors alone  0.815  0.863  0.833    0.736  0.601  0.643
 *     0.6 words      0.877  0.954  0.960    0.849  0.752  0.743
 *     0.7            0.901  0.975  0.964    0.853  0.750  0.745
 *     0.8            0.901  0.989  0.957    0.848  0.747  0.745
 *     0.85           0.911  0.989  0.946    0.839  0.740  0.745
 *
 * With 0.8 no set is worse than by words alone.
 */
const WEIGHTS = {
  lexical: { words: 1, vector: 0 },
  hybrid: { words: 0.8, vector: 0.2 },
  vector: { words: 0, vector: 1 },
}

/**
 * Weight of late interaction beside all other evidence. Words that are judged by section leave it little to find: on the sets of
 * {@link WEIGHTS} the mean nDCG@10 is 0.866 without, 0.866 with 0.1, 0.861 with 0.2 and 0.857 with 0.25, which costs most on exact words
 * (0.989, 0.989, 0.965, 0.954) and gains a little on passages (0.745, 0.746, 0.747, 0.748). Nor does it help to read again only where
 * few words of the question are shared.
 */
const LATE_WEIGHT = 0.1

/**
 * Logistic regression of "the page answers the query" on the page's share of the best fused value, squared,
 * and on that best value. The first says which hits of a query matter, the second whether the query is one
 * that this index answers. Fitted on the ten best hits of every judged query, and of questions that nothing in the
 * collections and manuals answers (those with three times the weight). Area under the curve, by collection: `hybrid`
 * 0.893, 0.903, 0.836; `late` 0.895, 0.906, 0.838; `lexical` 0.867, 0.900, 0.833; `vector` 0.886, 0.830, 0.801. The constant of `lexical` is 0.3 lower than
 * fitted: words of an unrelated question stand in some page of any index, and no such page shall have more than 0.25.
 */
interface Calibration {
  readonly constant: number
  readonly shareSquared: number
  readonly best: number
}

const CALIBRATIONS: Record<keyof typeof WEIGHTS | "late", Calibration> = {
  hybrid: { constant: -7.85, shareSquared: 5.59, best: 5.32 },
  lexical: { constant: -7.25, shareSquared: 4.94, best: 4.88 },
  late: { constant: -7.8, shareSquared: 5.58, best: 5.31 },
  vector: { constant: -9.86, shareSquared: 6.96, best: 3.49 },
}

/**
 * Ranks the candidates of one query, best first; ties by id. Pages that neither arm knows are left out.
 *
 * Both arms are put on scales that mean the same for every query and do not depend on the other candidates,
 * so that a page without a rival ranks and scores as it would beside many. A page that is not among
 * the nearest is taken to be as near as the farthest page known; one without vectors as near as pages that say about as
 * much in the words of the query.
 */
export function fuse(candidates: readonly Candidate[], { hasWords }: QueryFacts): Ranked[] {
  const cosines = candidates.flatMap(({ cosine, aside }) => (aside ? [] : (cosine ?? [])))
  const farthest = cosines.reduce((least, cosine) => Math.min(least, cosine), 1)
  const arms = cosines.length === 0 ? "lexical" : hasWords ? "hybrid" : "vector"
  const weights = WEIGHTS[arms]
  const usual = usualNearness(candidates, farthest)
  const ranked = candidates
    .map(({ id, words, cosine }) => {
      const share = hasWords ? within(words) : 0
      const nearness = cosine === null ? usual(share) : within(cosine ?? farthest)
      const fused = weights.words * share + weights.vector * nearness
      return { id, lexical: share, vector: within(cosine ?? 0), late: 0, fused, score: 0 }
    })
    .filter((one) => one.fused > 0)
  return scored(ranked, CALIBRATIONS[arms])
}

/** Pages that a page without vectors is compared with, and how near in words one counts half as much as an equal one. */
const ALIKE = 5
const ALIKE_WITHIN = 0.05

/** The nearness to be expected of a page by its words: the mean of those whose words say about as much, the more alike the more. */
function usualNearness(candidates: readonly Candidate[], farthest: number): (words: number) => number {
  if (candidates.every(({ cosine }) => cosine !== null)) return () => 0
  const known = candidates.flatMap(({ words, cosine }) =>
    cosine === null ? [] : [{ words: within(words), nearness: within(cosine ?? farthest) }],
  )
  return (words) => {
    const alike = known
      .map(({ words: other, nearness }) => ({ nearness, distance: Math.abs(other - words) }))
      .sort((a, b) => a.distance - b.distance || a.nearness - b.nearness)
      .slice(0, ALIKE)
    let [sum, weight] = [0, 0]
    for (const { nearness, distance } of alike) {
      const counts = 1 / (distance + ALIKE_WITHIN)
      sum += counts * nearness
      weight += counts
    }
    return weight > 0 ? sum / weight : 0
  }
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

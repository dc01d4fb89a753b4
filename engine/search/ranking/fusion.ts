import type { CosineRange } from "../../embedder.ts"

/** Everything that is known about one page for one query before ranking. */
export interface Candidate {
  readonly id: string
  /** The page's word evidence for the query, 0..1, see `word-evidence.ts`; 0 if the search ignores words. */
  readonly words: number
  /**
   * Cosine of the query and the page's nearest passage, as returned by {@link nearnessOf}; undefined if the page isn't
   * among the nearest, null if it has no meaningful vectors.
   */
  readonly cosine: number | undefined | null
  /** Whether the page was requested explicitly, so that its cosine doesn't count toward the nearest pages. Default false. */
  readonly aside?: boolean
  /** The share of the query's numbers that the page lacks, 0..1. Default 0. */
  readonly lacksNumbers?: number
}

/** Facts about the query. */
export interface QueryFacts {
  /** False if the search ignores the query's words. */
  readonly hasWords: boolean
  /**
   * The highest possible word evidence, 0..1: below 1 if words are misspelt, since a page with their corrections counts
   * less than one with the original words would. Default 1.
   */
  readonly reach?: number
  /** The share of the query, weighted by word, that no candidate has, 0..1. Default 0. */
  readonly nowhere?: number
}

/** One page of the ranking; the list is sorted by both `fused` and `score`. */
export interface Ranked {
  readonly id: string
  /** Word evidence, 0..1. */
  readonly lexical: number
  /** Nearness: the cosine scaled to the model's range, 0 if unknown. */
  readonly vector: number
  /** Late interaction of the page's best passage, 0..1; 0 if that passage wasn't read. */
  readonly late: number
  /** The reranker's score for the page's best passage, 0..1; 0 if no reranker was used. */
  readonly rerank: number
  /** Convex combination of all evidence, 0..1. */
  readonly fused: number
  /** Evidence against an answer, in log-odds: words or numbers that this page or every page lacks. Default 0. */
  readonly doubt?: number
  /** Calibrated, 0..1. */
  readonly score: number
  /** The score without `doubt`. Default: the same as `score`. */
  readonly match?: number
}

/**
 * Weight of the words: it grows with the word evidence of the best page. nDCG@10 on the tune halves of long pages,
 * exact words and misspelt ones (`bench/quality/needles.ts`), on the judged collections and on the sections of
 * `bench/testing/collections`:
 *
 * words alone      0.797  0.959  0.884    0.808  0.734  0.723    0.646
 * vectors alone    0.685  0.837  0.754    0.737  0.612  0.649    0.729
 * 0.6              0.812  0.943  0.924    0.847  0.752  0.743    0.737
 * 0.7              0.848  0.959  0.907    0.851  0.750  0.746    0.726
 * 0.8              0.861  0.959  0.900    0.846  0.747  0.745    0.704
 * 0.5 to 0.9       0.831  0.959  0.912    0.843  0.753  0.743    0.741
 *
 * So no set is worse than by words alone, or much worse than with its own best weight.
 *
 * Word evidence is measured against the highest possible: a misspelt word is no reason to trust the vectors more, since
 * they were made from the misspelt text. On the misspelt questions of the tune half: 0.937, hit@3 0.97; with the plain
 * share 0.935, 0.94.
 */
const LEAST_WORDS = 0.5
const MORE_WORDS = 0.4

/**
 * Logistic regression of "the page answers the query" on the page's share of the best fused value, squared, and on that
 * best value. The first shows which hits of a query matter, the second whether this index answers the query. Fitted on
 * the ten best hits of every judged query, and of questions that nothing in the collections and manuals answers (at
 * three times the weight). Area under the curve, by collection: `hybrid` 0.894, 0.902, 0.840; `late` 0.893, 0.901,
 * 0.846; `lexical` 0.867, 0.900, 0.833; `vector` 0.886, 0.830, 0.801. The constant of `lexical` is 0.3 lower than
 * fitted: every index has some page with words of an unrelated question, and no such page may score more than 0.25.
 */
interface Calibration {
  readonly constant: number
  readonly shareSquared: number
  readonly best: number
}

/** The coefficients, by the kind of evidence available. */
export const CALIBRATIONS = {
  hybrid: { constant: -8.87, shareSquared: 6.14, best: 5.84 },
  lexical: { constant: -7.25, shareSquared: 4.94, best: 4.88 },
  late: { constant: -8.35, shareSquared: 5.95, best: 5.27 },
  vector: { constant: -9.86, shareSquared: 6.96, best: 3.49 },
} satisfies Record<string, Calibration>

/**
 * Evidence against an answer, whatever else is on the page, in log-odds: words of the question that no page has, unless
 * some page is near in meaning, and numbers that this page lacks. Fitted on the even questions of the judged
 * collections, on questions of other subjects, on nonsense, and on the same questions with other numbers; the values
 * below are for the odd ones, which were looked at while these numbers were chosen. The share of the questions whose
 * first result has 0.1 or more:
 *
 * `basic`             answered  another subject  unrelated  nonsense  another number
 * without             1.00      0.97             0.98       1.00      1.00
 * this                0.99      0.14             0.07       0.03      0.35
 * `fast`, without     1.00      1.00             1.00       1.00      1.00
 * this                0.95      0.07             0.05       0.00      0.05
 *
 * Area under the curve over all of them: 0.860 and 0.880, `fast` 0.841 and 0.864. Missing names are too weak a signal:
 * two in five of the pages that answer lack one.
 */
const DOUBT = {
  /** Applied to the share of the question that no page has, above `usual`, and reduced to zero where a page is as near as `near`. */
  nowhere: 15,
  usual: 0.2,
  near: 0.5,
  numbers: 2.2,
} as const
/**
 * Penalty for a page that lacks the numbers of a question. nDCG@10 of the questions with numbers, even and odd: 0.799
 * 0.840, with this 0.818 0.838, with twice this 0.830 0.830.
 */
const NUMBERS = 0.1

/** Rounding differs between processors: for texts with nothing in common, one returns a cosine of 0, another 1e-7. */
const ROUNDING = 1e-6

/**
 * Ranks the candidates of one query, best first; ties by id. Pages that neither arm found are left out.
 *
 * Both arms are put on scales that mean the same for every query and don't depend on the other candidates, so that a
 * page ranks and scores the same with or without rivals. A page that isn't among the nearest is treated as if it were
 * as near as the farthest known page; one without vectors, as if it were as near as pages with about the same word
 * evidence.
 */
export function fuse(
  candidates: readonly Candidate[],
  { hasWords, reach = 1, nowhere = 0 }: QueryFacts,
): Ranked[] {
  const cosines = candidates.flatMap(({ cosine, aside }) => (aside ? [] : (cosine ?? [])))
  const farthest = cosines.reduce((least, cosine) => Math.min(least, cosine), 1)
  const arms = cosines.length === 0 ? "lexical" : hasWords ? "hybrid" : "vector"
  const most = candidates.reduce((best, { words }) => Math.max(best, within(words)), 0)
  const weight = { lexical: 1, hybrid: LEAST_WORDS + MORE_WORDS * within(most / reach), vector: 0 }[arms]
  const usual = usualNearness(candidates, farthest)
  const nearest = cosines.reduce((most, cosine) => Math.max(most, cosine), 0)
  const strange = Math.max(0, nowhere - DOUBT.usual) * Math.max(0, 1 - nearest / DOUBT.near)
  const ranked = candidates
    .map(({ id, words, cosine, lacksNumbers = 0 }) => {
      const share = hasWords ? within(words) : 0
      const nearness = cosine === null ? usual(share) : within(cosine ?? farthest)
      const fused = (weight * share + (1 - weight) * nearness) * (1 - NUMBERS * lacksNumbers)
      const doubt = DOUBT.nowhere * strange + DOUBT.numbers * lacksNumbers
      return { id, lexical: share, vector: within(cosine ?? 0), late: 0, rerank: 0, fused, doubt, score: 0 }
    })
    .filter((one) => one.fused > ROUNDING)
  return scored(ranked, CALIBRATIONS[arms])
}

/** Number of pages that a page without vectors is compared with, and the difference in word evidence at which a page counts half as much as an equal one. */
const ALIKE = 5
const ALIKE_WITHIN = 0.05

/** The nearness expected of a page from its words: the mean over pages with similar word evidence, weighted by similarity. */
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
 * How a reranker's scores are used, with care. nDCG@10 of `advanced` on 341 questions of the judged collections
 * (apidocs, codebase, passages), with a cross-encoder of twelve layers (ms-marco-MiniLM-L-12-v2, 8 bits):
 *
 * without                                                  0.854  0.787  0.800
 * its order alone, of the first 10 pages                   0.799  0.766  0.811
 * 0.1 of the weight                                        0.852  0.790  0.810
 * 0.1, where no page has 0.45 of the words                 0.855  0.797  0.811
 * 0.2, where no page has 0.45 of the words                 0.845  0.797  0.810
 * 0.1, where no page has 0.45 of the words, of 16 pages    0.848  0.796  0.824
 *
 * Where the words match well, it has nothing to add; and a page from further down that it ranks first is more often
 * wrong. These are results on the questions that the numbers were chosen on.
 */
const RERANKER = {
  weight: 0.1,
  pages: 10,
  /** The reranker isn't used if a page has this much word evidence. */
  enoughWords: 0.45,
  /** If the reranker's best and worst scores (log-odds) differ by less than this, they aren't stretched. */
  leastRange: 6,
} as const

/** The pages of a ranking that a reranker should read, best first: none if the words match well enough. */
export function toRerank(ranked: readonly Ranked[]): readonly Ranked[] {
  const first = ranked.slice(0, RERANKER.pages)
  return first.some(({ lexical }) => lexical >= RERANKER.enoughWords) ? [] : first
}

/**
 * Applies a reranker's scores to the ranking; pages that it didn't read keep their order behind the others. Its scale
 * can't be compared between questions, so the best page gets the previous best value.
 *
 * @param ranked best first
 * @param said scores by page id, 0..1, of the first pages of the ranking
 */
export function withReranker(ranked: readonly Ranked[], said: ReadonlyMap<string, number>): Ranked[] {
  const odds = new Map([...said].map(([id, score]) => [id, logOdds(score)]))
  if (odds.size === 0) return [...ranked]
  const best = Math.max(...odds.values())
  const range = Math.max(RERANKER.leastRange, best - Math.min(...odds.values()))
  const share = (id: string) => 1 - (best - (odds.get(id) ?? best - range)) / range
  const mixed = ranked.map((one) => ({
    ...one,
    rerank: said.get(one.id) ?? 0,
    fused: (1 - RERANKER.weight) * one.fused + RERANKER.weight * share(one.id),
  }))
  const shift = ranked[0]!.fused - Math.max(...mixed.map(({ fused }) => fused))
  const placed = mixed.map((one) => ({ ...one, fused: Math.max(Number.EPSILON, one.fused + shift) }))
  return scored(placed, CALIBRATIONS[ranked.some(({ late }) => late > 0) ? "late" : "hybrid"])
}

/** Truncated to the number of digits that servers write. */
const logOdds = (score: number): number => {
  const within = Math.min(1 - 1e-6, Math.max(1e-6, score))
  return Math.log(within / (1 - within))
}

/** Sorts by `fused`, best first, ties by id, and adds scores. A page scores at least as much as those behind it. */
export function scored(ranked: readonly Ranked[], calibration: Calibration): Ranked[] {
  const sorted = [...ranked].sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
  const best = sorted[0]?.fused ?? 0
  let least = 0
  return sorted
    .reduceRight<Ranked[]>((pages, one) => {
      least = Math.max(least, calibrated(one, best, calibration))
      const match = calibrated({ fused: one.fused }, best, calibration)
      pages.push({ ...one, score: least, match })
      return pages
    }, [])
    .reverse()
}

function calibrated(
  { fused, doubt = 0 }: Pick<Ranked, "fused" | "doubt">,
  best: number,
  { constant, shareSquared, best: weight }: Calibration,
): number {
  return 1 / (1 + Math.exp(-(constant + shareSquared * (fused / best) ** 2 + weight * best - doubt)))
}

/** 0 for the cosine of unrelated texts, 1 for texts with the same meaning. */
export const nearnessOf = (cosine: number, { unrelated, same }: CosineRange): number =>
  (cosine - unrelated) / (same - unrelated)

const within = (value: number) => Math.min(1, Math.max(0, value))

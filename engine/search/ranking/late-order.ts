import { CALIBRATIONS, type Ranked, scored } from "./fusion.ts"

/**
 * Weight of late interaction beside all other evidence where no page says anything of the question in words; the more one says, the less
 * there is to gain, and from {@link ENOUGH_WORDS} on nothing. nDCG@10 on the sets above, `basic` first; the vectors that
 * an index finds differ a little each time it is made, which is worth up to 0.001 on the 32 long pages, and 0.012 where the first two pages of a
 * question are 0.0001 apart, as one pair was with late interaction up to 0.5 (0.836 or 0.825):
 *
 *     none                                   0.835  0.963  0.935    0.845  0.753  0.743    0.743
 *     0.3, to 0 at 1, misspelt words too     0.819  0.957  0.934    0.854  0.755  0.750    0.754
 *     0.4, to 0 at 0.65                      0.825  0.963  0.946                           0.750
 *     0.4, to 0 at 0.5                       0.825  0.979  0.935    0.852  0.755  0.751    0.752
 *     0.4, to 0 at 0.45                      0.835  0.979  0.935                           0.743
 *     this, to 0 at 0.48                     0.836  0.979  0.935                           0.746
 */
const MOST_LATE = 0.4
/** With a page of so much in words passages are not read again. */
const ENOUGH_WORDS = 0.48

/**
 * The expected late interaction of a passage that was not read, from the other evidence of its page: least squares on the differences within
 * 747 questions, of those at even places (apidocs, codebase, passages and sections, as above), and how far that is from the truth (standard deviation).
 * What a question's passages have in common is known once some of them were read.
 */
const EXPECTED = { lexical: 0.65, vector: 0.2, deviation: 0.05 }
/** Results whose order matters: nDCG@10 is how the depths are judged, and people rephrase before they look further down. */
const MOST_RESULTS = 10
/**
 * A page is read where not knowing it may cost the order of the results so much: for each pair that it may change places in, how likely that is, what
 * the places are worth in nDCG, and how likely the upper page is to answer at all. nDCG@10 of the even questions (sections, apidocs, codebase,
 * passages), and how many pages are read where ten results are wanted and, of eight pages, where five are:
 *
 *     all        0.778 0.895 0.784 0.726    16     8
 *     0.0001     0.778 0.895 0.784 0.727    9.4   4.3
 *     this       0.778 0.895 0.784 0.727    8.6   3.8
 *     0.0005     0.776 0.895 0.784 0.727    7.1   3.2
 *     none       0.776 0.893 0.783 0.717    0     0
 */
const WORTH_READING = 0.0002
/** Less likely swaps are not looked at. */
const UNLIKELY = 0.001
/** Pages that are read before one looks again whether the order is settled. One at a time reads a tenth fewer, in four times as many rounds. */
const READ_AT_ONCE = 4

/**
 * The pages whose best passages may be read again, of a ranking, best first: none when words say enough.
 *
 * @param pages for ten results or more; for fewer, one more than are shown is enough: of five results, nDCG@5 is the same with six pages as with sixteen
 */
export const toReadAgain = (
  ranked: readonly Ranked[],
  pages: number,
  results = MOST_RESULTS,
): readonly Ranked[] =>
  lateWeight(ranked) > 0 ? ranked.slice(0, results < MOST_RESULTS ? Math.min(pages, results + 1) : pages) : []

function lateWeight(ranked: readonly Ranked[]): number {
  const most = ranked.reduce((best, { lexical }) => Math.max(best, lexical), 0)
  return MOST_LATE * Math.max(0, 1 - most / ENOUGH_WORDS)
}

/**
 * The pages to read next, those most likely to change the order first; none once the order of the results is settled.
 *
 * @param readable pages that may be read, of the ranking
 * @param late by page id, 0..1, of those that were read
 * @param results how many are wanted
 */
export function toReadNext(
  ranked: readonly Ranked[],
  readable: readonly Ranked[],
  late: ReadonlyMap<string, number>,
  results: number,
): readonly string[] {
  const weight = lateWeight(ranked)
  const lateOf = likelyLate(late, readable)
  const places = readable
    .map((one) => ({
      id: one.id,
      score: one.score,
      value: (1 - weight) * one.fused + weight * lateOf(one),
      isRead: late.has(one.id),
    }))
    .sort((a, b) => b.value - a.value)
  const gains = new Map<string, number>()
  for (const [i, upper] of places.slice(0, Math.min(results, MOST_RESULTS)).entries()) {
    for (const [behind, lower] of places.slice(i + 1).entries()) {
      const unread = [upper, lower].filter(({ isRead }) => !isRead)
      const deviation = weight * EXPECTED.deviation * Math.sqrt(unread.length)
      const swapped = deviation > 0 ? shareAbove((upper.value - lower.value) / deviation) : 0
      if (swapped < UNLIKELY) continue
      const lost = upper.score * swapped * (discount(i) - discount(i + 1 + behind))
      for (const { id } of unread) gains.set(id, (gains.get(id) ?? 0) + lost)
    }
  }
  return [...gains]
    .filter(([, gain]) => gain > WORTH_READING)
    .sort(([, a], [, b]) => b - a)
    .slice(0, READ_AT_ONCE)
    .map(([id]) => id)
}

/**
 * The ranking with late interaction heeded; pages that were not read count as much as is likely by their other evidence.
 *
 * @param ranked best first
 * @param late by page id, 0..1, of the pages that were read
 */
export function withLateInteraction(ranked: readonly Ranked[], late: ReadonlyMap<string, number>): Ranked[] {
  if (late.size === 0) return [...ranked]
  const weight = lateWeight(ranked)
  const lateOf = likelyLate(late, ranked)
  const mixed = ranked.map((one) => ({
    ...one,
    late: late.get(one.id) ?? 0,
    fused: (1 - weight) * one.fused + weight * lateOf(one),
  }))
  return scored(mixed, CALIBRATIONS.late)
}

type Evidence = Pick<Ranked, "id" | "lexical" | "vector">

/** The late interaction of each page, measured or expected. */
function likelyLate(
  late: ReadonlyMap<string, number>,
  ranked: readonly Evidence[],
): (page: Evidence) => number {
  const expected = ({ lexical, vector }: Evidence) => EXPECTED.lexical * lexical + EXPECTED.vector * vector
  const surprises = ranked.flatMap((one) => {
    const read = late.get(one.id)
    return read === undefined ? [] : [read - expected(one)]
  })
  const surprise = surprises.reduce((sum, one) => sum + one, 0) / Math.max(1, surprises.length)
  return (one) => late.get(one.id) ?? Math.min(1, Math.max(0, expected(one) + surprise))
}

/** The weight of a result in this place, from 0, in nDCG@10. */
const discount = (place: number): number => (place < MOST_RESULTS ? 1 / Math.log2(place + 2) : 0)

/** Share of a normal distribution above so many standard deviations, within 0.01 (logistic approximation). */
const shareAbove = (deviations: number): number => 1 / (1 + Math.exp(1.702 * deviations))

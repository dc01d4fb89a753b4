import { CALIBRATIONS, type Ranked, scored } from "./fusion.ts"

/**
 * Weight of late interaction relative to all other evidence if no page has word evidence; with more word evidence there
 * is less to gain, and from {@link ENOUGH_WORDS} on nothing. nDCG@10 on the sets above, `basic` first; the vectors that
 * an index finds differ slightly each time it is made, which changes results by up to 0.001 on the 32 long pages, and
 * 0.012 where the first two pages of a question are 0.0001 apart, as one pair was with late interaction up to 0.5
 * (0.836 or 0.825):
 *
 * none                                   0.835  0.963  0.935    0.845  0.753  0.743    0.743
 * 0.3, to 0 at 1, misspelt words too     0.819  0.957  0.934    0.854  0.755  0.750    0.754
 * 0.4, to 0 at 0.65                      0.825  0.963  0.946                           0.750
 * 0.4, to 0 at 0.5                       0.825  0.979  0.935    0.852  0.755  0.751    0.752
 * 0.4, to 0 at 0.45                      0.835  0.979  0.935                           0.743
 * this, to 0 at 0.48                     0.836  0.979  0.935                           0.746
 */
const MOST_LATE = 0.4
/** If a page has this much word evidence, passages aren't read again. */
const ENOUGH_WORDS = 0.48

/**
 * The expected late interaction of a passage that wasn't read, estimated from the other evidence of its page: least
 * squares on the differences within 747 questions, the even-numbered ones (apidocs, codebase, passages and sections, as
 * above), and the standard deviation of the error. The part that a question's passages share is known once some of them
 * have been read.
 */
const EXPECTED = { lexical: 0.65, vector: 0.2, deviation: 0.05 }
/** Number of results whose order matters: depths are judged by nDCG@10, and people rephrase before they look further down. */
const MOST_RESULTS = 10
/**
 * A page is read if the expected loss from not reading it is at least this: for each pair that might swap places, the
 * probability of the swap times the difference in nDCG times the probability that the upper page answers at all.
 * nDCG@10 of the even questions (sections, apidocs, codebase, passages), and how many pages are read where ten results
 * are wanted and, of eight pages, where five are:
 *
 * all        0.778 0.895 0.784 0.726    16     8
 * 0.0001     0.778 0.895 0.784 0.727    9.4   4.3
 * this       0.778 0.895 0.784 0.727    8.6   3.8
 * 0.0005     0.776 0.895 0.784 0.727    7.1   3.2
 * none       0.776 0.893 0.783 0.717    0     0
 */
const WORTH_READING = 0.0002
/** Swaps less likely than this are ignored. */
const UNLIKELY = 0.001
/** Number of pages read before checking again whether the order is settled. Reading one at a time reads a tenth fewer, in four times as many rounds. */
const READ_AT_ONCE = 4

/**
 * The pages of a ranking whose best passages may be read again, best first: none if the words match well enough.
 *
 * @param pages maximum number of pages for ten results or more; for fewer, one page more than is shown is enough: for
 * five results, nDCG@5 is the same with six pages as with sixteen
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
 * @param readable pages of the ranking that may be read
 * @param late by page id, 0..1, for pages that were read
 * @param results number of results wanted
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
 * Applies late interaction to the ranking; for pages that weren't read, the value is estimated from their other
 * evidence.
 *
 * @param ranked best first
 * @param late by page id, 0..1, for pages that were read
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

/** The weight in nDCG@10 of the result at this position, counted from 0. */
const discount = (place: number): number => (place < MOST_RESULTS ? 1 / Math.log2(place + 2) : 0)

/** Share of a normal distribution above this many standard deviations, within 0.01 (logistic approximation). */
const shareAbove = (deviations: number): number => 1 / (1 + Math.exp(1.702 * deviations))

/** Minimum score for a result to be returned: see {@link SHARE_OF_BEST}. */
const FLOOR = 0.1
/**
 * Once scores fall below this share of the best one, the remaining results are of another kind. Means over the judged
 * collections (`bench/quality/auto-results.ts`: 820 questions, 20 hits each), and the number of results for a question
 * from another collection, which no page here answers:
 *
 * rule                            precision  recall  F2     results  when nothing answers always 3 0.35       0.75
 * 0.593  3        3 always 5                        0.24       0.81    0.526  5        5 always 10 0.13       0.88
 * 0.391  10       10 floor 0.05                      0.42       0.81    0.603  5.3      2.4 floor 0.10
 * 0.54       0.75    0.636  3.4      1.3 share 0.30                      0.59       0.69 0.621  2.6      2.3 share
 * 0.15, floor 0.05          0.51       0.77    0.630  4.0      2.4 share 0.15, floor 0.10 0.54       0.75    0.634  3.4
 * 1.3 the same, with scores that account for words found on no page, and no results if the best is below the floor 0.57
 * 0.72    0.631  2.9      0.4 largest fall, floor 0.10        0.61       0.69    0.623  2.3 1.3
 *
 * F2 weighs recall twice: for the person asking, a missing page is worse than an extra one. The floor alone scores
 * equally well; the share keeps the rule useful where all scores are high.
 */
const SHARE_OF_BEST = 0.15

/**
 * Number of best results to return when the caller leaves the number to us (`auto`): those before scores fall off, or
 * none if even the best one hardly answers the question.
 *
 * @param scores calibrated, best first
 */
export function autoResults(scores: readonly number[]): number {
  const [best = 0] = scores
  const least = Math.max(FLOOR, SHARE_OF_BEST * best)
  const falls = scores.findIndex((score) => score < least)
  return falls === -1 ? scores.length : falls
}

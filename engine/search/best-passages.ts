/** Weight of similarity in meaning relative to words, each as a share of the value of the best passage on the page. */
const NEARNESS_WEIGHT = 0.6

/**
 * Positions of the passages that match the query best, best first. Passages that don't match follow in page order.
 *
 * @param words word evidence of each passage, by position; null if unknown.
 * @param cosines cosines of the passages that the vector arm found, by position.
 */
export function bestPositions(
  words: Float64Array | null,
  cosines: ReadonlyMap<number, number>,
  count: number,
): number[] {
  const most = words?.reduce((a, b) => Math.max(a, b), 0) || 1
  const nearest = Math.max(0, ...cosines.values()) || 1
  const all = words ? words.keys() : new Set([...cosines.keys(), ...Array(count).keys()])
  const scored = [...all].map((position) => {
    const near = Math.max(0, cosines.get(position) ?? 0) / nearest
    const said = (words?.[position] ?? 0) / most
    return { position, score: (1 - NEARNESS_WEIGHT) * said + NEARNESS_WEIGHT * near }
  })
  return scored
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, count)
    .map(({ position }) => position)
}

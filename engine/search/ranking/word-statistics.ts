import type { WordStatistics } from "../../engine.ts"

/** BM25's inverse document frequency of a term that is on `held` of `pages` pages. Never negative. */
export function inverseFrequency(held: number, pages: number): number {
  const frequency = Math.min(held, pages)
  return Math.log(1 + (pages - frequency + 0.5) / (frequency + 0.5))
}

/** The inverse document frequency (BM25) of a term among all these pages; undefined if unknown. */
export function idfAmong(statistics: WordStatistics | undefined, term: string): number | undefined {
  const held = statistics?.words.get(term)
  return statistics === undefined || held === undefined ? undefined : inverseFrequency(held, statistics.pages)
}

/**
 * Computes, from the rarity of words, how many of an index's pages contain each of them.
 *
 * @param pages number of pages of the index
 * @param rarity BM25 inverse document frequencies
 */
export const statisticsOf = (pages: number, rarity: ReadonlyMap<string, number>): WordStatistics => ({
  pages,
  words: new Map(
    Array.from(rarity, ([term, idf]) => [
      term,
      Math.min(pages, Math.max(0, Math.round((pages + 1) * Math.exp(-idf) - 0.5))),
    ]),
  ),
})

/** Combines the statistics of several indexes as if they were one. If an index stems a word differently, the word counts as being on none of its pages. */
export function sumOf(all: readonly WordStatistics[]): WordStatistics {
  const words = new Map<string, number>()
  for (const one of all) {
    for (const [term, pages] of one.words) words.set(term, (words.get(term) ?? 0) + pages)
  }
  return { pages: all.reduce((sum, { pages }) => sum + pages, 0), words }
}

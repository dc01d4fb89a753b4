import { SHORTEST_WITH_TYPO, spellingsOf, type UnknownWord } from "../server/unknown-words.ts"
import type { Searches } from "./server/searches.ts"
import type { TermFrequencies } from "./term-frequencies.ts"

/** Length of the shortest term that is matched with two typos. */
const TWO_TYPOS_FROM = 6
const MOST = 30

/**
 * Terms in the index that are spelt like the terms of these words, and how many pages contain each. These are the terms
 * near the word or its term in the server's list of terms, and those that are one letter away from the word although
 * their stem is far from both.
 */
export async function similarTerms(
  searches: Searches,
  pages: string,
  frequenciesOf: (terms: readonly string[]) => ReturnType<TermFrequencies["of"]>,
  words: readonly UnknownWord[],
): Promise<Map<string, number>> {
  const { around, besides } = await spellingsOf(words)
  const found = around.length > 0 ? await foundAround(searches, pages, around) : []
  return await frequenciesOf([...new Set([...found, ...besides])])
}

async function foundAround(searches: Searches, pages: string, words: readonly string[]): Promise<string[]> {
  const suggest = Object.fromEntries(
    words.map((text, i) => [
      String(i),
      {
        text,
        term: {
          field: "words",
          analyzer: "terms",
          suggest_mode: "always",
          max_edits: text.length < TWO_TYPOS_FROM ? 1 : 2,
          prefix_length: 0,
          min_word_length: SHORTEST_WITH_TYPO,
          size: MOST,
          shard_size: MOST,
          accuracy: 0.1,
        },
      },
    ]),
  )
  const { suggest: said = {} } = await searches.search(pages, { size: 0, track_total_hits: false, suggest })
  return Object.values(said).flatMap((entries) =>
    entries.flatMap(({ options }) => options.map(({ text }) => text)),
  )
}

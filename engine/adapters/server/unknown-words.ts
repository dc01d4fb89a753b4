import { breather } from "#base/flow/breather.ts"
import { nearbyTerms } from "../../text/spelling/typos.ts"

/** A word that no page holds. */
export interface UnknownWord {
  /** Lower case, as written. */
  readonly word: string
  /** From a word to its term. */
  readonly stem: (word: string) => string
}

/** Letters of the shortest term that others are looked for around. */
export const SHORTEST_WITH_TYPO = 3
/**
 * Most extra terms to look up for one word, each a fifth of a millisecond on a Meilisearch server. Of 633 mistyped words of a
 * handbook half had one, a tenth 40 and more, and the worst 239.
 */
const MOST_BESIDES = 240

/**
 * Queries to a server about words that may be misspelt: `around` are words whose neighbours it finds by its own tolerance,
 * `besides` terms that are a letter from a word and whose stem is far from it.
 */
export async function spellingsOf(
  words: readonly UnknownWord[],
): Promise<{ readonly around: readonly string[]; readonly besides: readonly string[] }> {
  const breathe = breather()
  const around: string[] = []
  const besides: string[] = []
  for (const { word, stem } of words) {
    const near = await nearbyTerms(word, stem, SHORTEST_WITH_TYPO, breathe)
    around.push(...near.around)
    besides.push(...near.besides.slice(0, MOST_BESIDES))
  }
  return { around, besides }
}

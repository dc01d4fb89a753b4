import { breather } from "#base/flow/breather.ts"
import { nearbyTerms } from "../../text/spelling/typos.ts"

/** A word that is on no page. */
export interface UnknownWord {
  /** Lower case, as written. */
  readonly word: string
  /** Returns the term of a word. */
  readonly stem: (word: string) => string
}

/** Length of the shortest term for which similar ones are looked up. */
export const SHORTEST_WITH_TYPO = 3
/**
 * Maximum number of additional terms to look up for one word; each takes a fifth of a millisecond on a Meilisearch
 * server. Of 633 mistyped words in a handbook, half had one such term, a tenth had 40 or more, and the worst had 239.
 */
const MOST_BESIDES = 240

/**
 * Queries to a server about words that might be misspelt. For the words in `around`, the server finds similar ones with
 * its own tolerance; `besides` contains terms that are one letter away from a word although their stem is far from it.
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

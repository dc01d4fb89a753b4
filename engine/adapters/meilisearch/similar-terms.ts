import { breather } from "#base/flow/breather.ts"
import { nearbyTerms } from "../../text/analysis/typos.ts"
import { LEVEL_NAMES } from "./impacts.ts"
import type { Indexes } from "./server/indexes.ts"
import { frequenciesOf } from "./lexical.ts"
import type { Server } from "./server/server.ts"
import { SHORTEST_WITH_TYPO, decodeTerm, encodeTerm } from "./term-code.ts"

/** Pages looked at for each word: the nearest terms come first, and frequent ones stand in many of them. */
const PAGES = 40
const MOST = 30
/**
 * Terms that are looked up besides, at a fifth of a millisecond of the server each. Of 633 mistyped words of a handbook half had one, a tenth 40
 * and more, and the worst 239.
 */
const MOST_BESIDES = 240
const MARK = "|"

/** A word that no page holds. */
export interface UnknownWord {
  /** Lower case, as written. */
  readonly word: string
  /** From a word to its term. */
  readonly stem: (word: string) => string
}

/**
 * Terms of the index that are spelt like the terms of these words, and in how many pages each stands: by the server's typo tolerance, around the
 * word and around its term, and those that are a letter from the word and whose stem is far from both. The
 * server does not tell which word it found; but it can mark it in the page.
 */
export async function similarTerms(
  server: Server,
  indexes: Indexes,
  words: readonly UnknownWord[],
): Promise<Map<string, number>> {
  if (words.length === 0) return new Map()
  const breathe = breather()
  const around: string[] = []
  const besides: string[] = []
  for (const { word, stem } of words) {
    const near = await nearbyTerms(word, stem, SHORTEST_WITH_TYPO, breathe)
    around.push(...near.around)
    besides.push(...near.besides.slice(0, MOST_BESIDES))
  }
  const found = around.length > 0 ? await foundAround(server, indexes, around) : new Set<string>()
  return frequenciesOf(server, indexes, [...new Set([...[...found].slice(0, MOST), ...besides])])
}

async function foundAround(server: Server, indexes: Indexes, words: readonly string[]): Promise<Set<string>> {
  const { results } = await server.client.multiSearch({
    queries: words.map((word) => ({
      indexUid: indexes.pages.uid,
      q: encodeTerm(word),
      limit: PAGES,
      attributesToRetrieve: [],
      attributesToCrop: LEVEL_NAMES,
      cropLength: 1,
      cropMarker: "",
      attributesToHighlight: LEVEL_NAMES,
      highlightPreTag: MARK,
      highlightPostTag: MARK,
    })),
  })
  const found = new Set<string>()
  for (const { hits } of results) {
    for (const { _formatted: shown } of hits) {
      for (const text of Object.values<unknown>(shown ?? {})) {
        const [, word] = typeof text === "string" ? text.split(MARK) : []
        const term = word === undefined ? null : decodeTerm(word)
        if (term !== null) found.add(term)
      }
    }
  }
  return found
}

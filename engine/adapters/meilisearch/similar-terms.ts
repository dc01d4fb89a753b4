import { spellingsOf, type UnknownWord } from "../server/unknown-words.ts"
import { LEVEL_NAMES } from "./impacts.ts"
import type { Indexes } from "./server/indexes.ts"
import { frequenciesOf } from "./lexical.ts"
import type { Server } from "./server/server.ts"
import { decodeTerm, encodeTerm } from "./term-code.ts"

/** Number of pages examined for each word: those with the nearest terms come first, and many of them contain the frequent terms. */
const PAGES = 40
const MOST = 30
const MARK = "|"

/**
 * Terms in the index that are spelt like the terms of these words, and how many pages contain each. These are the terms
 * that the server's typo tolerance finds for the word and for its term, and those that are one letter away from the
 * word although their stem is far from both. The server doesn't report which word it found, but it can highlight the
 * word in the page.
 */
export async function similarTerms(
  server: Server,
  indexes: Indexes,
  words: readonly UnknownWord[],
): Promise<Map<string, number>> {
  const { around, besides } = await spellingsOf(words)
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

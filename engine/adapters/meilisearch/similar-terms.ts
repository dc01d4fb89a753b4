import { LEVEL_NAMES } from "./impacts.ts"
import type { Indexes } from "./server/indexes.ts"
import { frequenciesOf } from "./lexical.ts"
import type { Server } from "./server/server.ts"
import { decodeTerm, encodeTerm } from "./term-code.ts"

/** Pages looked at for each term: the nearest terms come first, and frequent ones stand in many of them. */
const PAGES = 40
const MOST = 30
const MARK = "|"

/**
 * Terms of the index that are spelt like one of the given, by the server's typo tolerance, and in how many pages each
 * stands. The server does not tell which word it found; but it can mark it in the page.
 */
export async function similarTerms(
  server: Server,
  indexes: Indexes,
  terms: readonly string[],
): Promise<Map<string, number>> {
  if (terms.length === 0) return new Map()
  const { results } = await server.client.multiSearch({
    queries: terms.map((term) => ({
      indexUid: indexes.pages.uid,
      q: encodeTerm(term),
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
  return frequenciesOf(server, indexes, [...found].slice(0, MOST))
}

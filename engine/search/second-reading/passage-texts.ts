import { embeddingText } from "../../text/passages.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import type { PageWords } from "../page-words.ts"

/** Cosines of a page's passages, by position, by page. */
export type CosinesByPage = ReadonlyMap<string, ReadonlyMap<number, number>>

/** The text that stands for each page in a second reading: its best passage, with title and headings. Pages that are gone have none. */
export async function bestTexts(
  index: SearchIndex,
  ids: readonly string[],
  words: PageWords,
  cosines: CosinesByPage,
): Promise<Map<string, string>> {
  const wanted = (await index.heads(ids)).map((head) => ({
    head,
    positions: [bestPosition(words.passages(head.id), cosines.get(head.id))],
  }))
  const passages = await index.passages(wanted)
  const texts = new Map<string, string>()
  for (const { head, positions } of wanted) {
    const passage = passages.get(head.id)?.get(positions[0]!)
    if (passage) texts.set(head.id, embeddingText(head.title, passage))
  }
  return texts
}

/** The passage with the most words and nearness together. */
function bestPosition(shares: Float64Array | null, cosines: ReadonlyMap<number, number> | undefined): number {
  let best = 0
  let most = -1
  for (const position of new Set([...(shares?.keys() ?? []), ...(cosines?.keys() ?? [])])) {
    const value = (shares?.[position] ?? 0) + Math.max(0, cosines?.get(position) ?? 0)
    if (value > most) [best, most] = [position, value]
  }
  return best
}

import type { Passage } from "../../index/page/passage.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import type { PageWords } from "../page-words.ts"

/** Cosines of a page's passages: by page, then by position. */
export type CosinesByPage = ReadonlyMap<string, ReadonlyMap<number, number>>

/** A passage with the title of its page. */
export interface TitledPassage {
  readonly title: string
  readonly passage: Passage
}

/** The best passage of each page, which is the one to read again. Deleted pages have none. */
export async function bestPassages(
  index: SearchIndex,
  ids: readonly string[],
  words: PageWords,
  cosines: CosinesByPage,
): Promise<Map<string, TitledPassage>> {
  const wanted = (await index.heads(ids)).map((head) => ({
    head,
    positions: [bestPosition(words.passages(head.id), cosines.get(head.id))],
  }))
  const passages = await index.passages(wanted)
  const best = new Map<string, TitledPassage>()
  for (const { head, positions } of wanted) {
    const passage = passages.get(head.id)?.get(positions[0]!)
    if (passage) best.set(head.id, { title: head.title, passage })
  }
  return best
}

/** The position of the passage with the highest word evidence and vector similarity combined. */
function bestPosition(shares: Float64Array | null, cosines: ReadonlyMap<number, number> | undefined): number {
  let best = 0
  let most = -1
  for (const position of new Set([...(shares?.keys() ?? []), ...(cosines?.keys() ?? [])])) {
    const value = (shares?.[position] ?? 0) + Math.max(0, cosines?.get(position) ?? 0)
    if (value > most) [best, most] = [position, value]
  }
  return best
}

import type { LexicalHits } from "../index/search-index.ts"

/** The results of the arms. */
interface Found {
  readonly lexical: LexicalHits
  /** Cosines by page id and position. */
  readonly cosines: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** Pages that contain the quoted phrases. */
  readonly holders: ReadonlySet<string>
  /** Pages that have no vectors yet. */
  readonly waiting: ReadonlySet<string>
}

/**
 * Pages ordered by the evidence of both arms, after the pages that come first anyway. A page without vectors counts as
 * being as near as the nearest one: otherwise it would not be read, and would be penalized for that.
 */
export function likeliest(ids: Iterable<string>, { lexical, cosines, holders, waiting }: Found): string[] {
  const best = Math.max(...lexical.values())
  const nearness = new Map(Array.from(cosines, ([id, found]) => [id, Math.max(0, ...found.values())]))
  const nearest = Math.max(0, ...nearness.values())
  const value = (id: string) =>
    (holders.has(id) ? 1 : 0) +
    (lexical.get(id) ?? 0) / best +
    (nearness.get(id) ?? (waiting.has(id) ? nearest : 0))
  const values = new Map(Array.from(ids, (id) => [id, value(id)]))
  return bestFirst(values)
}

/** Ties are ordered by id, never by chance: this decides which of many equal pages are read. */
export const bestFirst = (values: ReadonlyMap<string, number>): string[] =>
  [...values].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([id]) => id)

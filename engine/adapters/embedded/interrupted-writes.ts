import type { PageStore } from "./files/page-store.ts"
import type { StoredPage } from "../../index/page-record.ts"
import type { IndexedPage } from "./lance/tables.ts"

const READ_AT_A_TIME = 100

/** The pages about which the store and the pages table disagree. */
export interface Disagreement {
  /** Pages of which the table contains another version, or none at all: they must be indexed again. */
  readonly again: readonly StoredPage[]
  /** Ids of pages that the store has lost: their content can't be shown. */
  readonly lost: readonly string[]
}

/**
 * Traces of a process that was killed between its two writes: the store is ahead of the table. A page that is only in
 * the store may be an unacknowledged write, or one that the table has lost; indexing it again is right for both. Pages
 * that are only in the table were once in the store.
 */
export function disagreement(
  indexed: ReadonlyMap<string, Pick<IndexedPage, "revision">>,
  store: PageStore,
): Disagreement {
  const lost = new Set(indexed.keys())
  const ahead: string[] = []
  for (const { id, revision } of store.revisions()) {
    lost.delete(id)
    if (indexed.get(id)?.revision !== revision) ahead.push(id)
  }
  const again: StoredPage[] = []
  for (let at = 0; at < ahead.length; at += READ_AT_A_TIME) {
    again.push(...store.read(ahead.slice(at, at + READ_AT_A_TIME)))
  }
  return { again, lost: [...lost] }
}

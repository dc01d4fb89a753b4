import type { PageStore } from "./files/page-store.ts"
import type { StoredPage } from "../../index/page-record.ts"
import type { IndexedPage } from "./lance/tables.ts"

const READ_AT_A_TIME = 100

/**
 * What a process that was killed between its two writes left behind: pages whose store is ahead of the table,
 * to be indexed again, and pages that only the store has. Those nobody was told of, so they can go.
 */
export function interruptedWrites(
  indexed: ReadonlyMap<string, Pick<IndexedPage, "revision">>,
  store: PageStore,
): { readonly again: readonly StoredPage[]; readonly unknown: readonly string[] } {
  const unknown: string[] = []
  const ahead: string[] = []
  for (const { id, revision } of store.revisions()) {
    const page = indexed.get(id)
    if (!page) unknown.push(id)
    else if (page.revision !== revision) ahead.push(id)
  }
  const again: StoredPage[] = []
  for (let at = 0; at < ahead.length; at += READ_AT_A_TIME) {
    again.push(...store.read(ahead.slice(at, at + READ_AT_A_TIME)))
  }
  return { again, unknown }
}

import { batchesOf } from "./rows.ts"
import type { PageRow, StoredPage } from "./schema.ts"
import type { Tables } from "./tables.ts"

const READ_AT_A_TIME = 100

/**
 * What a process that was killed between its two writes left behind: pages whose store is ahead of the table,
 * to be indexed again, and pages that only the store has. Those nobody was told of, so they can go.
 */
export async function interruptedWrites({ pages, store }: Tables): Promise<{
  readonly again: readonly StoredPage[]
  readonly unknown: readonly string[]
}> {
  const indexed = new Map<string, number>()
  for await (const batch of batchesOf<Pick<PageRow, "id" | "revision">>(
    pages.query().select(["id", "revision"]),
  )) {
    for (const { id, revision } of batch) indexed.set(id, revision)
  }
  const unknown: string[] = []
  const ahead: string[] = []
  for (const { id, revision } of store.revisions()) {
    if (!indexed.has(id)) unknown.push(id)
    else if (indexed.get(id) !== revision) ahead.push(id)
  }
  const again: StoredPage[] = []
  for (let at = 0; at < ahead.length; at += READ_AT_A_TIME) {
    again.push(...store.read(ahead.slice(at, at + READ_AT_A_TIME)))
  }
  return { again, unknown }
}

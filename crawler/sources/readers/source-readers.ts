import { type Readers, restricts } from "#engine/index/page/readers.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { forgetReadersNow } from "./readers-now.ts"
import type { ReadersTables } from "./readers-schema.ts"

/**
 * Sets who may read the pages of a source; null for everybody. Takes effect at once, without a crawl. The setting
 * outlives a deleted source as long as pages of the source might exist.
 */
export async function keepSourceReaders(
  db: StateStore,
  source: string,
  readers: Readers | null,
): Promise<void> {
  forgetReadersNow(db)
  const queries = queriesOf<ReadersTables>(db)
  if (readers === null || !restricts(readers)) {
    await queries.deleteFrom("source_readers").where("source", "=", source).execute()
    return
  }
  const text = JSON.stringify(readers)
  await queries
    .insertInto("source_readers")
    .values({ source, readers: text })
    .onConflict((conflict) => conflict.column("source").doUpdateSet({ readers: text }))
    .execute()
}

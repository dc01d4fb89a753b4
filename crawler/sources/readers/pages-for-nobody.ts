import { type Page, type PageUrl, sourcesOf } from "#engine"
import type { Readers } from "#engine/index/page/readers.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { migrateReaders, type ReadersTables } from "./readers-schema.ts"

/** Whether readers exclude everyone: one of the allow lists is empty, or everyone on it is denied. */
export const letNobodyIn = ({ allow, deny }: Readers): boolean =>
  allow.some((list) => list.every((one) => deny.includes(one)))

/** Call this for pages that are written to the index: it records which of them no one may read. */
export async function notePagesForNobody(
  db: StateStore,
  pages: readonly Pick<Page, "url" | "source" | "sharedWith" | "readers">[],
): Promise<void> {
  const rows = pages
    .filter(({ readers = [] }) => readers.some(letNobodyIn))
    .flatMap((page) => sourcesOf(page).map((source) => ({ source, url: page.url })))
  const urls = pages.map(({ url }) => url)
  if (rows.length === 0) return await forgetPagesForNobody(db, urls)
  await transaction(db, async () => {
    await forgetPagesForNobody(db, urls)
    await queriesOf<ReadersTables>(db).insertInto("page_for_nobody").values(rows).execute()
  })
}

/** Call this for pages that leave the index. */
export async function forgetPagesForNobody(db: StateStore, urls: readonly PageUrl[]): Promise<void> {
  if (urls.length === 0) return
  await queriesOf<ReadersTables>(db).deleteFrom("page_for_nobody").where("url", "in", listed(urls)).execute()
}

/** How many pages of each source no one may read; sources without such pages are left out. */
export async function countPagesForNobody(db: StateStore): Promise<ReadonlyMap<string, number>> {
  migrateReaders(db)
  const rows = await queriesOf<ReadersTables>(db)
    .selectFrom("page_for_nobody")
    .select(({ fn }) => ["source", fn.countAll<number>().as("count")])
    .groupBy("source")
    .execute()
  return new Map(rows.map(({ source, count }) => [source, count]))
}

/** Pages of a source that no one may read, by address. */
export async function listPagesForNobody(db: StateStore, source: string, limit: number): Promise<PageUrl[]> {
  migrateReaders(db)
  const rows = await queriesOf<ReadersTables>(db)
    .selectFrom("page_for_nobody")
    .select("url")
    .where("source", "=", source)
    .orderBy("url")
    .limit(limit)
    .execute()
  return rows.map(({ url }) => url)
}

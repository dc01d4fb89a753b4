import { gunzipSync, gzipSync } from "node:zlib"
import type { Page, PageUrl } from "#engine"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { RemovalTables } from "./removal-schema.ts"

/** Compressed copies of removed pages, kept until they are restored or the record of their removal is deleted. */
export class RemovedCopies {
  readonly #queries: Queries<RemovalTables>

  constructor(db: StateStore) {
    this.#queries = queriesOf(db)
  }

  async keep(url: PageUrl, source: string, page: Page): Promise<void> {
    const packed = packPage(page)
    await this.#queries
      .insertInto("removed_page")
      .values({ url, source, page: packed })
      .onConflict((conflict) => conflict.columns(["url", "source"]).doUpdateSet({ page: packed }))
      .execute()
  }

  /** `null` if no copy exists. */
  async get(url: PageUrl, source: string): Promise<Page | null> {
    const row = await this.#queries
      .selectFrom("removed_page")
      .select("page")
      .where((eb) => eb.and({ url, source }))
      .executeTakeFirst()
    return row === undefined ? null : unpackPage(row.page)
  }

  async drop(url: PageUrl, source: string): Promise<void> {
    await this.#queries
      .deleteFrom("removed_page")
      .where((eb) => eb.and({ url, source }))
      .execute()
  }

  /** Deletes copies of pages whose removal was undone, or is so old that its record was deleted. */
  async dropForgotten(): Promise<void> {
    const known = this.#queries.selectFrom("removal").select(["url", "source"]).$asTuple("url", "source")
    await this.#queries
      .deleteFrom("removed_page")
      .where((eb) => eb(eb.refTuple("url", "source"), "not in", known))
      .execute()
  }
}

/** A page as bytes, compact enough to keep for a while. */
function packPage(page: Page): Uint8Array {
  return gzipSync(JSON.stringify(page))
}

/** The page that was passed to {@link packPage}. */
function unpackPage(bytes: Uint8Array): Page {
  const page = JSON.parse(gunzipSync(bytes).toString("utf8")) as Page & {
    readonly publishedAt: string | null
    readonly fetchedAt: string
  }
  return {
    ...page,
    publishedAt: page.publishedAt === null ? null : new Date(page.publishedAt),
    fetchedAt: new Date(page.fetchedAt),
  }
}

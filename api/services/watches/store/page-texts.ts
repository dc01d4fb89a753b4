import { deflateRawSync, inflateRawSync } from "node:zlib"

import { sql } from "kysely"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { WatchTables } from "./watch-tables.ts"

/** Maximum number of characters of a page's text that are stored; for longer pages a watch reports only that they changed. */
const MOST_CHARS = 400_000

/** Texts of watched pages as they were last seen, compressed, by their hash; each text is stored once, however many watches use it. */
export class PageTexts {
  readonly #queries: Queries<WatchTables>
  readonly #mostBytes: number
  #bytes: number | null = null

  /** @param mostBytes maximum number of bytes for all texts together */
  constructor(db: StateStore, mostBytes: number) {
    this.#queries = queriesOf(db)
    this.#mostBytes = mostBytes
  }

  /** Stores a text, charged to a key, if there is room for it. Runs in the caller's transaction. */
  async keep(hash: string, text: string, key: string): Promise<void> {
    if (text.length > MOST_CHARS || this.#mostBytes === 0) return
    if ((await this.#of(hash).select("hash").executeTakeFirst()) !== undefined) return
    const packed = deflateRawSync(text)
    const bytes = await this.#used()
    if (bytes + packed.byteLength > this.#mostBytes) return
    await this.#queries.insertInto("watch_text").values({ hash, packed, key }).execute()
    this.#bytes = bytes + packed.byteLength
  }

  /** The stored text; `null` if it was not stored. */
  async get(hash: string): Promise<string | null> {
    const row = await this.#of(hash).select("packed").executeTakeFirst()
    return row === undefined ? null : inflateRawSync(row.packed).toString("utf8")
  }

  #of(hash: string) {
    return this.#queries.selectFrom("watch_text").where("hash", "=", hash)
  }

  /** Deletes a text unless it is the last version that some watch has seen. Runs in the caller's transaction. */
  async release(hash: string): Promise<void> {
    await this.#unseen().where("hash", "=", hash).execute()
    this.#bytes = null
  }

  /** Deletes all texts except the last versions that watches have seen. Runs in the caller's transaction. */
  async releaseAll(): Promise<void> {
    await this.#unseen().execute()
    this.#bytes = null
  }

  #unseen() {
    return this.#queries
      .deleteFrom("watch_text")
      .where(sql<boolean>`not exists (select 1 from watch_seen where hash = watch_text.hash)`)
  }

  async #used(): Promise<number> {
    if (this.#bytes !== null) return this.#bytes
    const { n } = await this.#queries
      .selectFrom("watch_text")
      .select(sql<number>`coalesce(sum(length(packed)), 0)`.as("n"))
      .executeTakeFirstOrThrow()
    return (this.#bytes = n)
  }
}

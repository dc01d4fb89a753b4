import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { StoredTables } from "./stored-use.ts"

/**
 * The data a key can have the appliance store until it expires: research, jobs of the Firecrawl API, watches. Tables
 * that drop their oldest entries to make room, such as those for calls and feedback, are not included.
 */
const KEPT_TABLES = [
  "research_task",
  "firecrawl_job",
  "firecrawl_result",
  "firecrawl_frontier",
  "watch",
  "watch_seen",
  "watch_text",
  "watch_entry",
] as const

/** The name under which `stored_use` contains the total of all keys. */
const ALL = "*"

const bytesOfKey = once((q: Queries<StoredTables>, { keyId }: { keyId: string }) =>
  q
    .selectFrom("stored_use")
    .select((eb) => eb.fn.sum<number | null>("bytes").as("bytes"))
    .where("key_id", "=", keyId)
    .where("store", "in", KEPT_TABLES),
)

/** Number of bytes stored for each key. */
export class KeptByKey {
  /** Maximum number of bytes that one key may store in all tables together. */
  readonly most: number
  readonly #db: StateStore

  /** @param db a state whose tables are counted by `countStored` */
  constructor(db: StateStore, most: number) {
    this.most = most
    this.#db = db
  }

  async bytesOf(keyId: string): Promise<number> {
    return (await bytesOfKey.get(this.#db, { keyId }))?.bytes ?? 0
  }

  /** Number of bytes stored for the key that has the most. */
  async largest(): Promise<number> {
    const row = await queriesOf<StoredTables>(this.#db)
      .selectFrom("stored_use")
      .select((eb) => eb.fn.sum<number>("bytes").as("bytes"))
      .where("key_id", "not in", [ALL, ""])
      .where("store", "in", KEPT_TABLES)
      .groupBy("key_id")
      .orderBy("bytes", "desc")
      .limit(1)
      .executeTakeFirst()
    return row?.bytes ?? 0
  }

  /** Whether a key may store `more` bytes. */
  async hasRoom(keyId: string, more = 0): Promise<boolean> {
    return this.most === Infinity || (await this.bytesOf(keyId)) + more < this.most
  }
}

import { prepareOnce, type StateStore } from "#base/store/state-store.ts"

/**
 * What a key can have the appliance keep, and nobody deletes before its time: research, jobs of the Firecrawl API, watches. What makes
 * room for itself, such as calls and feedback, is not among it.
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

const KEPT = KEPT_TABLES.map((table) => `'${table}'`).join(", ")
/** What stands for all keys in `stored_use`. */
const ALL = "*"

/** Bytes that one key has had kept under whatever name, of those that it may. */
export class KeptByKey {
  /** Bytes for each key. */
  readonly most: number
  readonly #prepare: ReturnType<typeof prepareOnce>

  /** @param db where the tables are counted by `countStored` */
  constructor(db: StateStore, most: number) {
    this.most = most
    this.#prepare = prepareOnce(db)
  }

  async bytesOf(keyId: string): Promise<number> {
    const row = await this.#prepare(
      `select coalesce(sum(bytes), 0) as bytes from stored_use
       where key_id = ? and store in (${KEPT})`,
    ).get(keyId)
    return Number(row!["bytes"])
  }

  /** Of the key that has the most. */
  async largest(): Promise<number> {
    const row = await this.#prepare(
      `select coalesce(max(bytes), 0) as bytes from (
         select sum(bytes) as bytes from stored_use
         where key_id not in ('${ALL}', '') and store in (${KEPT}) group by key_id) as sums`,
    ).get()
    return Number(row!["bytes"])
  }

  /** Whether a key may have `more` bytes kept. */
  async hasRoom(keyId: string, more = 0): Promise<boolean> {
    return this.most === Infinity || (await this.bytesOf(keyId)) + more < this.most
  }
}

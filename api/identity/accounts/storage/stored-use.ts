import type { Count } from "#base/store/rows/counts.ts"
import { once } from "#base/store/query/once.ts"
import type { Queries } from "#base/store/query/queries.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { StateStore } from "#base/store/state-store.ts"

/** A table in `state.db` in which callers store something. */
export interface StoredTable {
  readonly table: string
  /** SQL for the id of the key that stored a row. */
  readonly key: string
  /** Columns whose size callers choose. */
  readonly columns: readonly string[]
}

/** The rows of one key, or of all, in a table. */
export interface Stored {
  readonly entries: number
  readonly bytes: number
}

export interface StoredTables {
  stored_use: { store: string; key_id: string; entries: number; bytes: number }
}

/** How much may be stored. */
export interface StoreLimits {
  readonly all: Stored
  readonly ofKey: Stored
}

/** A row's size without the columns that callers fill: its own fields, and its entries in indexes. */
const ROW_BYTES = 200
/** Represents all keys. No key has this id: their ids are hexadecimal, or `operator`. */
const ALL = "*"
/** 1/PART of the largest key's rows are deleted at a time: finding the key again for every row would take longer. */
const PART = 100
const MOST_AT_ONCE = 1000

/**
 * A migration step that makes triggers count the contents of a table: afterwards, the stored amount is known in the
 * transaction that stores something, however the data gets there, and looking the amount up costs nothing.
 */
export function countStored(
  { text, integer, keyed, trigger, own }: SchemaWords,
  { table, key, columns }: StoredTable,
): string {
  const size = (row: string) => sizeOf(columns, row)
  const keyOf = (row: string) => `coalesce(${row}.${key}, '')`
  const [entries, bytes] = [own("stored_use", "entries"), own("stored_use", "bytes")]
  const add = (subject: string) =>
    `insert into stored_use values ('${table}', ${subject}, 1, ${size("new")})
     on conflict (store, key_id) do update set entries = ${entries} + 1, bytes = ${bytes} + excluded.bytes`
  const change = (subject: string, what: string) =>
    `update stored_use set ${what} where store = '${table}' and key_id in (${subject}, '${ALL}')`
  const taken = `entries = entries - 1, bytes = bytes - (${size("old")})`
  const count = (subject: string) => `insert into stored_use ${counting({ table, key, columns }, subject)};`
  return `
   create table if not exists stored_use (
     store ${text} not null, key_id ${text} not null, entries ${integer} not null, bytes ${integer} not null,
     primary key (store, key_id)
   ) ${keyed};
   ${count(keyOf("stored"))}
   ${count(`'${ALL}'`)}
   ${trigger({ name: `${table}_stored`, on: "insert", table, does: [add(keyOf("new")), add(`'${ALL}'`)] })};
   ${trigger({
     name: `${table}_changed`,
     on: "update",
     table,
     does: [change(keyOf("old"), `bytes = bytes + (${size("new")}) - (${size("old")})`)],
   })};
   ${trigger({
     name: `${table}_deleted`,
     on: "delete",
     table,
     does: [
       change(keyOf("old"), taken),
       `delete from stored_use where store = '${table}' and key_id = ${keyOf("old")} and entries = 0`,
     ],
   })}`
}

const sizeOf = (columns: readonly string[], row: string): string =>
  [ROW_BYTES, ...columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`)].join(" + ")

const counting = ({ table, columns }: StoredTable, subject: string): string =>
  `select '${table}', ${subject} as whose, count(*), sum(${sizeOf(columns, "stored")})
   from ${table} as stored group by whose`

/** The counts of a table to which {@link countStored} was applied, and how to recompute them. */
export function storedCount(stored: StoredTable): Count {
  const { table, key } = stored
  const should = `select * from (${counting(stored, `coalesce(stored.${key}, '')`)}) as of_keys
    union all select * from (${counting(stored, `'${ALL}'`)}) as of_all`
  return {
    of: table,
    // An emptied table keeps a row with zeros.
    is: `select * from stored_use where store = '${table}' and entries > 0`,
    should,
    mend: `delete from stored_use where store = '${table}'; insert into stored_use ${should}`,
  }
}

const useOf = once((q: Queries<StoredTables>, { table, keyId }: { table: string; keyId: string }) =>
  q
    .selectFrom("stored_use")
    .select(["entries", "bytes"])
    .where("store", "=", table)
    .where("key_id", "=", keyId),
)
const largestOf = once((q: Queries<StoredTables>, { table }: { table: string }) =>
  q
    .selectFrom("stored_use")
    .select("key_id")
    .where("store", "=", table)
    .where("key_id", "<>", ALL)
    .orderBy("bytes", "desc")
    .limit(1),
)

/** The amount stored in a table to which {@link countStored} was applied. */
export class StoredUse {
  readonly #table: string
  readonly #db: StateStore

  constructor(db: StateStore, { table }: StoredTable) {
    this.#table = table
    this.#db = db
  }

  async ofKey(keyId: string): Promise<Stored> {
    return (await useOf.get(this.#db, { table: this.#table, keyId })) ?? { entries: 0, bytes: 0 }
  }

  async all(): Promise<Stored> {
    return await this.ofKey(ALL)
  }

  /** Whether a key, or all keys, would exceed the limit with `more` bytes in a new entry. */
  async isFull(keyId: string, { all, ofKey }: StoreLimits, more = 0): Promise<boolean> {
    const passes = (stored: Stored, limit: Stored) =>
      stored.entries + 1 > limit.entries || stored.bytes + ROW_BYTES + more > limit.bytes
    return passes(await this.all(), all) || passes(await this.ofKey(keyId), ofKey)
  }

  /**
   * Deletes old entries until the limits are met: first those of the key that is over its limit, then those of the key
   * that has the most, so that no key displaces other keys' data. Call it inside the transaction that stored something.
   * @param remove deletes the oldest `count` entries of a key
   */
  async makeRoom(
    keyId: string,
    { all, ofKey }: StoreLimits,
    remove: (keyId: string, count: number) => Promise<void>,
  ): Promise<void> {
    const isOver = (stored: Stored, limit: Stored) =>
      stored.entries > limit.entries || stored.bytes > limit.bytes
    for (;;) {
      const [stored, storedOfAll] = await Promise.all([this.ofKey(keyId), this.all()])
      const own = isOver(stored, ofKey)
      if (!own && !isOver(storedOfAll, all)) return
      const from = own ? keyId : await this.#largest()
      if (from === undefined) return
      await remove(from, Math.min(MOST_AT_ONCE, Math.ceil((await this.ofKey(from)).entries / PART)))
    }
  }

  async #largest(): Promise<string | undefined> {
    return (await largestOf.get(this.#db, { table: this.#table }))?.key_id
  }
}

/** Limits in bytes: for all keys together, and a share of that for one key. */
export function storeLimits(
  bytes: number,
  share: number,
  entries: Pick<Stored, "entries"> = { entries: Infinity },
): StoreLimits {
  return {
    all: { bytes, entries: entries.entries },
    ofKey: { bytes: bytes / share, entries: entries.entries / share },
  }
}

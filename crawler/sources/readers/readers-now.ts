import type { PageReaders, Readers } from "#engine/index/page/readers.ts"
import { oncePerState } from "#base/store/once-per-state.ts"
import { once } from "#base/store/query/once.ts"
import type { Queries } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { steadyNow } from "#base/steady-time.ts"
import { migrateReaders, type ReadersTables } from "./readers-schema.ts"

/** Who may read what, as of a moment ago. */
export interface ReadersNow {
  /**
   * The readers of sources, by name; a source without an entry may be read by everybody. A deleted source keeps its
   * entry as long as its pages may exist.
   */
  readonly sources: ReadonlyMap<string, Readers>
  /** The meaning of each label. No one may read a page whose label has no entry. */
  readonly rules: ReadonlyMap<string, readonly PageReaders[]>
}

/** How long it can take another process to notice a change. */
const FRESH_MS = 1000

const extentOf = once((q: Queries<ReadersTables>) =>
  q
    .selectFrom("reader_rule")
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.max("id").as("last")]),
)
const rulesAfter = once((q: Queries<ReadersTables>, { after }: { after: number }) =>
  q.selectFrom("reader_rule").selectAll().where("id", ">", after),
)
const ofSources = once((q: Queries<ReadersTables>) => q.selectFrom("source_readers").selectAll())

/** The tables as last read. They are read again if they have changed; in the table of rules, only the new rows are read. */
class Snapshot {
  readonly #db: StateStore
  #rules: ReadonlyMap<string, readonly PageReaders[]> = new Map()
  #last = 0
  #sources: ReadonlyMap<string, Readers> = new Map()
  #fixed: ReadonlyMap<string, Readers> = new Map()
  #sourcesText = "[]"
  #now: Promise<ReadersNow> | null = null
  #readAt = -Infinity

  constructor(db: StateStore) {
    migrateReaders(db)
    this.#db = db
  }

  now(): Promise<ReadersNow> {
    if (this.#now !== null && steadyNow() - this.#readAt < FRESH_MS) return this.#now
    this.#readAt = steadyNow()
    const reading = this.#read()
    this.#now = reading
    // After a failed read, the next caller reads again.
    reading.catch(() => {
      if (this.#now === reading) this.#now = null
    })
    return reading
  }

  fix(sources: ReadonlyMap<string, Readers>): void {
    this.#fixed = sources
    this.#sources = new Map([...this.#sources, ...sources])
    this.#sourcesText = ""
    this.#now = null
  }

  forget(): void {
    this.#now = null
  }

  async #read(): Promise<ReadersNow> {
    const { count, last } = (await extentOf.get(this.#db, {}))!
    const isSame = count === this.#rules.size && (last ?? 0) === this.#last
    if (!isSame) await this.#readRules(count)
    const rows = await ofSources.all(this.#db, {})
    const text = JSON.stringify(rows)
    if (text !== this.#sourcesText) {
      const kept = rows.map((row) => [row.source, JSON.parse(row.readers) as Readers] as const)
      this.#sources = new Map([...kept, ...this.#fixed])
      this.#sourcesText = text
    }
    return { sources: this.#sources, rules: this.#rules }
  }

  async #readRules(count: number): Promise<void> {
    const some = await rulesAfter.all(this.#db, { after: this.#last })
    // If two processes write, the row with the lower number can become visible last; and some rules may have been
    // pruned.
    const areAll = this.#rules.size + some.length === count
    const rows = areAll ? some : await rulesAfter.all(this.#db, { after: 0 })
    const rules = new Map(areAll ? this.#rules : [])
    for (const row of rows) rules.set(row.label, JSON.parse(row.readers) as PageReaders[])
    this.#last = rows.reduce((last, { id }) => Math.max(last, id), areAll ? this.#last : 0)
    this.#rules = rules
  }
}

const snapshotOf = oncePerState((db) => new Snapshot(db))

/** Who may read what, at most a second old. Cheap to call: maps that have not changed are the same objects as before. */
export const readersNow = (db: StateStore): Promise<ReadersNow> => snapshotOf(db).now()

/** Call this after a change in this process, so that the next call of {@link readersNow} sees the change. */
export const forgetReadersNow = (db: StateStore): void => snapshotOf(db).forget()

/** Adds the readers of sources that are not in the state, such as those in a file that this process read when it started. */
export const fixReaders = (db: StateStore, sources: ReadonlyMap<string, Readers>): void =>
  snapshotOf(db).fix(sources)

import type { Clock } from "#base/clock.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { Trap } from "./traps.ts"

/** A trap as it was last found. */
export interface FoundTrap extends Trap {
  readonly source: string
  /** The job that found it. */
  readonly job: number
  readonly foundAt: number
}

interface TrapTables {
  crawl_trap: Omit<FoundTrap, "foundAt"> & { readonly found_at: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table crawl_trap (
     source ${text} not null, key ${text} not null, kind ${text} not null, shown ${text} not null,
     read ${integer} not null, fresh ${integer} not null, job ${integer} not null, found_at ${integer} not null,
     primary key (source, key)
   ) ${keyed};`,
]
/** A trap that has not been seen for this long is treated as new, with full patience. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

/** The traps found in sources, in `state.db`: a later run has less patience with them. */
export class TrapStore {
  readonly #queries: Queries<TrapTables>
  readonly #clock: Clock

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#queries = queriesOf(db)
    this.#clock = clock
    migrate(db, "traps", STEPS)
  }

  /** The traps of one source, newest first. */
  async of(source: string): Promise<FoundTrap[]> {
    const since = this.#clock() - KEPT_DAYS * DAY_MS
    return await this.#queries
      .selectFrom("crawl_trap")
      .select(["source", "key", "kind", "shown", "read", "fresh", "job", "found_at as foundAt"])
      .where("source", "=", source)
      .where("found_at", ">=", since)
      .orderBy("found_at", "desc")
      .orderBy("key")
      .execute()
  }

  async keep(source: string, job: number, { key, kind, shown, read, fresh }: Trap): Promise<void> {
    const found = { kind, shown, read, fresh, job, found_at: this.#clock() }
    await this.#queries
      .insertInto("crawl_trap")
      .values({ source, key, ...found })
      .onConflict((conflict) => conflict.columns(["source", "key"]).doUpdateSet(found))
      .execute()
  }
}

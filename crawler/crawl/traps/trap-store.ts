import type { Clock } from "#base/clock.ts"
import { replaceSql } from "#base/store/state-port.ts"
import { migrate, type StateStore } from "#base/store/state-store.ts"
import type { Trap } from "./traps.ts"
import type { PatternKind } from "./address-pattern.ts"

/** A trap as it was found last. */
export interface FoundTrap extends Trap {
  readonly source: string
  /** The job that found it. */
  readonly job: number
  readonly foundAt: number
}

const STEPS = [
  `create table crawl_trap (
     source text not null, key text not null, kind text not null, shown text not null,
     read integer not null, fresh integer not null, job integer not null, found_at integer not null,
     primary key (source, key)
   ) strict, without rowid;`,
]
/** One that was not met for so long may be met anew, with all the patience there is. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

/** The traps found in sources, in `state.db`: a later run has less patience with them. */
export class TrapStore {
  readonly #db: StateStore
  readonly #clock: Clock

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
    migrate(db, "traps", STEPS)
  }

  /** Those of one source, the newest first. */
  async of(source: string): Promise<FoundTrap[]> {
    const since = this.#clock() - KEPT_DAYS * DAY_MS
    return (
      await this.#db
        .prepare("select * from crawl_trap where source = ? and found_at >= ? order by found_at desc, key")
        .all(source, since)
    ).map((row) => ({
      source,
      key: String(row["key"]),
      kind: row["kind"] as PatternKind,
      shown: String(row["shown"]),
      read: Number(row["read"]),
      fresh: Number(row["fresh"]),
      job: Number(row["job"]),
      foundAt: Number(row["found_at"]),
    }))
  }

  async keep(source: string, job: number, { key, kind, shown, read, fresh }: Trap): Promise<void> {
    await this.#db
      .prepare(
        replaceSql(
          "crawl_trap",
          ["source", "key", "kind", "shown", "read", "fresh", "job", "found_at"],
          ["source", "key"],
        ),
      )
      .run(source, key, kind, shown, read, fresh, job, this.#clock())
  }
}

import { Serial } from "#base/flow/serial.ts"
import { isBusy } from "#base/store/sqlite/busy.ts"
import { NO_TURN, SKIP_LOCKED } from "#base/store/state-port.ts"
import { steadyNow } from "#base/steady-time.ts"
import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import type { LimitedEndpoint, RateCounter, RateLimit, RateLimits } from "./rate-limits.ts"

const STEPS: readonly string[] = [
  `create table rate_slot (
     id integer primary key, name text not null, slot integer not null, at integer not null,
     -- How long the slot is taken.
     span_ms integer not null default 86400000,
     unique (name, slot)
   ) strict;
   create index rate_slot_at on rate_slot (at)`,
]

/** Milliseconds since 1970 by the clock of the store. */
const NOW = "cast(unixepoch('subsec') * 1000 as integer)"
/** Another process may have made the slot that this one was about to make. */
const TRIES = 8
const MOMENT_MS = 500
/** Between two looks at slots that are taken no longer, while there are calls. */
const TIDY_MS = 60_000

/**
 * As {@link RateCounter}, over all processes on a state that is kept on a server: a limit of n calls is n slots, and a call takes one whose
 * last call is a span ago. A slot is a row, which one process at a time can take.
 */
export class SharedRates implements Pick<RateCounter, "take"> {
  readonly #db: StateStore
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #concealed: (name: string) => string
  /** Calls of this process by name, one after the other: side by side each would try to make the same slot. */
  readonly #lines = new Map<string, Serial>()
  #tidyAt = 0

  /** @param concealed what is written of a name that is nobody else's to read */
  constructor(db: StateStore, concealed: (name: string) => string = (name) => name) {
    migrate(db, "rates", STEPS)
    this.#db = db
    this.#sql = prepareOnce(db)
    this.#concealed = concealed
  }

  async take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null> {
    const limit = limits[endpoint] ?? limits["*"]
    if (limit === undefined) return null
    await this.#tidy()
    const name = this.#concealed(`${key} ${endpoint}`)
    const line = this.#lines.get(name) ?? new Serial()
    this.#lines.set(name, line)
    try {
      return await line.run(() => this.#takeSlot(name, limit))
    } finally {
      if (line.isIdle) this.#lines.delete(name)
    }
  }

  async #takeSlot(name: string, limit: RateLimit): Promise<{ readonly retryAfter: number } | null> {
    const spanMs = limit.seconds * 1000
    const take = this.#sql(
      `update rate_slot set at = ${NOW}, span_ms = ? where id = (
         select id from rate_slot where name = ? and slot < ? and at <= ${NOW} - ? order by at limit 1 ${SKIP_LOCKED})
       returning id`,
    )
    // The lowest number that is free: those between others may be gone.
    const addSlot = this.#sql(
      `${NO_TURN} insert into rate_slot (name, slot, at, span_ms)
       select ?1, free.slot, ${NOW}, cast(?3 as integer) from (
         select min(had.slot) + 1 as slot from (select -1 as slot union all select slot from rate_slot where name = ?1) had
         where not exists (select 1 from rate_slot other where other.name = ?1 and other.slot = had.slot + 1)) free
       where free.slot < ?2
       on conflict (name, slot) do nothing`,
    )
    const add = async () => Number((await addSlot.run(name, limit.calls, spanMs)).changes) > 0
    for (let tries = 0; tries < TRIES; tries++) {
      if ((await take.get(spanMs, name, limit.calls, spanMs)) !== undefined) return null
      const isAdded = await this.#onceMade(add)
      if (isAdded === null) break
      if (isAdded) return null
      const row = (await this.#sql(
        `select count(*) as n, min(at) + ?3 - ${NOW} as wait from rate_slot where name = ?1 and slot < ?2`,
      ).get(name, limit.calls, spanMs))!
      if (Number(row["n"]) >= limit.calls)
        return { retryAfter: Math.max(1, Math.ceil(Number(row["wait"]) / 1000)) }
    }
    return { retryAfter: 1 }
  }

  /**
   * A slot that another process is making at this moment is waited for, for a moment: it is one statement.
   * @returns whether it added one; null when it was not made in time
   */
  async #onceMade(add: () => Promise<boolean>): Promise<boolean | null> {
    for (const ms of [0, MOMENT_MS]) {
      try {
        return await this.#db.patiently(add, ms)
      } catch (error) {
        if (!isBusy(error)) throw error
      }
    }
    return null
  }

  async #tidy(): Promise<void> {
    if (steadyNow() < this.#tidyAt) return
    this.#tidyAt = steadyNow() + TIDY_MS
    await this.#sql(
      `delete from rate_slot where id in (select id from rate_slot where at + span_ms <= ${NOW} ${SKIP_LOCKED})`,
    ).run()
  }
}

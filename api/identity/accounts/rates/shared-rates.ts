import { Serial } from "#base/flow/serial.ts"
import { isBusy } from "#base/store/sqlite/busy.ts"
import { type Generated, sql } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { noTurn, storeTime } from "#base/store/query/words.ts"
import { steadyNow } from "#base/steady-time.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { type LimitedEndpoint, limitOf, type RateLimit, type RateLimits, type Rates } from "./rate-limits.ts"

interface RateTables {
  rate_slot: { id: Generated<number>; name: string; slot: number; at: number; span_ms: number }
}

const STEPS: readonly Step[] = [
  ({ id, text, integer, strict }) => `create table rate_slot (
     id ${id}, name ${text} not null, slot ${integer} not null, at ${integer} not null,
     -- How long the slot is taken.
     span_ms ${integer} not null default 86400000,
     unique (name, slot)
   ) ${strict};
   create index rate_slot_at on rate_slot (at)`,
]

interface Wanted {
  readonly name: string
  readonly calls: number
  readonly spanMs: number
}

const takeSlot = once((q: Queries<RateTables>, { name, calls, spanMs }: Wanted) =>
  q
    .updateTable("rate_slot")
    .set({ at: storeTime(), span_ms: spanMs })
    .where("id", "=", (eb) =>
      eb
        .selectFrom("rate_slot")
        .select("id")
        .where("name", "=", name)
        .where("slot", "<", calls)
        .where("at", "<=", eb(storeTime(), "-", spanMs))
        .orderBy("at")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id"),
)
// The lowest free number: there can be gaps between the others.
const addSlot = once((q: Queries<RateTables>, { name, calls, spanMs }: Wanted) =>
  q
    .insertInto("rate_slot")
    .columns(["name", "slot", "at", "span_ms"])
    .expression(
      sql`select cast(${name} as text), free.slot, ${storeTime()}, cast(${spanMs} as bigint) from (
         select min(had.slot) + 1 as slot from (select -1 as slot union all select slot from rate_slot where name = ${name}) had
         where not exists (select 1 from rate_slot other where other.name = ${name} and other.slot = had.slot + 1)) free
       where free.slot < ${calls}`,
    )
    .onConflict((conflict) => conflict.doNothing())
    .modifyEnd(noTurn),
)
const slotsTaken = once((q: Queries<RateTables>, { name, calls, spanMs }: Wanted) =>
  q
    .selectFrom("rate_slot")
    .select((eb) => [
      eb.fn.countAll<number>().as("n"),
      eb(eb(eb.fn.min("at"), "+", spanMs), "-", storeTime()).as("wait"),
    ])
    .where("name", "=", name)
    .where("slot", "<", calls),
)

/** Number of attempts to take a slot: another process might have created the slot that this one was about to create. */
const TRIES = 8
const MOMENT_MS = 500
/** Minimum time between checks for slots that are no longer in use; only calls trigger these checks. */
const TIDY_MS = 60_000

/**
 * Like `RateCounter`, but for all processes that share a state kept on a server: a limit of n calls is n slots, and a
 * call takes a slot whose last call is at least one span ago. A slot is a row, which only one process can take at a
 * time.
 */
export class SharedRates implements Rates {
  readonly #db: StateStore
  readonly #concealed: (name: string) => string
  /** Runs this process's calls for each name one after the other: in parallel, each call would try to create the same slot. */
  readonly #lines = new Map<string, Serial>()
  #tidyAt = 0

  /** @param concealed the text stored in place of names that only their owner may read */
  constructor(db: StateStore, concealed: (name: string) => string = (name) => name) {
    migrate(db, "rates", STEPS)
    this.#db = db
    this.#concealed = concealed
  }

  async take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null> {
    const limit = limitOf(limits, endpoint)
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
    const wanted = { name, calls: limit.calls, spanMs: limit.seconds * 1000 }
    const add = async () => (await addSlot.run(this.#db, wanted)) > 0
    for (let tries = 0; tries < TRIES; tries++) {
      if ((await takeSlot.get(this.#db, wanted)) !== undefined) return null
      const isAdded = await this.#onceMade(add)
      if (isAdded === null) break
      if (isAdded) return null
      const { n, wait } = (await slotsTaken.get(this.#db, wanted))!
      if (n >= limit.calls) return { retryAfter: Math.max(1, Math.ceil(wait / 1000)) }
    }
    return { retryAfter: 1 }
  }

  /**
   * Waits briefly for a slot that another process is creating at the moment, which takes only one statement.
   * @returns whether it added a slot; null if the slot was not created in time
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
    await queriesOf<RateTables>(this.#db)
      .deleteFrom("rate_slot")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("rate_slot")
          .select("id")
          .where(eb("at", "+", eb.ref("span_ms")), "<=", storeTime())
          .forUpdate()
          .skipLocked(),
      )
      .execute()
  }
}

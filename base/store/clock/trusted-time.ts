import { isUnwritable } from "../../disk-space.ts"
import { DeletionGuard, steadyNow } from "../../steady-time.ts"
import { isBusy } from "../sqlite/busy.ts"
import { once } from "../query/once.ts"
import { type Queries, queriesOf } from "../query/queries.ts"
import type { Step } from "../query/schema-words.ts"
import type { StateStore } from "../state-port.ts"

// The store remembers the last time at which the wall clock was known to be running normally. A machine that starts
// with a clock ten years ahead looks like one that was off for ten years; until the operator says which is the case,
// nothing is deleted because of its age.

const DAY_MS = 86_400_000
/** A gap up to this long is taken to mean that the machine was switched off; most data that is deleted because of its age is kept for longer than this. */
export const ORDINARY_MS = 30 * DAY_MS
/** Minimum time between writes of the trusted time, in milliseconds. */
const NOTED_EVERY_MS = 60_000

/** The table has one row, whose id is 1. */
interface TrustedTimeTables {
  trusted_time: { id: number; at: number }
}

export const TRUSTED_TIME_STEPS: readonly Step[] = [
  ({ id, integer, strict }) =>
    `create table trusted_time (id ${id} check (id = 1), at ${integer} not null) ${strict}`,
]

const trustedRow = once((queries: Queries<TrustedTimeTables>) =>
  queries.selectFrom("trusted_time").select("at").where("id", "=", 1),
)

/** The latest trusted time, or null if none is known. */
export const trustedTime = async (db: StateStore): Promise<number | null> =>
  (await trustedRow.get(db, {}))?.at ?? null

/** Records that the clock is right, so that data that is old by this clock may be deleted. */
export async function trustClock(db: StateStore, now: number = Date.now()): Promise<void> {
  await queriesOf<TrustedTimeTables>(db)
    .insertInto("trusted_time")
    .values({ id: 1, at: now })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ at: now }))
    .execute()
}

/** The time to use when rows are deleted because of their age as part of other work: not far beyond a trusted time. */
export async function deletionTime(db: StateStore, now: number): Promise<number> {
  const trusted = await trustedTime(db)
  return trusted === null ? now : Math.min(now, trusted + ORDINARY_MS)
}

/** A message saying that the clock is in doubt, worded for any reader; null while the clock is trusted. */
export async function clockInDoubt(db: StateStore, now: number = Date.now()): Promise<string | null> {
  const trusted = await trustedTime(db)
  return trusted === null ? null : doubt(trusted, now)
}

/** Like {@link clockInDoubt}, with a trusted time that has already been read. */
export function doubt(trusted: number, now: number): string | null {
  if (now - trusted <= ORDINARY_MS) return null
  const [clock, before] = [now, trusted].map((time) => new Date(time).toISOString().slice(0, 10))
  return `The clock says ${clock}, but this appliance last ran on ${before}. Until the clock is confirmed, nothing is deleted because of its age.`
}

/** How to resolve {@link clockInDoubt}. */
export const DOUBT_ADVICE = "If the clock is wrong, set it. If it is right, run fossick doctor --trust-clock."

/**
 * Decides whether data that is old by the wall clock may be deleted: works like {@link DeletionGuard}, but also refuses
 * while the clock is in doubt, even if it was set while another process was running.
 */
export class TimeGuard {
  readonly #db: StateStore
  readonly #wall: () => number
  readonly #steady: () => number
  readonly #steps: DeletionGuard
  readonly #since: number

  constructor(db: StateStore, wall: () => number = Date.now, steady: () => number = steadyNow) {
    this.#db = db
    this.#wall = wall
    this.#steady = steady
    this.#steps = new DeletionGuard(wall, steady)
    this.#since = steady()
  }

  /** Whether data may be deleted now. Call this before each round of deletions. Remembers the time while the clock is not in doubt. */
  async mayDelete(): Promise<boolean> {
    const isCalm = this.#steps.mayDelete()
    const now = this.#wall()
    const trusted = await trustedTime(this.#db)
    if (trusted === null) {
      await this.#note(now)
      return isCalm
    }
    if (doubt(trusted, now) !== null) return false
    // Handles a clock that was ahead when it was trusted: a clock that has run evenly for a day is considered right.
    const isBehind = now < trusted && isCalm && this.#steady() - this.#since >= DAY_MS
    if (now - trusted > NOTED_EVERY_MS || isBehind) await this.#note(now)
    return isCalm
  }

  async #note(now: number): Promise<void> {
    try {
      await trustClock(this.#db, now)
    } catch (error) {
      // The next round will record the time.
      if (!isBusy(error) && !isUnwritable(error)) throw error
    }
  }
}

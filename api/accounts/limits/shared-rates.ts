import { NO_TURN, SKIP_LOCKED } from "#base/store/state-port.ts"
import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import type { LimitedEndpoint, RateCounter, RateLimits } from "./rate-limits.ts"

const STEPS: readonly string[] = [
  `create table rate_slot (
     id integer primary key, name text not null, slot integer not null, at integer not null, unique (name, slot)
   ) strict;
   create index rate_slot_at on rate_slot (at)`,
]

/** Milliseconds since 1970 by the clock of the store. */
const NOW = "cast(unixepoch('subsec') * 1000 as integer)"
/** Another process may have made the slot that this one was about to make. */
const TRIES = 8
/** Calls between two looks at slots that nobody uses any more. */
const CALLS_BETWEEN_TIDYING = 2000
/** The longest span that a limit may have. */
const MAX_SPAN_MS = 86_400_000

/**
 * As {@link RateCounter}, over all processes on a state that is kept on a server: a limit of n calls is n slots, and a call takes one whose
 * last call is a span ago. A slot is a row, which one process at a time can take.
 */
export class SharedRates implements Pick<RateCounter, "take"> {
  readonly #sql: ReturnType<typeof prepareOnce>
  #calls = 0

  constructor(db: StateStore) {
    migrate(db, "rates", STEPS)
    this.#sql = prepareOnce(db)
  }

  take(key: string, endpoint: LimitedEndpoint, limits: RateLimits): { readonly retryAfter: number } | null {
    const limit = limits[endpoint] ?? limits["*"]
    if (limit === undefined) return null
    const name = `${key} ${endpoint}`
    const spanMs = limit.seconds * 1000
    const take = this.#sql(
      `update rate_slot set at = ${NOW} where id = (
         select id from rate_slot where name = ? and slot < ? and at <= ${NOW} - ? order by at limit 1 ${SKIP_LOCKED})
       returning id`,
    )
    const add = this.#sql(
      `${NO_TURN} insert into rate_slot (name, slot, at) select ?1, count(*), ${NOW} from rate_slot where name = ?1 having count(*) < ?2
       on conflict (name, slot) do nothing`,
    )
    this.#tidy()
    for (let tries = 0; tries < TRIES; tries++) {
      if (take.get(name, limit.calls, spanMs) !== undefined) return null
      if (Number(add.run(name, limit.calls).changes) > 0) return null
      const row = this.#sql(
        `select count(*) as n, min(at) + ?3 - ${NOW} as wait from rate_slot where name = ?1 and slot < ?2`,
      ).get(name, limit.calls, spanMs)!
      if (Number(row["n"]) >= limit.calls)
        return { retryAfter: Math.max(1, Math.ceil(Number(row["wait"]) / 1000)) }
    }
    return { retryAfter: 1 }
  }

  #tidy(): void {
    if (this.#calls++ % CALLS_BETWEEN_TIDYING !== 0) return
    this.#sql(`${NO_TURN} delete from rate_slot where at < ${NOW} - ${MAX_SPAN_MS}`).run()
  }
}

import { isStateAway } from "#base/store/postgres/outage.ts"

import { isContinuing } from "../../../server/outage/continuing.ts"
import type { StateOutage } from "../../../server/outage/state-outage.ts"
import { type LimitedEndpoint, RateCounter, type RateLimits } from "./rate-limits.ts"

/**
 * The rates of all processes, which this process goes on counting by itself while the server of the state is away: its own calls before the
 * outage count, and those of the outage count after it.
 */
export class SteadyRates implements Pick<RateCounter, "take"> {
  readonly #shared: Pick<RateCounter, "take">
  readonly #outage: Pick<StateOutage, "ask" | "isCovered" | "wasAwayWithin">
  readonly #own = new RateCounter()

  constructor(
    shared: Pick<RateCounter, "take">,
    outage: Pick<StateOutage, "ask" | "isCovered" | "wasAwayWithin">,
  ) {
    this.#shared = shared
    this.#outage = outage
  }

  async take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null> {
    const limit = limits[endpoint] ?? limits["*"]
    if (limit === undefined) return null
    try {
      const refused = await this.#outage.ask(() => this.#shared.take(key, endpoint, limits))
      if (refused !== null || !this.#outage.isCovered) return refused
    } catch (error) {
      if (!isContinuing() || !isStateAway(error)) throw error
      return await this.#own.take(key, endpoint, limits)
    }
    // Their clocks differ by a round trip: at other times it would refuse what the shared rates let through.
    const refused = await this.#own.take(key, endpoint, limits)
    return this.#outage.wasAwayWithin(limit.seconds * 1000) ? refused : null
  }
}

import { isStateAway } from "#base/store/postgres/outage.ts"

import { isContinuing } from "../../../server/outage/continuing.ts"
import type { StateOutage } from "../../../server/outage/state-outage.ts"
import { type LimitedEndpoint, limitOf, RateCounter, type RateLimits, type Rates } from "./rate-limits.ts"

type Outage = Pick<StateOutage, "ask" | "isCovered" | "wasAwayWithin">

/**
 * The rates of all processes. While the state server is away, this process counts only its own calls: calls from before
 * the outage still count during it, and calls from the outage still count after it.
 */
export class SteadyRates implements Rates {
  readonly #shared: Rates
  readonly #outage: Outage
  readonly #own = new RateCounter()

  constructor(shared: Rates, outage: Outage) {
    this.#shared = shared
    this.#outage = outage
  }

  async take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null> {
    const limit = limitOf(limits, endpoint)
    if (limit === undefined) return null
    try {
      const refused = await this.#outage.ask(() => this.#shared.take(key, endpoint, limits))
      if (refused !== null || !this.#outage.isCovered) return refused
    } catch (error) {
      if (!isContinuing() || !isStateAway(error)) throw error
      return await this.#own.take(key, endpoint, limits)
    }
    // The clocks differ by a round trip: without an outage, this counter would refuse calls that the shared rates
    // admit.
    const refused = await this.#own.take(key, endpoint, limits)
    return this.#outage.wasAwayWithin(limit.seconds * 1000) ? refused : null
  }
}

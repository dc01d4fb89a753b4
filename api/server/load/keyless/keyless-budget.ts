import { Lru } from "#base/flow/memory/lru.ts"

/** The remaining budget of one address. */
interface Bucket {
  tokens: number
  at: number
}

/** Maximum number of addresses that are remembered, which takes 2 MB. A forgotten address starts again with a full budget. */
const MOST_ADDRESSES = 10_000
const MINUTE_MS = 60_000

/**
 * The requests without a valid key that one address may make: up to a minute's worth at once, and then as the budget
 * gradually refills (token bucket).
 */
export class KeylessBudget {
  /** Number of requests that each address may make per minute. */
  readonly perMinute: number
  readonly #now: () => number
  readonly #buckets = new Lru<string, Bucket>(MOST_ADDRESSES)
  #refused = 0

  /** @param perMinute at least 1; with Infinity, nothing is refused */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute
    this.#now = now
  }

  /** Number of requests refused since startup. */
  get refused(): number {
    return this.#refused
  }

  /** The usage of the address that has recently used the most. */
  get used(): number {
    let used = 0
    for (const bucket of this.#buckets.values()) used = Math.max(used, this.perMinute - this.#left(bucket))
    return Math.round(used)
  }

  /** Charges a request to its address's budget. @returns false if the budget is used up */
  take(address: string): boolean {
    if (this.perMinute === Infinity) return true
    const bucket = this.#buckets.get(address) ?? { tokens: this.perMinute, at: this.#now() }
    bucket.tokens = this.#left(bucket)
    bucket.at = this.#now()
    this.#buckets.set(address, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }

  /** Refunds a request to the budget because it turned out to have a key. */
  giveBack(address: string): void {
    const bucket = this.#buckets.get(address)
    if (bucket) bucket.tokens = Math.min(this.perMinute, bucket.tokens + 1)
  }

  /** Counts a refused request. @returns seconds until the next request is possible */
  refuse(): number {
    this.#refused++
    return Math.ceil(MINUTE_MS / this.perMinute / 1000)
  }

  #left({ tokens, at }: Bucket): number {
    return Math.min(this.perMinute, tokens + ((this.#now() - at) / MINUTE_MS) * this.perMinute)
  }
}

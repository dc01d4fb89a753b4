import { Lru } from "#base/flow/memory/lru.ts"

/** The remaining budget of one address. */
interface Bucket {
  tokens: number
  at: number
}

/** Addresses that are kept: 2 MB of them. One that is forgotten starts with a whole budget again. */
const MOST_ADDRESSES = 10_000
const MINUTE_MS = 60_000

/**
 * Requests without a valid key that one address may make: as many as in a minute at once, and then as they come back, bit by bit
 * (token bucket).
 */
export class KeylessBudget {
  /** For one address. */
  readonly perMinute: number
  readonly #now: () => number
  readonly #buckets = new Lru<string, Bucket>(MOST_ADDRESSES)
  #refused = 0

  /** @param perMinute at least 1; Infinity refuses none */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute
    this.#now = now
  }

  /** How many were refused since the start. */
  get refused(): number {
    return this.#refused
  }

  /** The use by the address that has used the most lately. */
  get used(): number {
    let used = 0
    for (const bucket of this.#buckets.values()) used = Math.max(used, this.perMinute - this.#left(bucket))
    return Math.round(used)
  }

  /** Takes a request out of the budget of its address. @returns false when nothing is left of that */
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

  /** Gives a request back that turned out to have a key. */
  giveBack(address: string): void {
    const bucket = this.#buckets.get(address)
    if (bucket) bucket.tokens = Math.min(this.perMinute, bucket.tokens + 1)
  }

  /** Counts a request that was refused. @returns seconds until there is one more */
  refuse(): number {
    this.#refused++
    return Math.ceil(MINUTE_MS / this.perMinute / 1000)
  }

  #left({ tokens, at }: Bucket): number {
    return Math.min(this.perMinute, tokens + ((this.#now() - at) / MINUTE_MS) * this.perMinute)
  }
}

/** A number of calls in a span of time. */
export interface RateLimit {
  readonly calls: number
  readonly seconds: number
}

/** Limits by endpoint; `*` applies to every endpoint without a limit of its own, each counted separately. */
export type RateLimits = Readonly<Partial<Record<LimitedEndpoint | "*", RateLimit>>>

/** The names that rates can be set for. */
export const LIMITED_ENDPOINTS = [
  "search",
  "extract",
  "crawl",
  "map",
  "research",
  "sources",
  "suggest",
  "thumbnails",
  "watches",
  "documents",
  "usage",
  "logs",
  "feedback",
  "keys",
] as const

export type LimitedEndpoint = (typeof LIMITED_ENDPOINTS)[number]

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }
const MAX_CALLS = 100_000
const MAX_SECONDS = 86_400

/**
 * Reads `search=100/m, usage=10/10m, *=1000/m`.
 * @throws Error that names the expected form
 */
export function parseRateLimits(text: string): RateLimits {
  const limits: Partial<Record<LimitedEndpoint | "*", RateLimit>> = {}
  for (const entry of text.split(",").map((one) => one.trim())) {
    if (entry === "") continue
    const [, name = "", calls = "", count = "", unit = ""] =
      /^([a-z]+|\*) *= *(\d{1,6}) *\/ *(\d{0,5})([smh])$/.exec(entry) ?? []
    const endpoint = ([...LIMITED_ENDPOINTS, "*"] as const).find((one) => one === name)
    const limit = { calls: Number(calls), seconds: Number(count || 1) * (SECONDS[unit] ?? 0) }
    const isInRange =
      limit.calls >= 1 && limit.calls <= MAX_CALLS && limit.seconds >= 1 && limit.seconds <= MAX_SECONDS
    if (endpoint === undefined || !isInRange || limits[endpoint]) {
      throw new Error(
        `must be a list such as search=100/m, usage=10/10m, *=1000/m: each of ${LIMITED_ENDPOINTS.join(", ")} and * ` +
          `at most once, with 1 to ${MAX_CALLS} calls in up to a day`,
      )
    }
    limits[endpoint] = limit
  }
  return limits
}

/** Rate limits in the format read by {@link parseRateLimits}. */
export const rateLimitsText = (limits: RateLimits): string =>
  Object.entries(limits)
    .map(([name, { calls, seconds }]) => `${name}=${calls}/${seconds}s`)
    .join(",")

/** The limit for an endpoint; undefined if it has none. */
export const limitOf = (limits: RateLimits, endpoint: LimitedEndpoint): RateLimit | undefined =>
  limits[endpoint] ?? limits["*"]

/** Counts calls by key and endpoint. */
export interface Rates {
  /** Admits a call, or returns the number of whole seconds until the next one is admitted. */
  take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null>
}

/** Times of the last admitted calls, as a ring buffer, oldest first from `start` on. */
interface Window {
  readonly times: Float64Array
  start: number
  size: number
}

/** Maximum number of windows; the least recently used one is dropped. */
const MAX_WINDOWS = 10_000

/**
 * Counts calls by key and endpoint. In any span of the limit's length, no more calls are admitted than the limit
 * allows; refused calls do not count. Counts are kept in memory: a restart starts from zero.
 */
export class RateCounter implements Rates {
  readonly #windows = new Map<string, Window>()
  readonly #now: () => number

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  async take(
    key: string,
    endpoint: LimitedEndpoint,
    limits: RateLimits,
  ): Promise<{ readonly retryAfter: number } | null> {
    const limit = limitOf(limits, endpoint)
    if (limit === undefined) return null
    const now = this.#now()
    const window = this.#window(`${key} ${endpoint}`, limit.calls)
    const { times } = window
    while (window.size > 0 && times[window.start]! <= now - limit.seconds * 1000) {
      window.start = (window.start + 1) % times.length
      window.size -= 1
    }
    if (window.size >= limit.calls) {
      const oldest = times[window.start]!
      return { retryAfter: Math.max(1, Math.ceil((oldest + limit.seconds * 1000 - now) / 1000)) }
    }
    times[(window.start + window.size) % times.length] = now
    window.size += 1
    return null
  }

  #window(name: string, calls: number): Window {
    const known = this.#windows.get(name)
    // Moves the window to the end, so that the first one in the map is the least recently used.
    this.#windows.delete(name)
    const window =
      known?.times.length === calls ? known : { times: new Float64Array(calls), start: 0, size: 0 }
    this.#windows.set(name, window)
    if (this.#windows.size > MAX_WINDOWS) this.#windows.delete(this.#windows.keys().next().value!)
    return window
  }
}

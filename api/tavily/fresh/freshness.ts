import type { SearchRequest } from "../schema.ts"

/** How old the results of a search may be. */
export interface Freshness {
  /** Since a page was last checked. */
  readonly maxAgeMs: number
  /** For reading pages again, all together. */
  readonly fetchMs: number
  /** Whether a page that could not be read again is given as the index holds it. */
  readonly fallsBack: boolean
}

const HOUR_MS = 3_600_000

/** What a request asks for; null: pages of any age. */
export function freshnessOf({
  max_age_hours: hours = Infinity,
  max_hours: alias = Infinity,
  fetch_timeout: seconds,
  cache_fallback: fallsBack,
}: Pick<
  SearchRequest,
  "max_age_hours" | "max_hours" | "fetch_timeout" | "cache_fallback"
>): Freshness | null {
  const given = [hours, alias].filter((one) => one >= 0 && one !== Infinity)
  return given.length === 0
    ? null
    : { maxAgeMs: Math.min(...given) * HOUR_MS, fetchMs: seconds * 1000, fallsBack }
}

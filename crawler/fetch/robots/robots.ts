import type { PageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { FetchResult } from "../fetch.ts"
import { parseRobots, type RobotsRules } from "./robots-rules.ts"

/** Rules, or why no page of the site may be visited for now. */
export type RobotsAnswer =
  | { readonly kind: "rules"; readonly rules: RobotsRules }
  | Extract<FetchResult, { kind: "postponed" | "failed" }>

/** RFC 9309 §2.4: not to be used for longer. */
const FRESH_MS = 24 * 3_600_000
/** A site whose robots.txt fails is asked again after this. */
const RETRY_MS = 60_000
const MAX_SITES = 1000

interface Entry {
  readonly answer: Promise<RobotsAnswer>
  until: number
}

/** robots.txt of every site met, fetched once and kept for a day at most. */
export class RobotsCache {
  readonly #sites = new Map<string, Entry>()
  readonly #agent: string
  readonly #fetch: (url: PageUrl) => Promise<FetchResult>

  /** `agent` is the product token that groups are chosen by. */
  constructor(agent: string, fetch: (url: PageUrl) => Promise<FetchResult>) {
    this.#agent = agent
    this.#fetch = fetch
  }

  /** Whether {@link for} asks nobody. */
  has(url: PageUrl): boolean {
    const known = this.#sites.get(new URL(url).origin)
    return known !== undefined && known.until > steadyNow()
  }

  /** The rules for `url`; calls for one site share one request. */
  async for(url: PageUrl): Promise<RobotsAnswer> {
    const { origin } = new URL(url)
    const known = this.#sites.get(origin)
    if (known && known.until > steadyNow()) return await known.answer
    const [oldest] = this.#sites.keys()
    if (this.#sites.size >= MAX_SITES && oldest !== undefined) this.#sites.delete(oldest)
    const entry: Entry = {
      answer: this.#load(`${origin}/robots.txt` as PageUrl),
      until: steadyNow() + FRESH_MS,
    }
    this.#sites.set(origin, entry)
    const answer = await entry.answer
    if (answer.kind !== "rules") entry.until = steadyNow() + RETRY_MS
    return answer
  }

  async #load(url: PageUrl): Promise<RobotsAnswer> {
    const result = await this.#fetch(url)
    switch (result.kind) {
      case "fetched":
        return { kind: "rules", rules: parseRobots(Buffer.from(result.body).toString("utf8"), this.#agent) }
      case "postponed":
        return result
      case "failed":
        // §2.3.1.3: a 4xx, or redirects that lead nowhere, mean that there are no rules.
        if (result.because === "redirect-loop" || /answered 4\d\d$/.test(result.detail)) break
        // §2.3.1.4: a 5xx means keep out for now. Without any answer the page itself would fail the same way.
        if (result.because === "http-status" && result.transient) {
          return {
            kind: "postponed",
            until: new Date(steadyNow() + RETRY_MS),
            ...(result.status !== undefined && { status: result.status }),
          }
        }
        return result
      default:
        break
    }
    return { kind: "rules", rules: parseRobots("", this.#agent) }
  }
}

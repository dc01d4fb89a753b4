import type { PageUrl } from "#engine"
import type { Fetched } from "../../fetch/fetch.ts"
import { AS_LIST } from "../../crawl/listings/read-list.ts"
import type { Visit } from "../../reading.ts"
import type { Rendering, Source } from "../../source.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import { type Tried, tryPage } from "../../reporting/why/try/try-page.ts"
import { htmlOf } from "./site-look.ts"
import { pause } from "#base/flow/pause.ts"

/** Maximum number of requests per look, including robots.txt: about as many as a person looking around would make. */
export const MAX_REQUESTS = 12
/** The longest pause between requests during a look, even if the site asks for a longer one: a person is waiting for the result. */
const MAX_PAUSE_MS = 5000
/** Sitemaps of very large sites are read only up to this size. */
const MAX_LISTING_BYTES = 10_000_000

export interface PoliteVisitsOptions {
  readonly reader: PageReader
  readonly config: CrawlerConfig
  /** Whether robots.txt applies at an address. */
  readonly obeys: (url: PageUrl) => boolean
  readonly signal: AbortSignal
}

/** The result of a single visit during a look. */
export interface LookedAt {
  readonly visit: Visit
  /** `null` if the response isn't HTML. */
  readonly html: string | null
  readonly headers: Fetched["headers"]
}

/** The robots.txt rules for this crawler. */
export interface RobotsLook {
  /** Why robots.txt keeps crawlers away from an address; `null` if it doesn't. */
  readonly refusal: string | null
  /** The crawl delay that robots.txt requests. */
  readonly delayMs: number | null
  /** The sitemaps that robots.txt lists. */
  readonly sitemaps: readonly string[]
}

/** The visits of one look: few, one after another, with the pause that the host requires, and none after the deadline. */
export class PoliteVisits {
  readonly #options: PoliteVisitsOptions
  #requests = 0
  #lastAt = 0

  constructor(options: PoliteVisitsOptions) {
    this.#options = options
  }

  get requests(): number {
    return this.#requests
  }

  /** Whether another request is allowed. */
  get hasRoom(): boolean {
    return this.#requests < MAX_REQUESTS && !this.#options.signal.aborted
  }

  /** Why robots.txt keeps crawlers away (`null` if it doesn't), and the rest of its rules. */
  async robots(url: PageUrl): Promise<RobotsLook> {
    return (await this.rules(url)) ?? { refusal: null, delayMs: null, sitemaps: [] }
  }

  /** The robots.txt rules; `null` if it couldn't be read. */
  async rules(url: PageUrl): Promise<RobotsLook | null> {
    const { reader } = this.#options
    if (this.#requests === 0) this.#requests += 1
    const answer = await reader.robots.for(url)
    if (answer.kind !== "rules") return null
    const { rules } = answer
    return { refusal: rules.refusal(url), delayMs: rules.crawlDelayMs, sitemaps: rules.sitemaps }
  }

  /** Visits a page; returns `null` if no requests are left or robots.txt disallows the page. */
  async look(url: PageUrl, rendering: Rendering): Promise<LookedAt | null> {
    const { reader, obeys, signal } = this.#options
    if (!(await this.#turn(url))) return null
    let html: string | null = null
    let headers: Fetched["headers"] = {}
    const visit = await reader.visit(url, {
      rendering,
      signal,
      onFetched: (fetched) => {
        html = htmlOf(fetched)
        headers = fetched.headers
      },
      onRedirect: async (to) => (obeys(to) ? await reader.disallowed(to) : null),
    })
    return { visit, html, headers }
  }

  /** Fetches a sitemap; returns `null` if that fails. */
  async listing(url: PageUrl): Promise<Fetched | null> {
    const { reader, signal } = this.#options
    if (!(await this.#turn(url))) return null
    const fetched = await reader.fetch(url, { ...AS_LIST, maxBytes: MAX_LISTING_BYTES, signal })
    return fetched.kind === "fetched" ? fetched : null
  }

  /** Reads a page as a run of the source would; returns `null` if no requests are left. */
  async try(url: PageUrl, source: Source): Promise<Tried | null> {
    const { reader, config, signal } = this.#options
    if (!(await this.#turn(url))) return null
    return await tryPage(url, { source, reader, config, lookUp: async () => null, signal })
  }

  /** Waits until the host may be contacted again. Returns false if no more requests may be made, or not before the deadline of this look. */
  async #turn(url: PageUrl): Promise<boolean> {
    if (!this.hasRoom) return false
    const { obeys, signal } = this.#options
    if (obeys(url) && (await this.robots(url)).refusal !== null) return false
    const left = this.#lastAt + (await this.#pauseMs(url)) - performance.now()
    if (left > 0) await pause(left, signal)
    if (signal.aborted) return false
    this.#requests += 1
    this.#lastAt = performance.now()
    return true
  }

  async #pauseMs(url: PageUrl): Promise<number> {
    const { reader, config, obeys } = this.#options
    if (reader.isOwnHost(url)) return 0
    const asked = obeys(url) ? await reader.crawlDelayMs(url) : null
    return Math.min(MAX_PAUSE_MS, Math.max(config.hostDelayMs, asked ?? 0))
  }
}

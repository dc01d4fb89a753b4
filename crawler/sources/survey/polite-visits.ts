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

/** Requests of one look, robots.txt included: what a person who looks around would make. */
export const MAX_REQUESTS = 12
/** A site may ask for longer pauses; a look waits at most this long, since someone is waiting for it. */
const MAX_PAUSE_MS = 5000
/** Sitemaps of the largest sites are only read this far. */
const MAX_LISTING_BYTES = 10_000_000

export interface PoliteVisitsOptions {
  readonly reader: PageReader
  readonly config: CrawlerConfig
  /** Whether robots.txt counts at an address. */
  readonly obeys: (url: PageUrl) => boolean
  readonly signal: AbortSignal
}

/** The result of one visit of a look. */
export interface LookedAt {
  readonly visit: Visit
  /** Null when it is no HTML. */
  readonly html: string | null
  readonly headers: Fetched["headers"]
}

/** The rules of robots.txt for this crawler. */
export interface RobotsLook {
  /** Why it keeps crawlers away from an address; null: it does not. */
  readonly refusal: string | null
  /** The pause that it asks for. */
  readonly delayMs: number | null
  /** Sitemaps that it names. */
  readonly sitemaps: readonly string[]
}

/** Visits of one look: few, one after the other, with the pause that the host is due, and none past the end. */
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

  /** Whether another may be made. */
  get hasRoom(): boolean {
    return this.#requests < MAX_REQUESTS && !this.#options.signal.aborted
  }

  /** Why robots.txt keeps crawlers away, null when it does not; and what else it says. */
  async robots(url: PageUrl): Promise<RobotsLook> {
    return (await this.rules(url)) ?? { refusal: null, delayMs: null, sitemaps: [] }
  }

  /** The rules of robots.txt; null when it could not be read. */
  async rules(url: PageUrl): Promise<RobotsLook | null> {
    const { reader } = this.#options
    if (this.#requests === 0) this.#requests += 1
    const answer = await reader.robots.for(url)
    if (answer.kind !== "rules") return null
    const { rules } = answer
    return { refusal: rules.refusal(url), delayMs: rules.crawlDelayMs, sitemaps: rules.sitemaps }
  }

  /** Null when there is no room for it, or robots.txt disallows it. */
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

  /** Fetches a sitemap; null when that fails. */
  async listing(url: PageUrl): Promise<Fetched | null> {
    const { reader, signal } = this.#options
    if (!(await this.#turn(url))) return null
    const fetched = await reader.fetch(url, { ...AS_LIST, maxBytes: MAX_LISTING_BYTES, signal })
    return fetched.kind === "fetched" ? fetched : null
  }

  /** Reads a page as a run of the source would; null when there is no room for it. */
  async try(url: PageUrl, source: Source): Promise<Tried | null> {
    const { reader, config, signal } = this.#options
    if (!(await this.#turn(url))) return null
    return await tryPage(url, { source, reader, config, lookUp: async () => null, signal })
  }

  /** Waits until the host may be asked again. False: not in this look. */
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

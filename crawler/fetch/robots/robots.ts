import type { PageUrl } from "#engine"
import { decodeText } from "../../page/charset.ts"
import { steadyNow } from "#base/steady-time.ts"
import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import type { FetchResult } from "../fetch.ts"
import { parseRobots, type RobotsRules } from "./robots-rules.ts"

/** The rules, or why no page of the site may be visited for now. */
export type RobotsAnswer =
  | { readonly kind: "rules"; readonly rules: RobotsRules }
  | Extract<FetchResult, { kind: "postponed" | "failed" }>

/** Maximum time for which a robots.txt may be used (RFC 9309 §2.4). */
const FRESH_MS = 24 * 3_600_000
/** How long to wait before requesting a robots.txt again after it could not be fetched. */
const RETRY_MS = 60_000
/** Enough memory for a thousand sites, unless their files are unusually long: no file is longer than 500 KB. */
const MEMORY = new CacheMemory("robots", 8_200_000)
const LEAST_BYTES = 8000
/** Number of bytes that the rules take up in memory for each byte of the file. */
const BYTES_OF_BYTE = 3
const MAX_BYTES = 1_500_000

interface Entry {
  readonly answer: Promise<RobotsAnswer>
  until: number
}

/** The robots.txt of every site visited, fetched once and kept for a day at most. */
export class RobotsCache {
  readonly #sites = new ByteLru<string, Entry>(MEMORY)
  readonly #agent: string
  readonly #fetch: (url: PageUrl) => Promise<FetchResult>

  /** @param agent the product token used to choose groups */
  constructor(agent: string, fetch: (url: PageUrl) => Promise<FetchResult>) {
    this.#agent = agent
    this.#fetch = fetch
  }

  /** Whether {@link for} answers without asking the site. */
  has(url: PageUrl): boolean {
    const known = this.#sites.get(new URL(url).origin)
    return known !== undefined && known.until > steadyNow()
  }

  /** The rules for `url`; calls for one site share one request. */
  async for(url: PageUrl): Promise<RobotsAnswer> {
    const { origin } = new URL(url)
    const known = this.#sites.get(origin)
    if (known && known.until > steadyNow()) return await known.answer
    let bytes = 0
    const weigh = (fileBytes: number) => (bytes = Math.min(MAX_BYTES, fileBytes * BYTES_OF_BYTE))
    const entry: Entry = {
      answer: this.#load(`${origin}/robots.txt` as PageUrl, weigh),
      until: steadyNow() + FRESH_MS,
    }
    this.#sites.set(origin, entry, LEAST_BYTES)
    const answer = await entry.answer
    if (answer.kind !== "rules") entry.until = steadyNow() + (isQuick(answer) ? 0 : RETRY_MS)
    if (bytes > LEAST_BYTES && this.#sites.get(origin) === entry) this.#sites.set(origin, entry, bytes)
    return answer
  }

  async #load(url: PageUrl, weigh: (fileBytes: number) => void): Promise<RobotsAnswer> {
    const result = await this.#fetch(url)
    if (result.kind === "fetched") {
      weigh(result.body.byteLength)
      // RFC 9309 requires UTF-8, but a file in another encoding still contains its owner's rules.
      return { kind: "rules", rules: parseRobots(decodeText(result.body, null, "text"), this.#agent) }
    }
    if (result.kind === "postponed") return result
    // §2.3.1.3: a 4xx status, or redirects that lead nowhere, mean that there are no rules.
    const isLeftOut =
      result.kind !== "failed" || result.because === "redirect-loop" || /answered 4\d\d$/.test(result.detail)
    if (isLeftOut) return { kind: "rules", rules: parseRobots("", this.#agent) }
    // §2.3.1.4: a 5xx status means that we must stay away for now. If there was no response at all, the page itself
    // would fail in the same way.
    if (result.because !== "http-status" || !result.transient) return result
    return {
      kind: "postponed",
      until: new Date(steadyNow() + RETRY_MS),
      ...(result.status !== undefined && { status: result.status }),
    }
  }
}

/**
 * Whether the site's robots.txt is requested again at the next visit: its host was not found, may not be read, refused
 * the connection or cut off its response. Otherwise the next visit would not really be a retry.
 */
const isQuick = (answer: RobotsAnswer): boolean =>
  answer.kind === "failed" && ["dns", "blocked-address", "refused", "bad-encoding"].includes(answer.because)

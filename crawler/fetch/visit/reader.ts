import type { OutboundPurpose } from "#base/outbound/purposes.ts"
import { type PageUrl, toPageUrl } from "#engine"
import { AddressGuard, type Resolve } from "../guard/address-guard.ts"
import { OutgoingProxy } from "../connect/outgoing-proxy.ts"
import type { SourceTls } from "../connect/source-tls.ts"
import { type CrawlerConfig, userAgentHeader } from "../../settings.ts"
import { ownHosts } from "../hosts/manners.ts"
import { steadyNow } from "#base/steady-time.ts"
import { isReadableType } from "../../page/content-type.ts"
import { fetchPage, type FetchOptions, type FetchResult, validatorsOf } from "../fetch.ts"
import { fetchLoggedIn } from "../login/fetch-logged-in.ts"
import type { LoginReader, SourceLogin } from "../login/source-login.ts"
import { isWholeDocument } from "../../page/whole-document.ts"
import { AS_LIST } from "../../crawl/listings/read-list.ts"
import { MAX_LIVE_SITEMAP_BYTES } from "../../crawl/listings/listing-limits.ts"
import { pagesOfSitemaps } from "../../crawl/listings/site-sitemaps.ts"
import type { Reader, ReadOptions, ReadResult, SitemapOptions, Visit, VisitOptions } from "../../reading.ts"
import { PageRendering } from "../render/page-rendering.ts"
import { BodyReader } from "./body-reader.ts"
import { ReadingPlaces } from "./reading-places.ts"
import type { RedirectChain } from "../redirect-chain.ts"
import { type Step, throughRefreshes } from "./refreshes.ts"
import { crawlDelayMs } from "../robots/crawl-delay.ts"
import { robotsFetch } from "../robots/robots-fetch.ts"
import { RobotsCache } from "../robots/robots.ts"
import { scopeOf } from "../../crawl/scope/scope.ts"
import { readersDigest, readersHeaders } from "../../page/headers/site-readers.ts"
import { xRobotsTag } from "../../page/headers/robots-directives.ts"
import type { Content } from "../content/content.ts"
import type { OpenedNetwork } from "../guard/opened-networks.ts"
import type { SourceHosts } from "../guard/source-hosts.ts"
import type { Rendering } from "../../source.ts"

export interface ReaderOptions {
  /** The purpose of reading, for the ledger of contacted hosts. Default `crawl`. */
  readonly purpose?: OutboundPurpose | undefined
  /** How pages are read when a visit does not specify it. Default `http`. */
  readonly rendering?: Rendering
  /** Private hosts that may be read, in addition to the networks in the settings: `host`, `host:port`. */
  readonly allow?: readonly string[]
  /** Networks that admins opened, each on one port. */
  readonly opened?: readonly OpenedNetwork[]
  /** The hosts of the source being read, which must stay in the networks where they were first found. */
  readonly hosts?: SourceHosts | undefined
  /** TLS settings for the source's connections. */
  readonly tls?: SourceTls | null
  /** How names are resolved. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined
  /** Keeps visits to the site's pages logged in. Call {@link PageReader.logIn} before the first visit. */
  readonly login?: SourceLogin
  /** The content that pages come from instead of the network. Default: the network. */
  readonly content?: Content | null
  /** Where pages are read, shared with other readers. Default: the reader's own places, which end with the reader. */
  readonly places?: ReadingPlaces | undefined
}

/** The address is left out, because a user who may not read the target must not learn where a redirect leads. */
const NOT_ADMITTED = {
  kind: "skipped",
  because: "out-of-scope",
  detail: "it leads to a page that the caller must not read",
} as const

/** A {@link Reader}. Threads start with the first page and end when there is nothing to do, but close the reader anyway. */
export function createReader(config: CrawlerConfig, options: ReaderOptions = {}): Reader {
  return new PageReader(config, options)
}

/** The only code that reads pages: guard, robots.txt, fetch, type detection, decoding, extraction. */
export class PageReader implements Reader {
  /** The robots.txt files of the visited sites, for callers that must obey them. */
  readonly robots: RobotsCache
  readonly #config: CrawlerConfig
  readonly #options: ReaderOptions
  readonly #guard: AddressGuard
  readonly #isOwn: (url: URL) => boolean
  readonly #places: ReadingPlaces
  readonly #ownsPlaces: boolean
  readonly #rendering: PageRendering
  readonly #defaultRendering: Rendering
  readonly #login: SourceLogin | null
  /** The content that pages come from instead of the network; null for the network. */
  readonly content: Content | null

  constructor(config: CrawlerConfig, options: ReaderOptions = {}) {
    this.#config = config
    this.#options = options
    this.#isOwn = ownHosts(config)
    this.#guard = new AddressGuard({
      allowed: [...config.allowedNetworks, ...(options.allow ?? [])],
      opened: options.opened ?? [],
      purpose: options.purpose,
      hosts: options.hosts,
      resolve: options.resolve,
      proxy: OutgoingProxy.of(config),
      tls: options.tls ?? null,
      hasOwnAuthorities: config.caFile !== "",
      connections: config.fetchConcurrency,
      connectTimeoutMs: Math.min(10_000, config.timeoutMs),
    })
    this.#ownsPlaces = options.places === undefined
    this.#places = options.places ?? new ReadingPlaces(config)
    this.#login = options.login ?? null
    this.content = options.content ?? null
    this.#defaultRendering = options.rendering ?? "http"
    const bodies = new BodyReader(config, this.#places, this.content !== null)
    this.#rendering = new PageRendering({
      config,
      guard: this.#guard,
      renderer: this.#places.renderer,
      session: this.#login?.session,
      read: (fetched, deadline, visit) => bodies.read(fetched, deadline, visit),
      fetch: (url, visit) => this.#fetchFor(url, visit, config.timeoutMs),
    })
    this.robots = new RobotsCache(config.userAgent, (url) => this.fetch(url, robotsFetch(config.timeoutMs)))
  }

  /**
   * Checks now whether the source's hosts are still in the same networks.
   * @throws NetworkChangedError
   */
  async checkHosts(): Promise<void> {
    await this.#guard.checkHosts()
  }

  /**
   * Logs in if the source has a login.
   * @throws LoginError saying why the login failed
   */
  async logIn(): Promise<void> {
    await this.#login?.start(this.loginReader())
  }

  /**
   * Opens the content that pages come from, if there is any.
   * @throws KnownError saying why it can't be read
   */
  async openContent(signal?: AbortSignal): Promise<void> {
    await this.content?.open({ guard: this.#guard, signal })
  }

  /** Like {@link ownHosts}, but according to the settings alone, without the hosts allowed for one crawl. */
  isOwnHost(url: PageUrl): boolean {
    return this.#isOwn(new URL(url))
  }

  async read(url: string, options: ReadOptions = {}): Promise<ReadResult> {
    const page = toPageUrl(url)
    if (page === null)
      return { kind: "failed", because: "http-status", detail: `${url} isn't an http or https address` }
    const { robots = false, admits } = options
    const refusal = async (to: PageUrl) => {
      if (admits?.(to) === false) return NOT_ADMITTED
      return robots ? await this.disallowed(to) : null
    }
    const refused = await refusal(page)
    if (refused) return refused
    const visit = await this.visit(page, {
      ...options,
      ...(robots || admits ? { onRedirect: refusal } : {}),
    })
    if (visit.kind === "unmodified") throw new Error(`${url} answered 304 to a request without validators`)
    return visit
  }

  /** Why robots.txt does not let us visit `url`, or null. */
  async disallowed(url: PageUrl): Promise<Exclude<Visit, { kind: "read" | "unmodified" }> | null> {
    if (!this.#config.robots) return null
    const answer = await this.robots.for(url)
    if (answer.kind !== "rules") return answer
    const detail = answer.rules.refusal(url)
    return detail === null ? null : { kind: "skipped", because: "robots", detail }
  }

  /** Like {@link crawlDelayMs}; null for the operator's own hosts. Only for callers that obey robots.txt. */
  async crawlDelayMs(url: PageUrl): Promise<number | null> {
    return this.isOwnHost(url) ? null : await crawlDelayMs(this.robots, url, this.#config)
  }

  async sitemap(site: PageUrl, options: SitemapOptions): Promise<readonly PageUrl[]> {
    const { signal, admits = () => true } = options
    const { origin } = new URL(site)
    const isOfSite = scopeOf(site, "domain")
    const isAdmitted = (to: PageUrl) => new URL(to).origin === origin || (isOfSite(to) && admits(to))
    const refusal = async (to: PageUrl) => (isAdmitted(to) ? await this.disallowed(to) : NOT_ADMITTED)
    return await pagesOfSitemaps(
      site,
      {
        named: async () => {
          const answer = await this.robots.for(site)
          return answer.kind === "rules" ? answer.rules.sitemaps : []
        },
        load: async (file) => {
          if ((await refusal(file)) !== null) return null
          const how = { maxBytes: MAX_LIVE_SITEMAP_BYTES, onRedirect: refusal }
          const fetched = await this.fetch(file, { ...AS_LIST, ...how, ...(signal && { signal }) })
          return fetched.kind === "fetched" ? fetched : null
        },
      },
      options,
    )
  }

  /** Fetches a file without reading it as a page: robots.txt, sitemaps, images. */
  async fetch(
    url: PageUrl,
    options: Partial<
      Pick<FetchOptions, "accept" | "accepts" | "onRedirect" | "signal" | "takesCutOff" | "validators">
    > & {
      readonly maxBytes?: number
      readonly timeoutMs?: number
    },
  ): Promise<FetchResult> {
    using memory = this.#places.bodies.open()
    const all = { ...this.#fetchOptions(this.#config.timeoutMs), memory, ...options }
    return await (this.content === null ? fetchPage(url, all) : this.content.load(url, all))
  }

  /**
   * Fetches and reads a page, whatever robots.txt says.
   * @throws LoginError when the site asks for a new login and does not accept it
   */
  async visit(url: PageUrl, options: VisitOptions = {}): Promise<Visit> {
    const until = options.timeoutMs === undefined ? null : steadyNow() + options.timeoutMs
    return await throughRefreshes(
      url,
      options,
      this.#login,
      async (to, asked, after) => {
        const left = until === null ? {} : { timeoutMs: Math.max(1, until - steadyNow()) }
        return await this.#step(to, { ...asked, ...left }, after)
      },
      async (generation) => {
        await this.#login?.renew(generation, this.loginReader(options.signal))
      },
    )
  }

  /** Fetches a page once, following redirects, and reads the result. */
  async #step(url: PageUrl, given: VisitOptions, after: RedirectChain | undefined): Promise<Step> {
    using memory = this.#places.bodies.open()
    const options = { ...given, memory, after }
    const timeoutMs = options.timeoutMs ?? this.#config.timeoutMs
    // Content is read without a browser, which would use the network.
    const rendering = this.content === null ? (options.rendering ?? this.#defaultRendering) : "http"
    const deadline = steadyNow() + timeoutMs
    // An unchanged document doesn't mean that the page that scripts build from it is unchanged.
    const validators = rendering === "browser" ? undefined : options.validators
    const fetched = await this.#fetchFor(url, { ...options, validators }, timeoutMs)
    if (fetched.kind === "not-modified") {
      const { noindex } = xRobotsTag(fetched.headers["x-robots-tag"], this.#config.userAgent)
      const validators = validatorsOf(fetched.headers)
      const sent = readersHeaders(fetched.headers)
      const readers = sent.length > 0 ? { readersSent: readersDigest(sent) } : {}
      return { visit: { kind: "unmodified", url: fetched.url, validators, noindex, ...readers }, chain: null }
    }
    if (fetched.kind !== "fetched") return { visit: fetched, chain: null }
    given.onFetched?.(fetched)
    const chain = fetched.chain ?? null
    return { visit: await this.#rendering.read(fetched, rendering, deadline, options), chain }
  }

  /** Another reader that may reach the same addresses and shares this reader's places, but not its session: it has its own login, cookies and connections. */
  beside(login: SourceLogin | null): PageReader {
    const { login: _, ...options } = this.#options
    return new PageReader(this.#config, { ...options, places: this.#places, ...(login && { login }) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ownsPlaces) await this.#places[Symbol.asyncDispose]()
    await this.#guard[Symbol.asyncDispose]()
  }

  async #fetchFor(url: PageUrl, options: VisitOptions, timeoutMs: number): Promise<FetchResult> {
    const login = this.#login
    if (login === null) return await this.#fetchOnce(url, options, timeoutMs)
    return await fetchLoggedIn(login, url, {
      onRedirect: options.onRedirect,
      attempt: (onRedirect) => this.#fetchOnce(url, { ...options, onRedirect }, timeoutMs),
      reader: () => this.loginReader(options.signal),
    })
  }

  #fetchOnce(url: PageUrl, options: VisitOptions, timeoutMs: number): Promise<FetchResult> {
    const { content } = this
    if (content !== null) return content.load(url, { ...options, maxBytes: this.#config.maxBytes })
    return fetchPage(url, {
      ...this.#fetchOptions(timeoutMs),
      ...(options.onRedirect ? { onRedirect: options.onRedirect } : {}),
      signal: options.signal,
      memory: options.memory,
      after: options.after,
      validators: options.validators,
      takesCutOff: ({ body }) => options.isLastTry !== false && isWholeDocument(body),
    })
  }

  /** The functions that a login uses, with requests made like this reader's. */
  loginReader(signal?: AbortSignal): LoginReader {
    return {
      ...this.#fetchOptions(this.#config.timeoutMs),
      signal,
      fetch: (address) => {
        const url = toPageUrl(address)
        if (url === null) throw new Error(`${address} isn't an http or https address`)
        return this.#fetchOnce(url, signal ? { signal } : {}, this.#config.timeoutMs)
      },
    }
  }

  #fetchOptions(timeoutMs: number): FetchOptions {
    return {
      guard: this.#guard,
      session: this.#login?.session,
      userAgent: userAgentHeader(this.#config),
      maxBytes: this.#config.maxBytes,
      maxRedirects: this.#config.maxRedirects,
      accepts: isReadableType,
      timeoutMs,
    }
  }
}

import { type Engine, type Page, type PageUrl, toPageUrl } from "#engine"
import type { Clock } from "./clock.ts"
import type { CrawlerConfig } from "./config.ts"
import { runCrawlee, type Visits } from "./crawlee.ts"
import { Frontier, type FrontierEntry, type HostManners, MAX_URL_CHARS } from "./frontier.ts"
import { HostPatience } from "./host-patience.ts"
import { ImageNotes } from "./images/image-notes.ts"
import type { Job } from "./jobs.ts"
import { KnownAddresses, type Visited } from "./known-addresses.ts"
import type { CrawlOutcome } from "./outcome.ts"
import { pageHash } from "./page-hash.ts"
import { PageWriter } from "./page-writer.ts"
import type { PageReader, Visit } from "./reader.ts"
import type { Reading } from "./reading.ts"
import { membership } from "./scope.ts"
import { readSitemaps } from "./sitemaps.ts"
import type { StateStore } from "./state-store.ts"
import { unlessAborted } from "./unless-aborted.ts"

export interface CrawlSiteOptions {
  readonly job: Job
  readonly db: StateStore
  readonly engine: Engine
  readonly reader: PageReader
  readonly config: CrawlerConfig
  /** Ends the crawl after the visits in hand, which get a few seconds more; the frontier stays. */
  readonly signal: AbortSignal
  /** What is kept of times is told by it. Default: the system's. */
  readonly clock?: Clock
  /** Called for each batch of recorded outcomes. */
  readonly onRecorded?: (results: readonly Visited[]) => void
}

/**
 * Crawls one site into the engine, going on where an earlier run of the job stopped.
 * @returns whether the crawl came to its end, or was stopped before.
 * @throws EngineError when the engine fails; nothing that was reported is lost.
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<"finished" | "paused"> {
  using crawl = await SiteCrawl.prepare(options)
  do {
    await runCrawlee(crawl, options.config.fetchConcurrency)
    await crawl.flush()
  } while (!crawl.isDone() && !options.signal.aborted)
  return crawl.isDone() ? "finished" : "paused"
}

/** What visits in hand are granted when the crawl is to stop; those cut short are made again another time. */
const STOP_GRACE_MS = 3000
/** A host that was tried in vain this often in a row is given up for this crawl. */
const HOST_ROUNDS = 10
/**
 * Addresses that a crawl may come to know for each page of its limit, and at least. Without this a calendar
 * without end, whose pages never count towards the limit, would keep the crawl going for ever.
 */
const ADDRESSES_PER_PAGE = 20
const MIN_ADDRESSES = 10_000

/** Counted towards the limit: visits that found a page. */
const PAGE_OUTCOMES = new Set(["indexed", "unchanged"])

/** One run of a crawl job. */
class SiteCrawl implements Visits, Disposable {
  readonly #options: CrawlSiteOptions
  readonly #known: KnownAddresses
  readonly #frontier: Frontier
  readonly #writer: PageWriter
  /** Seeds by the spelling their page has. */
  readonly #seeds: ReadonlyMap<PageUrl, string>
  /** Where seeds' redirects lead. */
  readonly #landings = new Map<string, PageUrl>()
  /** False when the index may have lost pages that the state knows: then each is looked up before it counts as unchanged. */
  readonly #trustsHashes: boolean
  #inScope: (url: PageUrl) => boolean
  #pages: number
  #visiting = 0
  #failure: Error | null = null
  /** Of each site that a seed landed on. */
  readonly #sitemaps = new Map<string, Promise<void>>()
  #sitemapsOpen = 0
  readonly #sitemapStop = new AbortController()
  readonly #patience = new HostPatience()
  /** Aborted when visits in hand must end now. */
  readonly #cut = new AbortController()
  #cutTimer: NodeJS.Timeout | null = null
  /** Visits whose outcome is still with the writer. */
  #unwritten = 0
  /** Their outcomes by address. */
  readonly #settled = new Map<PageUrl, string>()

  static async prepare(options: CrawlSiteOptions): Promise<SiteCrawl> {
    const { pages } = await options.engine.stats()
    const known = new KnownAddresses(options.db, options.clock)
    return new SiteCrawl(options, known, pages >= known.pages())
  }

  private constructor(options: CrawlSiteOptions, known: KnownAddresses, trustsHashes: boolean) {
    const { job, db } = options
    this.#options = options
    this.#known = known
    this.#trustsHashes = trustsHashes
    this.#seeds = new Map(
      job.source.seeds.map((seed) => {
        const url = toPageUrl(seed)
        if (url === null) throw new Error(`${seed} is no http address`)
        return [url, seed]
      }),
    )
    this.#frontier = new Frontier(
      db,
      job,
      known,
      (url) => this.#manners(url),
      Math.max(MIN_ADDRESSES, job.source.limits.pages * ADDRESSES_PER_PAGE),
    )
    this.#frontier.add([...this.#seeds.keys()].map((url) => ({ url, depth: 0 })))
    this.#writer = new PageWriter(options.engine, this.#frontier, new ImageNotes(db), (results, visits) => {
      this.#unwritten -= visits
      for (const { url } of results) this.#settled.delete(url)
      options.onRecorded?.(results)
    })
    this.#pages = (job.outcomes["indexed"] ?? 0) + (job.outcomes["unchanged"] ?? 0)
    for (const { seed, landed } of db
      .prepare("select seed, landed from job_landing where job = ?")
      .all(job.id)) {
      this.#landings.set(String(seed), landed as PageUrl)
    }
    this.#inScope = membership(job.source, this.#landings)
    for (const landed of this.#landings.values()) this.#discoverSitemaps(landed)
    if (options.signal.aborted) this.#startGrace()
    else options.signal.addEventListener("abort", this.#startGrace, { once: true })
  }

  readonly #startGrace = () => {
    this.#cutTimer = setTimeout(() => {
      this.#cut.abort()
    }, STOP_GRACE_MS)
  };

  [Symbol.dispose](): void {
    this.#options.signal.removeEventListener("abort", this.#startGrace)
    if (this.#cutTimer) clearTimeout(this.#cutTimer)
    this.#sitemapStop.abort()
    this.#cut.abort()
  }

  next(): FrontierEntry | null {
    if (this.#isStopping() || this.#isLimitTaken()) return null
    for (let entry = this.#frontier.next(); entry; entry = this.#frontier.next()) {
      if (!this.#settled.has(entry.url)) {
        this.#visiting += 1
        return entry
      }
      // A redirect brought it in while it waited.
      this.#frontier.drop(entry)
    }
    return null
  }

  hasNext(): boolean {
    return !this.#isStopping() && !this.#isLimitTaken() && this.#frontier.hasNext()
  }

  isFinished(): boolean {
    if (this.#visiting > 0) return false
    if (this.#isStopping() || this.#pages >= this.#options.job.source.limits.pages) return true
    return this.#sitemapsOpen === 0 && this.#frontier.open <= this.#unwritten
  }

  /** Whether the crawl came to its end; true only after {@link flush}. */
  isDone(): boolean {
    return (
      this.#pages >= this.#options.job.source.limits.pages ||
      (this.#frontier.open === 0 && this.#sitemapsOpen === 0)
    )
  }

  /** Visits one address. Never rejects: what goes wrong inside ends the crawl and is thrown by {@link flush}. */
  async visit(entry: FrontierEntry): Promise<void> {
    const startedAt = Date.now()
    let released = false
    try {
      const result = await unlessAborted(this.#read(entry), this.#cut.signal)
      this.#frontier.release(entry)
      released = true
      if (result) await this.#settle(entry, result, startedAt)
    } catch (error) {
      if (!released) this.#frontier.release(entry)
      this.#failure ??= error as Error
    } finally {
      this.#visiting -= 1
    }
  }

  /** Writes what is still in hand. @throws what ended the crawl before its time. */
  async flush(): Promise<void> {
    if (this.isFinished()) this.#sitemapStop.abort()
    await Promise.all(this.#sitemaps.values())
    await this.#writer.flush()
    if (this.#failure) throw this.#failure
  }

  #isStopping(): boolean {
    return this.#options.signal.aborted || this.#failure !== null
  }

  // Visits under way may each become a page: no more are started than the limit has room for.
  #isLimitTaken(): boolean {
    return this.#pages + this.#visiting >= this.#options.job.source.limits.pages
  }

  #manners(url: PageUrl): HostManners {
    const { config, reader } = this.#options
    return reader.isOwnHost(url)
      ? { concurrency: config.fetchConcurrency, delayMs: 0 }
      : { concurrency: config.hostConcurrency, delayMs: config.hostDelayMs }
  }

  async #read(entry: FrontierEntry): Promise<Visit> {
    const { reader, config, signal } = this.#options
    if (config.robots) {
      const robots = await reader.robots.for(entry.url)
      if (robots.kind !== "rules") return robots
      if (!robots.rules.allows(entry.url)) {
        return { kind: "skipped", because: "robots", detail: "robots.txt disallows it" }
      }
      const { crawlDelayMs } = robots.rules
      if (crawlDelayMs !== null && !reader.isOwnHost(entry.url)) {
        this.#frontier.setDelay(entry, Math.min(crawlDelayMs, config.maxWaitMs))
      }
    }
    if (signal.aborted)
      return { kind: "failed", because: "cancelled", detail: "the crawl was stopped", transient: true }
    return await reader.visit(entry.url, {
      signal: this.#cut.signal,
      onRedirect: async (to) => {
        if (!this.#inScope(to) && !this.#seeds.has(entry.url)) {
          return { kind: "skipped", because: "out-of-scope", detail: `redirects to ${to}`, leadsTo: to }
        }
        const outcome = await reader.disallowed(to)
        return outcome?.kind === "skipped" ? { ...outcome, leadsTo: to } : outcome
      },
    })
  }

  async #settle(entry: FrontierEntry, visit: Visit, startedAt: number): Promise<void> {
    if (isAnswer(visit)) this.#patience.answered(entry.host)
    if (visit.kind === "read") {
      await this.#take(entry, visit.reading)
      return
    }
    if (visit.kind === "unmodified")
      throw new Error(`${visit.url} answered 304 to a request without validators`)
    // A visit cut short by a stop has no outcome: it is made again when the crawl goes on.
    if (visit.kind === "failed" && visit.because === "cancelled") return
    const { config } = this.#options
    if (isInVain(visit)) {
      const rounds = this.#patience.failed(entry.host, startedAt, Date.now())
      if (rounds >= HOST_ROUNDS) {
        const detail = `${entry.host} was given up: ${detailOf(visit) ?? visit.kind}`
        this.#frontier.giveUp(entry.host, outcomeName(visit), detail)
        await this.#close(entry.url, visit)
        return
      }
      if (rounds > 1) {
        const rest = Math.min(config.retryDelayMs * 2 ** (rounds - 2), config.maxWaitMs)
        this.#frontier.block(entry, Date.now() + rest)
      }
    }
    const again = this.#retryAt(entry, visit)
    if (again !== null && again - Date.now() <= config.maxWaitMs && entry.tries + 1 < config.maxTries) {
      if (visit.kind === "postponed") this.#frontier.block(entry, again)
      this.#frontier.postpone(entry, again)
      return
    }
    await this.#close(entry.url, visit)
  }

  #retryAt(entry: FrontierEntry, visit: Exclude<Visit, { kind: "read" }>): number | null {
    if (visit.kind === "postponed") return visit.until.getTime()
    if (visit.kind === "failed" && visit.transient)
      return Date.now() + this.#options.config.retryDelayMs * 2 ** entry.tries
    return null
  }

  /** Decides what a page that was read amounts to. */
  async #take(entry: FrontierEntry, reading: Reading): Promise<void> {
    const { extracted, url } = reading
    this.#land(entry.url, url)
    const redirected = url !== entry.url
    // A redirect brought it in while it was being read.
    if (!redirected && (this.#settled.has(url) || !this.#frontier.isOpen(entry))) return
    const obeys = this.#options.config.robots
    if (!(obeys && extracted.robots.nofollow)) this.#addLinks(entry, reading)

    if (obeys && extracted.robots.noindex) {
      await this.#close(entry.url, {
        kind: "skipped",
        because: "noindex",
        ...(redirected ? { leadsTo: url } : {}),
      })
      return
    }
    const canonical = extracted.canonical === null ? null : toPageUrl(extracted.canonical)
    if (canonical !== null && canonical !== url && canonical !== entry.url && this.#honours(canonical)) {
      this.#frontier.add([{ url: canonical, depth: entry.depth }])
      await this.#close(entry.url, {
        kind: "skipped",
        because: "duplicate",
        detail: `canonical is ${canonical}`,
        leadsTo: canonical,
      })
      return
    }
    if (redirected && this.#outcomeOf(url) !== null) {
      await this.#close(entry.url, {
        kind: "skipped",
        because: "duplicate",
        detail: `redirects to ${url}`,
        leadsTo: url,
      })
      return
    }
    if (extracted.markdown.trim() === "") {
      await this.#close(entry.url, { kind: "skipped", because: "empty", detail: "no main content found" })
      return
    }
    const page = this.#page(reading)
    const hash = pageHash(page)
    const unchanged = await this.#isKnown(url, hash)
    const outcome = unchanged ? "unchanged" : "indexed"
    const results: Visited[] = [{ url, outcome, detail: null, hash, title: page.title }]
    if (redirected) {
      results.push({
        url: entry.url,
        outcome: "skipped:duplicate",
        detail: `redirects to ${url}`,
        leadsTo: url,
      })
    }
    this.#pages += 1
    await this.#write({ page: unchanged ? null : page, seen: page, results })
  }

  // A canonical elsewhere is no reason to leave a page out of a crawl that will never go there; one that was
  // visited and yielded no page (a circle of canonicals, a dead link) is none either.
  #honours(canonical: PageUrl): boolean {
    if (!this.#inScope(canonical)) return false
    const outcome = this.#outcomeOf(canonical)
    if (outcome !== null) return PAGE_OUTCOMES.has(outcome)
    return (
      this.#options.job.source.limits.depth > 0 && !this.#frontier.isFull && canonical.length <= MAX_URL_CHARS
    )
  }

  #outcomeOf(url: PageUrl): string | null {
    return this.#settled.get(url) ?? this.#frontier.outcomeOf(url)
  }

  async #isKnown(url: PageUrl, hash: string): Promise<boolean> {
    if (this.#known.hashOf(url) !== hash) return false
    return this.#trustsHashes || (await this.#options.engine.get(url)) !== null
  }

  #addLinks(entry: FrontierEntry, reading: Reading): void {
    if (entry.depth >= this.#options.job.source.limits.depth) return
    const found = new Set<PageUrl>()
    for (const link of reading.extracted.links) {
      if (this.#options.config.robots && link.nofollow) continue
      if (this.#frontier.remembers(link.url)) continue
      const url = toPageUrl(link.url)
      if (url !== null && this.#inScope(url)) found.add(url)
    }
    this.#frontier.add([...found].map((url) => ({ url, depth: entry.depth + 1 })))
  }

  /** Where a seed's redirects lead is where its site is. */
  #land(from: PageUrl, url: PageUrl): void {
    const seed = this.#seeds.get(from)
    if (seed === undefined) return
    const { db, job } = this.#options
    this.#landings.set(seed, url)
    this.#inScope = membership(job.source, this.#landings)
    db.prepare("insert or replace into job_landing values (?, ?, ?)").run(job.id, seed, url)
    this.#discoverSitemaps(url)
  }

  #discoverSitemaps(url: PageUrl): void {
    const { origin } = new URL(url)
    if (this.#options.job.source.limits.depth === 0 || this.#sitemaps.has(origin)) return
    this.#sitemapsOpen += 1
    const reading = this.#readSitemaps(url)
      .catch((error: unknown) => {
        this.#failure ??= error as Error
      })
      .finally(() => {
        this.#sitemapsOpen -= 1
      })
    this.#sitemaps.set(origin, reading)
  }

  async #readSitemaps(url: PageUrl): Promise<void> {
    const { reader } = this.#options
    const signal = AbortSignal.any([this.#options.signal, this.#sitemapStop.signal])
    const robots = await unlessAborted(reader.robots.for(url), signal)
    const named = robots?.kind === "rules" ? robots.rules.sitemaps : []
    const files = named.length > 0 ? named : [new URL("/sitemap.xml", url).href]
    const pauseMs = (file: PageUrl) => this.#manners(file).delayMs
    for await (const pages of readSitemaps(reader, files, { pauseMs, signal })) {
      if (signal.aborted || this.#frontier.isFull) return
      const inside = pages.filter((page) => this.#inScope(page))
      this.#frontier.add(inside.map((page) => ({ url: page, depth: 1, priority: 1 })))
    }
  }

  #page(reading: Reading): Page {
    const { extracted, url } = reading
    const {
      job: { source },
      clock = Date.now,
    } = this.#options
    return {
      url,
      title: extracted.title,
      description: extracted.description,
      markdown: extracted.markdown,
      language: extracted.language ?? source.pages.language,
      author: extracted.author,
      publishedAt: extracted.publishedAt,
      topic: source.pages.topic ?? extracted.topic,
      country: extracted.country ?? source.pages.country,
      unsafe: source.pages.safe === null ? extracted.unsafe : !source.pages.safe,
      images: extracted.images,
      favicon: extracted.favicon,
      source: source.name,
      fetchedAt: new Date(clock()),
    }
  }

  /** Records how a visit without a page ended. What the index holds of the address stays as it is. */
  async #close(
    url: PageUrl,
    outcome: Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>,
  ): Promise<void> {
    const { status, leadsTo } = factsOf(outcome)
    const results = [{ url, outcome: outcomeName(outcome), detail: detailOf(outcome), status, leadsTo }]
    await this.#write({ page: null, seen: null, results })
  }

  async #write(item: Parameters<PageWriter["add"]>[0]): Promise<void> {
    this.#unwritten += 1
    for (const { url, outcome } of item.results) this.#settled.set(url, outcome)
    await this.#writer.add(item)
  }
}

const IN_VAIN = new Set<string>(["dns", "refused", "timeout", "tls"])

/** Whether the host had something to say; what its robots.txt said before does not count. */
function isAnswer(visit: Visit): boolean {
  if (visit.kind === "skipped") return visit.because !== "robots"
  return visit.kind === "read" || (visit.kind === "failed" && !IN_VAIN.has(visit.because))
}

function isInVain(visit: Exclude<Visit, { kind: "read" }>): boolean {
  return visit.kind === "postponed" || (visit.kind === "failed" && IN_VAIN.has(visit.because))
}

function outcomeName(outcome: Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>): string {
  return outcome.kind === "postponed" ? "postponed" : `${outcome.kind}:${outcome.because}`
}

function detailOf(outcome: Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>): string | null {
  return outcome.kind === "postponed" ? `until ${outcome.until.toISOString()}` : (outcome.detail ?? null)
}

function factsOf(
  outcome: Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>,
): Pick<Visited, "status" | "leadsTo"> {
  return {
    status: outcome.kind === "failed" ? outcome.status : undefined,
    leadsTo: outcome.kind === "skipped" ? outcome.leadsTo : undefined,
  }
}

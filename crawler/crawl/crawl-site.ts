import { type Engine, type PageUrl, sourcesOf, toPageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { Clock } from "#base/clock.ts"
import type { CrawlerConfig } from "../config.ts"
import { runCrawlee, type Visits } from "./crawlee.ts"
import { Discovery } from "../discovery/discovery.ts"
import { Duplicates, inWords } from "../duplicates/duplicates.ts"
import { plainLines } from "../duplicates/page-text.ts"
import { Frontier, type FrontierEntry } from "../frontier/frontier.ts"
import { HostPatience } from "../frontier/host-patience.ts"
import { ImageNotes } from "../images/image-notes.ts"
import type { Job } from "../job.ts"
import { type Found, type KnownAddress, KnownAddresses, type Visited } from "../frontier/known-addresses.ts"
import { isMissing, isPageOutcome, outcomeName, type OutcomeName } from "../outcome-name.ts"
import { packLinks } from "../frontier/page-links.ts"
import { PageWriter } from "./page-writer.ts"
import type { PageReader } from "../visit/reader.ts"
import type { Unmodified, Visit } from "../reading.ts"
import type { Reading } from "../reading.ts"
import { SharedPages } from "../sources/shared-pages.ts"
import { SoftNotFound } from "../removals/soft-not-found.ts"
import { RunLimits } from "../jobs/run-limits.ts"
import { factsOf, mannersOf, SourceVisits } from "./source-visits.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { Suspects } from "./suspects.ts"
import { TrapStore } from "../traps/trap-store.ts"
import { describeTrap, Traps } from "../traps/traps.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"
import { type NoPage, verdictOn } from "./judge/verdict.ts"
import { detailOf, isAnswer, isInVain, isNoPage, recordOf, type Unread } from "./judge/visit-outcome.ts"

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
  /** Called for each row of addresses that is left alone from then on, with the reason in words. */
  readonly onTrap?: (trap: string) => void
}

export interface EndedCrawl {
  readonly state: "finished" | "paused"
  /** The limit of its source that ended it, in words; null: there was nothing left to visit, or it was stopped. */
  readonly limit: string | null
}

/**
 * Crawls a source into the engine, going on where an earlier process left the job. Pages that are gone stay in the
 * engine: a visit's outcome is evidence, on which `removals/` decides.
 * @returns how it ended.
 * @throws EngineError when the engine fails; nothing that was reported is lost.
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<EndedCrawl> {
  using crawl = SiteCrawl.prepare(options)
  do {
    await runCrawlee(crawl, options.config.fetchConcurrency)
    await crawl.flush()
  } while (!crawl.isDone() && !options.signal.aborted)
  return crawl.end()
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

/** Addresses closed without a visit before others have their turn. */
const CLOSED_AT_ONCE = 1000

/** One run of a crawl job. */
class SiteCrawl implements Visits, Disposable {
  readonly #options: CrawlSiteOptions
  readonly #known: KnownAddresses
  readonly #frontier: Frontier
  readonly #discovery: Discovery
  readonly #limits: RunLimits
  readonly #softNotFound: SoftNotFound
  readonly #duplicates: Duplicates
  readonly #traps: Traps
  readonly #trapStore: TrapStore
  readonly #writer: PageWriter
  readonly #suspects: Suspects
  /** Waits until no other page is being visited. */
  #suspect: FrontierEntry | null = null
  #isAlone = false
  readonly #visits: SourceVisits
  #visiting = 0
  #failure: Error | null = null
  readonly #patience = new HostPatience()
  /** Aborted when visits in hand must end now. */
  readonly #cut = new AbortController()
  #cutTimer: NodeJS.Timeout | null = null
  /** Visits whose outcome is still with the writer. */
  #unwritten = 0
  /** Their outcomes by address. */
  readonly #settled = new Map<PageUrl, OutcomeName>()

  static prepare(options: CrawlSiteOptions): SiteCrawl {
    return new SiteCrawl(options, new KnownAddresses(options.db, options.clock))
  }

  private constructor(options: CrawlSiteOptions, known: KnownAddresses) {
    const { job, db, config, reader } = options
    this.#options = options
    this.#known = known
    this.#limits = new RunLimits(db, job)
    this.#softNotFound = new SoftNotFound({
      engine: options.engine,
      visit: async (url) => {
        const visit = await this.#visits.visitUnlinked(url)
        if (visit.kind === "read") this.#limits.bytes += visit.reading.bytes
        return visit
      },
    })
    const manners = mannersOf(job.source, config, reader)
    this.#frontier = new Frontier(
      db,
      job,
      known,
      manners,
      Math.max(MIN_ADDRESSES, job.source.limits.pages * ADDRESSES_PER_PAGE),
      config.maxWaitMs,
    )
    this.#suspects = new Suspects(db, job, known)
    this.#visits = new SourceVisits({
      source: job.source,
      config,
      reader,
      frontier: this.#frontier,
      mayLeadTo: (from, to) => this.#discovery.inScope(to) || this.#discovery.isSeed(from),
      isHeld: (url) => this.#isHeld(url),
      hasLinks: (url) => this.#known.hasLinksOf(job.source.name, url),
      onReading: (url) => {
        this.#suspects.begin(url)
      },
      stop: options.signal,
      cut: this.#cut.signal,
    })
    const shared = new SharedPages(db, options.engine, job.source, options.clock)
    this.#writer = new PageWriter(
      options.engine,
      shared,
      this.#frontier,
      new ImageNotes(db),
      (results, visits) => {
        this.#unwritten -= visits
        this.#duplicates.flush()
        for (const result of results) {
          this.#settled.delete(result.url)
          this.#suspects.forget(result.url)
          if (isNoPage(result)) this.#frontier.reopen(this.#duplicates.orphansOf(result.url))
        }
        this.#limits.keep()
        options.onRecorded?.(results)
      },
    )
    this.#discovery = new Discovery({
      job,
      db,
      reader,
      known,
      frontier: this.#frontier,
      pauseMs: (url) => manners(url).delayMs,
      allows: async (url) => (await this.#visits.disallowed(url)) === null,
      onBytes: (bytes) => {
        this.#limits.bytes += bytes
      },
      onLinks: (page, links) => {
        this.#addLinks(page, page.url, links)
      },
      signal: options.signal,
    })
    const clock = options.clock ?? Date.now
    this.#duplicates = new Duplicates({
      db,
      engine: options.engine,
      job: job.id,
      source: job.source.name,
      clock,
      outcomeOf: (url) => this.#endingOf(url),
      inScope: (url) => this.#discovery.inScope(url),
      isIndexed: (url) => this.#known.hashOf(url, job.source.name) !== null,
    })
    this.#trapStore = new TrapStore(db, clock)
    this.#traps = new Traps(
      clock,
      this.#trapStore.of(job.source.name).map(({ key }) => key),
    )
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
    this.#discovery.stop()
    this.#cut.abort()
    this.#suspects.release()
  }

  next(): FrontierEntry | null {
    if (this.#isStopping() || this.#isLimitTaken() || this.#isAlone) return null
    if (this.#suspect) return this.#nextAlone(this.#suspect)
    let closed = 0
    for (let entry = this.#frontier.next(); entry; entry = this.#frontier.next()) {
      // A redirect may have brought it in while it waited.
      const isSettled = this.#settled.has(entry.url)
      const spared = isSettled ? null : this.#sparesVisit(entry)
      if (!isSettled && !spared) {
        if (this.#suspects.isSuspect(entry.url)) return this.#nextAlone(entry)
        this.#visiting += 1
        return entry
      }
      this.#frontier.drop(entry)
      if (spared) {
        this.#close(entry.url, spared).catch((error: unknown) => {
          this.#failure ??= error as Error
        })
        closed += 1
        if (closed === CLOSED_AT_ONCE) return null
      }
    }
    return null
  }

  /** A page that may take the process down is visited while no other is, so that no other is suspected with it. */
  #nextAlone(entry: FrontierEntry): FrontierEntry | null {
    this.#isAlone = this.#visiting === 0
    this.#suspect = this.#isAlone ? null : entry
    if (!this.#isAlone) return null
    this.#visiting = 1
    return entry
  }

  /** The outcome of an address that needs no visit, by what was learned since it was found; else null. */
  #sparesVisit({ url, depth }: FrontierEntry): NoPage | null {
    const crashed = this.#suspects.verdict(url)
    if (crashed !== null) return { kind: "failed", because: "crashed", detail: crashed }
    if (this.#discovery.isSeed(url)) return null
    const spelling = this.#duplicates.instead(url)
    if (spelling) {
      this.#frontier.add([spelling.url], { how: "link", on: url, depth })
      this.#duplicates.spelled(url, spelling)
      const detail = `same page as ${spelling.url}: ${spelling.because}`
      return { kind: "skipped", because: "duplicate", detail, leadsTo: spelling.url }
    }
    const trap = this.#traps.holding(url)
    return trap && { kind: "skipped", because: "trap", detail: describeTrap(trap) }
  }

  hasNext(): boolean {
    if (this.#isStopping() || this.#isLimitTaken() || this.#isAlone) return false
    return this.#suspect === null ? this.#frontier.hasNext() : this.#visiting === 0
  }

  isFinished(): boolean {
    if (this.#visiting > 0) return false
    if (this.#isStopping() || this.#limits.reached() !== null) return true
    return !this.#discovery.isOpen && this.#frontier.open <= this.#unwritten
  }

  /** Whether the crawl came to its end; true only after {@link flush}. */
  isDone(): boolean {
    return this.#limits.reached() !== null || (this.#frontier.open === 0 && !this.#discovery.isOpen)
  }

  /** Visits one address. Never rejects: what goes wrong inside ends the crawl and is thrown by {@link flush}. */
  async visit(entry: FrontierEntry): Promise<void> {
    const startedAt = steadyNow()
    let released = false
    try {
      const before = this.#known.get(entry.url, this.#options.job.source.name)
      const visit = await unlessAborted(this.#visits.visit(entry, before), this.#cut.signal)
      this.#frontier.release(entry)
      released = true
      if (visit) await this.#settle(entry, visit, before, startedAt)
    } catch (error) {
      if (!released) this.#frontier.release(entry)
      this.#failure ??= error as Error
    } finally {
      this.#suspects.end(entry.url)
      this.#visiting -= 1
      this.#isAlone = false
    }
  }

  /** Writes what is still in hand. @throws what ended the crawl before its time. */
  async flush(): Promise<void> {
    if (this.isFinished()) this.#discovery.stop()
    await this.#discovery.settled()
    await this.#writer.flush()
    if (this.#failure) throw this.#failure
  }

  /** How the crawl ended; call it once, after {@link flush}. */
  end(): EndedCrawl {
    this.#limits.keep(true)
    if (!this.isDone()) return { state: "paused", limit: null }
    const limit = this.#frontier.open > 0 ? this.#limits.reached() : null
    this.#discovery.keep(limit === null)
    return { state: "finished", limit }
  }

  #isStopping(): boolean {
    return this.#options.signal.aborted || this.#failure !== null
  }

  // Visits under way may each become a page: no more are started than the limit has room for.
  #isLimitTaken(): boolean {
    return this.#limits.reached(this.#visiting) !== null
  }

  async #settle(
    entry: FrontierEntry,
    visit: Visit,
    before: KnownAddress | null,
    startedAt: number,
  ): Promise<void> {
    if (isAnswer(visit)) this.#patience.answered(entry.host)
    if (visit.kind === "read") {
      this.#limits.bytes += visit.reading.bytes
      await this.#take(entry, visit.reading, before)
      return
    }
    if (visit.kind === "unmodified") {
      await this.#keep(entry, visit, before)
      return
    }
    // A visit cut short by a stop has no outcome: it is made again when the crawl goes on.
    if (visit.kind === "failed" && visit.because === "cancelled") return
    const { config } = this.#options
    if (isInVain(visit)) {
      const rounds = this.#patience.failed(entry.host, startedAt, steadyNow())
      if (rounds >= HOST_ROUNDS) {
        const detail = `${entry.host} was given up: ${detailOf(visit) ?? visit.kind}`
        this.#frontier.giveUp(entry.host, outcomeName(visit), detail)
        this.#discovery.gaveUp()
        await this.#close(entry.url, visit)
        return
      }
      if (rounds > 1) {
        const rest = Math.min(config.retryDelayMs * 2 ** (rounds - 2), config.maxWaitMs)
        this.#frontier.block(entry, steadyNow() + rest)
      }
    }
    if (visit.kind === "failed" && isMissing(visit.status)) {
      const leftOut = this.#duplicates.missing(entry.url)
      if (leftOut) this.#frontier.add([leftOut], { how: "link", on: entry.url, depth: entry.depth })
    }
    const again = this.#retryAt(entry, visit)
    if (again !== null && again - steadyNow() <= config.maxWaitMs && entry.tries + 1 < config.maxTries) {
      if (visit.kind === "postponed") this.#frontier.block(entry, again)
      this.#frontier.postpone(entry, again)
      return
    }
    await this.#close(entry.url, visit)
  }

  #retryAt(entry: FrontierEntry, visit: Unread): number | null {
    if (visit.kind === "postponed") return visit.until.getTime()
    if (visit.kind === "failed" && visit.transient)
      return steadyNow() + this.#options.config.retryDelayMs * 2 ** entry.tries
    return null
  }

  /** The page is as the index holds it, says the site. */
  async #keep(
    entry: FrontierEntry,
    { url, noindex, validators }: Unmodified,
    before: KnownAddress | null,
  ): Promise<void> {
    this.#discovery.landed(entry.url, url, null)
    if (this.#settled.has(url) || !this.#frontier.isOpen(entry)) return
    if (this.#visits.obeys && noindex) {
      await this.#close(url, { kind: "skipped", because: "noindex" })
      return
    }
    this.#limits.pages += 1
    // Where it leads is known to the run before this one, unless that had other rules or no room, or it was further away.
    if (this.#discovery.owesLinks || entry.depth < (before?.depth ?? 0)) {
      this.#addLinks(entry, url, this.#known.linksOf(this.#options.job.source.name, url) ?? [])
    }
    const etag = validators.etag ?? before?.validators.etag ?? null
    const lastModified = validators.lastModified ?? before?.validators.lastModified ?? null
    const detail = "not modified since it was read"
    const results: Visited[] = [{ url, outcome: "unchanged", detail, validators: { etag, lastModified } }]
    await this.#write({ page: null, seen: null, results })
  }

  /** Takes in a page that was read. */
  async #take(entry: FrontierEntry, read: Reading, before: KnownAddress | null): Promise<void> {
    const { job, clock = Date.now } = this.#options
    const reading = { ...read, url: this.#duplicates.clean(read.url) }
    const { url } = reading
    this.#discovery.landed(entry.url, url, reading)
    const redirected = url !== entry.url
    // A redirect brought it in while it was being read.
    if (!redirected && (this.#settled.has(url) || !this.#frontier.isOpen(entry))) return
    const followed = this.#followedLinks(reading)
    const leads = this.#addLinks(entry, url, followed)
    const links = packLinks(url, followed)

    const facts = factsOf(entry, before)
    const verdict = verdictOn(reading, entry.url, {
      source: job.source,
      obeys: this.#visits.obeys,
      facts,
      fetchedAt: new Date(clock()),
      isVisited: (address) => this.#outcomeOf(address) !== null,
    })
    if (verdict.kind !== "page") {
      const { outcome } = verdict
      const isDuplicate = outcome.kind === "skipped" && outcome.because === "duplicate"
      if (isDuplicate) this.#duplicates.redirected(entry.url, url)
      const isPage = outcome.kind === "skipped" && outcome.because === "noindex"
      this.#watch(entry.url, plainLines(reading.extracted.markdown), isPage, leads)
      await this.#close(entry.url, outcome, redirected ? undefined : links)
      return
    }
    const { page, hash } = verdict
    const heldHash = redirected ? this.#known.hashOf(url, job.source.name) : (before?.hash ?? null)
    const unchanged = heldHash === hash && (await this.#isHeld(url))
    const complaint = unchanged ? null : await this.#softNotFound.complaint(page, heldHash !== null)
    // A redirect brought it in meanwhile, or the crawl was stopped before this was known.
    if (!redirected && (this.#settled.has(url) || !this.#frontier.isOpen(entry))) return
    if (this.#cut.signal.aborted) return
    if (complaint !== null) {
      const leadsTo = redirected ? { leadsTo: url } : {}
      this.#watch(entry.url, plainLines(page.markdown), false, leads)
      const outcome = { kind: "skipped", because: "soft-404", detail: complaint, ...leadsTo } as const
      await this.#close(entry.url, outcome, redirected ? undefined : links)
      return
    }
    const canonical = this.#canonicalOf(entry, reading)
    const judgement = await this.#duplicates.judge({ ...page, from: entry.url, canonical })
    if (!redirected && (this.#settled.has(url) || !this.#frontier.isOpen(entry))) return
    this.#watch(entry.url, judgement.lines, judgement.kind === "page", leads)
    if (redirected) this.#duplicates.redirected(entry.url, url)
    this.#frontier.add(
      judgement.probes.filter((probe) => this.#discovery.inScope(probe)),
      // Soon: what they tell spares many visits.
      { how: "link", on: url, depth: Math.min(1, entry.depth) },
    )
    if (judgement.kind === "alias") {
      await this.#closeAlias(entry, url, judgement.of, judgement.detail, links)
      return
    }
    const results: Visited[] = [
      {
        url,
        outcome: unchanged ? "unchanged" : "indexed",
        detail: reading.extracted.note ?? null,
        hash,
        title: page.title,
        validators: reading.validators ?? { etag: null, lastModified: null },
        readAs: this.#visits.readAsOf(facts),
        links,
        found: foundByRedirect(entry),
      },
    ]
    if (redirected) {
      results.push({
        url: entry.url,
        outcome: "skipped:duplicate",
        detail: `redirects to ${url}`,
        leadsTo: url,
      })
    }
    for (const { url: other, evidence, isNew } of judgement.replaces) {
      const before = this.#outcomeOf(other)
      if (before !== null && isPageOutcome(before)) this.#limits.pages -= 1
      // What an earlier run left is removed at the end, by evidence.
      const forgotten = isNew ? { hash: null } : {}
      const detail = inWords(evidence, url)
      results.push({ url: other, outcome: "skipped:duplicate", detail, leadsTo: url, ...forgotten })
    }
    this.#limits.pages += 1
    const replaces = judgement.replaces.flatMap((one) => (one.isNew ? one.url : []))
    await this.#write({ page: unchanged ? null : page, seen: page, results, replaces })
  }

  /** Closes an address that is another one of a page, and the one that redirects to it, if any does. */
  async #closeAlias(
    entry: FrontierEntry,
    url: PageUrl,
    of: PageUrl,
    detail: string,
    links: Uint8Array | null,
  ): Promise<void> {
    const outcome: OutcomeName = "skipped:duplicate"
    const results: Visited[] = [{ url, outcome, detail, leadsTo: of, links, found: foundByRedirect(entry) }]
    if (url !== entry.url) {
      results.push({ url: entry.url, outcome, detail: `redirects to ${url}`, leadsTo: of })
    }
    await this.#write({ page: null, seen: null, results })
  }

  /**
   * What a page names as its canonical, if that belongs to the source; it is visited too. Copies of documentation
   * name their upstream: a crawl that never goes there must not come home empty.
   */
  #canonicalOf(entry: FrontierEntry, { url, extracted }: Reading): PageUrl | null {
    const named = extracted.canonical === null ? null : toPageUrl(extracted.canonical)
    if (named === null || named === entry.url || !this.#discovery.inScope(named)) {
      return named === url ? url : null
    }
    const canonical = this.#duplicates.instead(named)?.url ?? named
    if (canonical !== url && this.#options.job.source.limits.depth > 0) {
      this.#frontier.add([canonical], { how: "canonical", on: url, depth: entry.depth })
    }
    return canonical
  }

  /** Notices rows of addresses that give nothing new. */
  #watch(url: PageUrl, lines: readonly string[], isPage: boolean, leads: number): void {
    const trap = this.#traps.visited(url, { lines, isPage, leads })
    if (!trap) return
    const { job, onTrap } = this.#options
    this.#trapStore.keep(job.source.name, job.id, trap)
    onTrap?.(describeTrap(trap))
  }

  #endingOf(url: PageUrl): "page" | "missing" | "other" | null {
    const outcome = this.#outcomeOf(url)
    if (outcome === null) return null
    if (isPageOutcome(outcome)) return "page"
    if (outcome !== "failed:http-status") return "other"
    const status = this.#known.get(url, this.#options.job.source.name)?.status
    return isMissing(status) ? "missing" : "other"
  }

  #outcomeOf(url: PageUrl): OutcomeName | null {
    return this.#settled.get(url) ?? this.#frontier.outcomeOf(url)
  }

  /**
   * Whether the index can show a page, for this source, whose hash is known: it may have lost it, or hold other bytes than were
   * written.
   */
  async #isHeld(url: PageUrl): Promise<boolean> {
    const page = await this.#options.engine.get(url)
    return page !== null && sourcesOf(page).includes(this.#options.job.source.name)
  }

  /** Where a page leads, as far as it lets anyone go there. */
  #followedLinks({ extracted: { links, robots } }: Reading): string[] {
    if (this.#visits.obeys && robots.nofollow) return []
    return links.flatMap((link) => (this.#visits.obeys && link.nofollow ? [] : link.url))
  }

  /** @returns how many links lead to addresses that were not known, and are worth a visit of their own. */
  #addLinks(entry: Pick<FrontierEntry, "depth">, page: PageUrl, links: readonly string[]): number {
    const { source, visits } = this.#options.job
    if (entry.depth >= source.limits.depth) return 0
    let leads = 0
    const found = new Set<PageUrl>()
    for (const link of links) {
      if (this.#frontier.remembers(link)) continue
      const linked = toPageUrl(link)
      if (linked === null || !this.#discovery.inScope(linked)) continue
      const url = this.#duplicates.instead(linked)?.url ?? linked
      if (found.has(url) || this.#frontier.remembers(url) || this.#traps.holding(url)) continue
      found.add(url)
      if (this.#traps.isPlain(url)) leads += 1
    }
    this.#frontier.add([...found], {
      how: "link",
      on: page,
      depth: entry.depth + 1,
      onlyDue: visits === "due",
    })
    return leads
  }

  /** Records how a visit without a page ended. What the index holds of the address stays as it is. */
  async #close(url: PageUrl, outcome: NoPage, links?: Uint8Array | null): Promise<void> {
    const result = { url, ...recordOf(outcome), ...(links === undefined ? {} : { links }) }
    await this.#write({ page: null, seen: null, results: [result] })
  }

  async #write(item: Parameters<PageWriter["add"]>[0]): Promise<void> {
    this.#unwritten += 1
    for (const { url, outcome } of item.results) {
      this.#settled.set(url, outcome)
      this.#discovery.closed(url)
    }
    await this.#writer.add(item)
  }
}

function foundByRedirect({ url, depth, facts }: FrontierEntry): Found {
  return { ...facts, depth, how: "redirect", on: url, listedIn: null }
}

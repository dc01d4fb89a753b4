import { mayShowText, traced } from "#base/telemetry/traces/tracing.ts"
import { isRefusedOrUnknown, untilTold } from "../fetch/concealed.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { Clock } from "#base/clock.ts"
import { repeat } from "#base/flow/repeat.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { FrontierEntry } from "./frontier/host-queues.ts"
import type { KnownAddress } from "./frontier/known-addresses.ts"
import type { Visit } from "../reading.ts"
import type { Job } from "../job.ts"
import { CrawlParts, type CrawlPartsOptions } from "./crawl-parts.ts"
import { CrawlShare } from "./together/crawl-share.ts"
import type { JobPlace } from "./together/job-places.ts"
import type { Visits } from "./together/visit-pool.ts"
import { sparedVisit } from "./judge/spared-visits.ts"
import type { NoPage } from "./judge/verdict.ts"
import { VisitJudge } from "./judge/visit-judge.ts"

export interface CrawlSiteOptions extends Omit<CrawlPartsOptions, "cut" | "clock" | "share"> {
  /** Ends the crawl after the running visits, which get a few more seconds; the frontier is kept. */
  readonly signal: AbortSignal
  /** The clock for stored times. Default: the system's. */
  readonly clock?: Clock | undefined
  /** Resources that this process's jobs share. Default: this is the only job. */
  readonly share?: CrawlShare | undefined
  /** The job's place among the jobs in `share`. */
  readonly place?: JobPlace | undefined
  /**
   * Called when the job gives up its place because all its addresses are waiting, and when it gets the place back.
   */
  readonly onWaiting?: ((isWaiting: boolean) => Promise<void>) | undefined
}

export interface EndedCrawl {
  readonly state: "finished" | "paused"
  /** The source's limit that ended the crawl, in words; `null` if nothing was left to visit, or if it was stopped. */
  readonly limit: string | null
}

/**
 * Crawls a source into the engine, continuing where an earlier process left off. Pages that are gone stay in the
 * engine: a visit's outcome is evidence, on which `removals/` decides.
 * @returns how it ended.
 * @throws EngineError when the engine fails; nothing that was reported is lost.
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<EndedCrawl> {
  const share = options.share ?? new CrawlShare(options.config)
  await using crawl = await SiteCrawl.open({ ...options, share })
  const place = options.place ?? share.places.take()
  do {
    await share.pool.run(crawl, place)
    await crawl.flush()
  } while (!crawl.isDone() && !options.signal.aborted)
  return await crawl.end()
}

/** How long running visits may take once the crawl has to stop. Visits that are cut short are repeated later. */
const STOP_GRACE_MS = 3000
/** How often to check whether the operator wants a host skipped. */
const SKIPS_MS = 500
/** Number of addresses closed without a visit before other work gets a turn. */
const CLOSED_AT_ONCE = 1000

/** One run of a crawl job, as the pool drives it: which address comes next, and when to stop. */
class SiteCrawl implements Visits, AsyncDisposable {
  readonly #job: Job
  readonly #signal: AbortSignal
  readonly #share: CrawlShare
  readonly #onWaiting: (isWaiting: boolean) => Promise<void>
  readonly #parts: CrawlParts
  readonly #judge: VisitJudge
  /** The entry that is waiting until no job is visiting any other page. */
  #suspect: FrontierEntry | null = null
  #visiting = 0
  #failure: Error | null = null
  /** Aborted when running visits must end now. */
  readonly #cut: AbortController
  #cutTimer: NodeJS.Timeout | null = null
  readonly #skips: AsyncDisposable

  static async open(options: CrawlSiteOptions & { readonly share: CrawlShare }): Promise<SiteCrawl> {
    const { clock = Date.now } = options
    const cut = new AbortController()
    const parts = await CrawlParts.open({ ...options, cut: cut.signal, clock })
    return new SiteCrawl({ ...options, clock }, parts, cut)
  }

  private constructor(
    options: CrawlSiteOptions & { readonly share: CrawlShare; readonly clock: Clock },
    parts: CrawlParts,
    cut: AbortController,
  ) {
    const { job, config, signal, share, clock, onWaiting = () => Promise.resolve() } = options
    this.#job = job
    this.#signal = signal
    this.#share = share
    this.#onWaiting = onWaiting
    this.#parts = parts
    this.#cut = cut
    this.#judge = new VisitJudge({
      parts,
      source: job.source,
      author: job.author,
      config,
      clock,
      cut: cut.signal,
    })
    this.#skips = repeat(() => this.#skipAsked(), SKIPS_MS)
    if (signal.aborted) this.#startGrace()
    else signal.addEventListener("abort", this.#startGrace, { once: true })
  }

  async #skipAsked(): Promise<void> {
    try {
      await this.#parts.hosts.skipAsked()
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  readonly #startGrace = () => {
    this.#cutTimer = setTimeout(() => {
      this.#cut.abort()
    }, STOP_GRACE_MS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#startGrace)
    if (this.#cutTimer) clearTimeout(this.#cutTimer)
    this.#parts.discovery.stop()
    this.#cut.abort()
    this.#share.solitude.leave(this)
    if (this.#suspect) this.#parts.frontier.drop(this.#suspect)
    try {
      await this.#skips[Symbol.asyncDispose]()
      // If discovery failed, the crawl has already thrown that error or an earlier one.
      await this.#parts.discovery.settled().catch(() => undefined)
      await this.#parts.suspects.release()
    } finally {
      this.#parts.frontier[Symbol.dispose]()
    }
  }

  async next(): Promise<FrontierEntry | null> {
    if (!this.#mayBegin()) return null
    if (this.#suspect) return this.#nextAlone(this.#suspect)
    let closed = 0
    for (let entry = await this.#parts.frontier.next(); entry; entry = await this.#parts.frontier.next()) {
      const { isSuspect, ending } = await this.#known(entry)
      if (this.#isSettled(entry)) {
        this.#parts.frontier.drop(entry)
        continue
      }
      if (ending) {
        this.#parts.frontier.drop(entry)
        this.#parts.recorder.close(entry.url, ending).catch((error: unknown) => {
          this.#failure ??= error as Error
        })
        closed += 1
        if (closed === CLOSED_AT_ONCE) return null
        continue
      }
      if (!this.#mayBegin()) {
        this.#parts.frontier.putBack(entry)
        return null
      }
      if (isSuspect) return this.#nextAlone(entry)
      this.#share.solitude.begin()
      this.#visiting += 1
      return entry
    }
    return null
  }

  /** Whether a redirect led to an address while that address was waiting to be visited. */
  #isSettled(entry: FrontierEntry): boolean {
    return this.#parts.recorder.isSettled(entry.url) || !this.#parts.frontier.isOpen(entry)
  }

  /** Decides whether an address that is about to be visited needs a visit at all. */
  async #known(
    entry: FrontierEntry,
  ): Promise<{ readonly isSuspect: boolean; readonly ending: NoPage | null }> {
    const { hosts, suspects } = this.#parts
    const isOver = this.#isSettled(entry) || hosts.ending(entry.host) !== null
    const spared = isOver ? null : await sparedVisit(entry, this.#parts)
    const isSuspect = !isOver && spared === null && (await suspects.isSuspect(entry.url))
    // The host may have been abandoned in the meantime.
    return { isSuspect, ending: hosts.ending(entry.host) ?? spared }
  }

  /** A page that might crash the process is visited alone, so that no other page is suspected with it. */
  #nextAlone(entry: FrontierEntry): FrontierEntry | null {
    const isAlone = this.#share.solitude.beginAlone(this)
    this.#suspect = isAlone ? null : entry
    if (!isAlone) return null
    this.#visiting += 1
    return entry
  }

  async hasNext(): Promise<boolean> {
    if (!this.#mayBegin()) return false
    return this.#suspect === null ? await this.#parts.frontier.hasNext() : this.#share.solitude.isEmpty
  }

  waitsUntil(now: number): number | null {
    if (this.#visiting > 0 || this.#suspect !== null || this.#parts.discovery.isReading) return null
    const at = this.#parts.frontier.freeAt(now)
    return at > now ? at : null
  }

  async onWaiting(isWaiting: boolean): Promise<void> {
    await this.#onWaiting(isWaiting)
  }

  isFinished(): boolean {
    // While outcomes are being recorded, the counts of open and unwritten addresses disagree, and some addresses may be
    // reopened.
    return !this.#parts.recorder.isRecording && this.#isOver()
  }

  #isOver(): boolean {
    if (this.#visiting > 0) return false
    if (this.#isStopping() || this.#parts.limits.reached() !== null) return true
    return !this.#parts.discovery.isOpen && this.#parts.frontier.open <= this.#parts.recorder.unwritten
  }

  /** Whether the crawl is complete; `true` only after {@link flush}. */
  isDone(): boolean {
    return (
      this.#parts.limits.reached() !== null ||
      (this.#parts.frontier.open === 0 && !this.#parts.discovery.isOpen)
    )
  }

  /** Visits one address. Never rejects: an error inside ends the crawl and is thrown by {@link flush}. */
  async visit(entry: FrontierEntry): Promise<void> {
    const startedAt = steadyNow()
    const began = performance.now()
    let released = false
    try {
      const before = await this.#parts.known.get(entry.url, this.#job.source.name)
      const visit = await unlessAborted(this.#visited(entry, before), this.#cut.signal)
      if (visit && this.#job.author === "api" && isRefusedOrUnknown(visit)) {
        await untilTold(began, this.#cut.signal)
      }
      this.#parts.frontier.release(entry)
      released = true
      if (visit) await this.#judge.settle(entry, visit, before, startedAt)
    } catch (error) {
      if (!released) this.#parts.frontier.release(entry)
      this.#failure ??= error as Error
    } finally {
      this.#parts.suspects.end(entry.url)
      this.#visiting -= 1
      this.#share.solitude.end(this)
    }
  }

  /** The visit as a step in the run's trace; it contains only the page's outcome. */
  #visited(entry: FrontierEntry, before: KnownAddress | null): Promise<Visit> {
    const attributes = mayShowText() ? { "url.full": entry.url } : {}
    return traced("visit", { attributes }, async (span) => {
      const visit = await this.#parts.visits.visit(entry, before)
      span.set({ "fossick.outcome": visit.kind })
      return visit
    })
  }

  /** Writes the remaining pages and outcomes. @throws the error that ended the crawl early. */
  async flush(): Promise<void> {
    if (this.#isOver()) this.#parts.discovery.stop()
    await this.#parts.discovery.settled()
    await this.#parts.recorder.flush()
    if (this.#failure) throw this.#failure
  }

  /** How the crawl ended; call it once, after {@link flush}. */
  async end(): Promise<EndedCrawl> {
    await this.#parts.limits.keep(true)
    await this.#parts.hosts.end()
    if (!this.isDone()) return { state: "paused", limit: null }
    const limit = this.#parts.frontier.open > 0 ? this.#parts.limits.reached() : null
    await this.#parts.discovery.keep(limit === null)
    return { state: "finished", limit }
  }

  #isStopping(): boolean {
    return this.#signal.aborted || this.#failure !== null
  }

  #mayBegin(): boolean {
    return !this.#isStopping() && !this.#isLimitTaken() && this.#share.solitude.mayBegin(this)
  }

  // Each running visit can become a page, so only as many are started as the limit has room for.
  #isLimitTaken(): boolean {
    return this.#parts.limits.reached(this.#visiting) !== null
  }
}

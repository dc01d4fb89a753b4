import { type Engine, type Page, type PageUrl, sourcesOf } from "#engine"
import { type PageReaders, readersLabel } from "#engine/index/page/readers.ts"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { CrawlerConfig } from "../settings.ts"
import { HostCredit } from "./copies/host-credit.ts"
import { Discovery } from "./discovery/discovery.ts"
import { Duplicates } from "./duplicates/duplicates.ts"
import { Frontier } from "./frontier/frontier.ts"
import { KnownAddresses, type Visited } from "./frontier/known-addresses.ts"
import { ImageNotes } from "../upkeep/images/image-notes.ts"
import type { Job } from "../job.ts"
import { RunLimits } from "../jobs/run-limits.ts"
import { isMissing, isPageOutcome, type OutcomeName } from "../outcome-name.ts"
import { SoftNotFound } from "../upkeep/removals/soft-not-found.ts"
import { SharedPages } from "../sources/shared-pages.ts"
import { UnrecordedPages } from "../sources/unrecorded-pages.ts"
import { RunTraps } from "./traps/run-traps.ts"
import { observersOf } from "../fetch/observe/observations.ts"
import type { Observers } from "../fetch/observe/observers.ts"
import type { PageReader } from "../fetch/visit/reader.ts"
import { HostWaits } from "../fetch/hosts/host-waits.ts"
import { mannersOf } from "../fetch/hosts/manners.ts"
import { RunHosts } from "./judge/run-hosts.ts"
import type { NoPage } from "./judge/verdict.ts"
import { isNoPage } from "./judge/visit-outcome.ts"
import type { CrawlShare } from "./together/crawl-share.ts"
import { LinkIntake } from "./link-intake.ts"
import { OutcomeRecorder } from "./outcome-recorder.ts"
import { SourceVisits } from "./source-visits.ts"
import { Suspects } from "./frontier/suspects.ts"

/** The parts that are read from the state before a run begins. */
interface Opened {
  readonly known: KnownAddresses
  readonly limits: RunLimits
  readonly frontier: Frontier
  readonly suspects: Suspects
  readonly traps: RunTraps
  readonly credit: HostCredit
}

export interface CrawlPartsOptions {
  readonly job: Job
  readonly db: StateStore
  readonly engine: Engine
  readonly reader: PageReader
  /** The logged-in observers, if the source has any. */
  readonly observers?: Observers | null | undefined
  readonly config: CrawlerConfig
  /** Once aborted, no further visit begins. */
  readonly signal: AbortSignal
  /** When aborted, ends the running visits. */
  readonly cut: AbortSignal
  readonly clock: Clock
  readonly share: Pick<CrawlShare, "paces" | "writes">
  /** Called for each batch of recorded outcomes. */
  readonly onRecorded?: ((results: readonly Visited[]) => void) | undefined
  /** Called for each host that is abandoned for this run, with the reason in words. */
  readonly onGivenUp?: ((host: string, last: NoPage) => Promise<void>) | undefined
  /** Called for each sitemap or feed that could not be read in full, with a note for the operator. */
  readonly onListTrouble?: ((note: string) => Promise<void>) | undefined
  /** Called for each series of addresses that is skipped from then on, with the reason in words. */
  readonly onTrap?: ((trap: string) => Promise<void>) | undefined
}

/**
 * How many addresses a crawl may learn of for each page that its limit allows, and the minimum, whatever the limit.
 * Without this, an endless calendar, whose pages never count towards the limit, would keep the crawl running forever.
 */
const ADDRESSES_PER_PAGE = 20
const MIN_ADDRESSES = 10_000

/** Waits until a request may be sent to the host of an address. */
type Turn = (url: PageUrl, signal: AbortSignal) => ReturnType<CrawlShare["paces"]["turn"]>

/** The components for one run of a job, wired up. */
export class CrawlParts {
  readonly known: KnownAddresses
  readonly frontier: Frontier
  readonly discovery: Discovery
  readonly limits: RunLimits
  readonly softNotFound: SoftNotFound
  readonly duplicates: Duplicates
  readonly traps: RunTraps
  readonly links: LinkIntake
  readonly recorder: OutcomeRecorder
  readonly suspects: Suspects
  readonly visits: SourceVisits
  readonly hosts: RunHosts
  /** Whether the pages come from websites, which can send anything, rather than from a folder, for example. */
  readonly isSite: boolean
  /** Whether observers learn who may read the pages. */
  readonly isObserved: boolean
  readonly #engine: Engine
  readonly #source: string
  /** Addresses to reopen as soon as their visit is recorded. */
  readonly #toReopen = new Set<PageUrl>()

  static async open(options: CrawlPartsOptions): Promise<CrawlParts> {
    const { job, db, config, clock, onTrap, share } = options
    const { source } = job
    // Without observers, everybody could read the source's pages.
    if (observersOf(source).length > 0 && !options.observers)
      throw new Error(`the observers of ${source.name} have not been opened`)
    const known = new KnownAddresses(db, clock)
    const shared = new SharedPages(db, options.engine, source, clock)
    const unrecorded = new UnrecordedPages(db, source.name)
    await new ImageNotes(db).forget(await share.writes.run(() => unrecorded.settle(shared)))
    const limits = await RunLimits.open(db, job)
    const suspects = await Suspects.open(db, job, known)
    const traps = await RunTraps.open(db, clock, job, onTrap)
    const credit = await HostCredit.open(db, source.name, clock())
    const maxAddresses = Math.max(MIN_ADDRESSES, source.limits.pages * ADDRESSES_PER_PAGE)
    const manners = mannersOf(source, job.author, config)
    const frontier = await Frontier.open(db, job, known, manners, maxAddresses, config.maxWaitMs, share.paces)
    try {
      const parts = new CrawlParts(options, { known, limits, frontier, suspects, traps, credit })
      await parts.discovery.begin()
      return parts
    } catch (error) {
      frontier[Symbol.dispose]()
      throw error
    }
  }

  private constructor(options: CrawlPartsOptions, opened: Opened) {
    const { known, limits, frontier, suspects, traps, credit } = opened
    const { job, engine, config, share } = options
    this.#engine = engine
    this.#source = job.source.name
    this.isSite = options.reader.content === null
    this.isObserved = options.observers !== null && options.observers !== undefined
    this.known = known
    this.limits = limits
    this.frontier = frontier
    this.suspects = suspects
    this.traps = traps
    this.hosts = this.#openHosts(options)
    const manners = mannersOf(job.source, job.author, config)
    const turn: Turn = (url, signal) => {
      const { host } = new URL(url)
      const isOver = () => this.hosts.isGivenUp(host)
      return share.paces.turn(host, { manners: manners(url), signal, isOver })
    }
    this.visits = this.#openVisits(options, turn, credit)
    this.softNotFound = this.#openSoftNotFound()
    this.recorder = this.#openRecorder(options)
    this.duplicates = this.#openDuplicates(options)
    this.discovery = this.#openDiscovery(options, turn)
    const { discovery, duplicates } = this
    this.links = new LinkIntake({ job, obeys: this.visits.obeys, frontier, discovery, duplicates, traps })
  }

  #openHosts({ job, db, onGivenUp }: CrawlPartsOptions): RunHosts {
    return new RunHosts({
      job: job.id,
      waits: new HostWaits(db),
      frontier: this.frontier,
      onGivenUp: async (host, last) => {
        await this.discovery.gaveUp()
        await onGivenUp?.(host, last)
      },
    })
  }

  #openVisits(options: CrawlPartsOptions, turn: Turn, credit: HostCredit): SourceVisits {
    const { job, config, reader, signal, cut, clock } = options
    const { source } = job
    return new SourceVisits({
      source,
      config,
      reader,
      frontier: this.frontier,
      turn: (url) => turn(url, cut),
      mayLeadTo: (from, to) => this.discovery.inScope(to) || this.discovery.isSeed(from),
      isHeld: (url) => this.isHeld(url),
      hasLinks: (url) => this.known.hasLinksOf(source.name, url),
      onReading: (url) => this.suspects.begin(url),
      clock,
      credit,
      onCopy: (bytes, spared) => {
        this.limits.tookCopy(bytes, spared)
      },
      observers: options.observers ?? null,
      onBytes: (bytes) => {
        this.limits.bytes += bytes
      },
      stop: signal,
      cut,
    })
  }

  #openSoftNotFound(): SoftNotFound {
    return new SoftNotFound({
      engine: this.#engine,
      visit: async (url) => {
        const visit = await this.visits.visitUnlinked(url)
        if (visit.kind === "read") this.limits.bytes += visit.reading.bytes
        return visit
      },
    })
  }

  #openRecorder({ job, db, engine, clock, share, onRecorded }: CrawlPartsOptions): OutcomeRecorder {
    return new OutcomeRecorder({
      engine,
      shared: new SharedPages(db, engine, job.source, clock),
      frontier: this.frontier,
      images: new ImageNotes(db),
      unrecorded: new UnrecordedPages(db, job.source.name),
      writes: share.writes,
      onClosed: (url) => {
        this.discovery.closed(url)
      },
      onRecorded: async (results) => {
        await this.#recorded(results)
        onRecorded?.(results)
      },
    })
  }

  #openDuplicates({ job, db, engine, clock }: CrawlPartsOptions): Duplicates {
    return new Duplicates({
      db,
      engine,
      job: job.id,
      source: this.#source,
      clock,
      isOfThisRun: this.isObserved,
      outcomeOf: (url) => this.#endingOf(url),
      inScope: (url) => this.discovery.inScope(url),
      isIndexed: async (url) => (await this.known.hashOf(url, this.#source)) !== null,
    })
  }

  #openDiscovery({ job, db, reader, signal, onListTrouble }: CrawlPartsOptions, turn: Turn): Discovery {
    return new Discovery({
      job,
      db,
      reader,
      known: this.known,
      frontier: this.frontier,
      turn,
      allows: async (url) => (await this.visits.disallowed(url)) === null,
      onBytes: (bytes) => {
        this.limits.bytes += bytes
      },
      onLinks: async (page, links) => {
        await this.links.add(page.depth, page.url, links)
      },
      onTrouble: async (note) => await onListTrouble?.(note),
      signal,
    })
  }

  /** Whether the index contains a page for this source. */
  async isHeld(url: PageUrl): Promise<boolean> {
    return (await this.#engine.holdersOf(url)).includes(this.#source)
  }

  /** Whether the index contains a page for this source with its current readers. A run that was cut short may have left it with other readers. */
  async isHeldAs({ url, readers = [] }: Pick<Page, "url" | "readers">): Promise<boolean> {
    if (!this.isObserved) return await this.isHeld(url)
    const held = await this.#engine.get(url)
    const own = (all: readonly PageReaders[]) =>
      readersLabel(all.filter(({ source }) => source === this.#source))
    return held !== null && sourcesOf(held).includes(this.#source) && own(held.readers ?? []) === own(readers)
  }

  /** Reopens addresses that were read without a browser although their pages are built by scripts. */
  async readAnew(urls: readonly PageUrl[]): Promise<void> {
    for (const url of urls) {
      this.visits.readAnew(url)
      // The visit may be recorded while the frontier is queried.
      this.#toReopen.add(url)
      const outcome = await this.frontier.outcomeOf(url)
      if (outcome !== null) await this.#reopen(url, outcome)
    }
  }

  /** Visits addresses of the source in this run, even if it has visited them already. */
  async visitAgain(urls: readonly PageUrl[]): Promise<void> {
    for (const url of urls) {
      // If the run stops before visiting these addresses, the next run visits them.
      await this.known.makeDue(url, this.#source)
      const outcome = await this.frontier.outcomeOf(url)
      if (outcome !== null || this.recorder.isSettled(url)) this.#toReopen.add(url)
      if (outcome !== null) await this.#reopen(url, outcome)
      else {
        const known = await this.known.get(url, this.#source)
        if (known !== null) await this.frontier.revisit([known])
      }
    }
  }

  async #reopen(url: PageUrl, outcome: OutcomeName): Promise<void> {
    if (!this.#toReopen.delete(url)) return
    if (isPageOutcome(outcome)) this.limits.pages -= 1
    await this.frontier.reopen([url])
  }

  async #recorded(results: readonly Visited[]): Promise<void> {
    await this.duplicates.flush()
    for (const result of results) {
      this.suspects.forget(result.url)
      await this.#reopen(result.url, result.outcome)
      if (!isNoPage(result)) continue
      // A file that hasn't changed isn't due for a visit, so copies that an earlier run filed under this page are
      // visited now.
      const orphans = await this.duplicates.orphansOf(result.url, { ofEarlierRuns: !this.isSite })
      await (this.isSite ? this.frontier.reopen(orphans) : this.visitAgain(orphans))
    }
    await this.limits.keep()
  }

  async #endingOf(url: PageUrl): Promise<"page" | "missing" | "other" | null> {
    const outcome = await this.recorder.outcomeOf(url)
    if (outcome === null) return null
    if (isPageOutcome(outcome)) return "page"
    if (outcome !== "failed:http-status") return "other"
    return isMissing((await this.known.get(url, this.#source))?.status) ? "missing" : "other"
  }
}

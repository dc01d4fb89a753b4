import { keepLanding, landingsUpTo } from "../../jobs/landings.ts"
import { declaredBefore, keepWhole, runBefore } from "../../jobs/source-runs.ts"
import { isMissing, isUnread } from "../../outcome-name.ts"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type PageUrl, toPageUrl } from "#engine"
import { type Fetched, type FetchResult, type Validators, validatorsOf } from "../../fetch/fetch.ts"
import type { Frontier } from "../frontier/frontier.ts"
import type { Job } from "../../job.ts"
import {
  FOUND_SOMEHOW,
  type KnownAddress,
  type KnownAddresses,
  type KnownCursor,
  type ListedFacts,
  type Visited,
} from "../frontier/known-addresses.ts"
import { MAX_FEED_BYTES, MAX_FEEDS, MAX_SITEMAP_BYTES, MAX_SITEMAPS } from "../listings/listing-limits.ts"
import { AS_LIST, readList } from "../listings/read-list.ts"
import type { ListingKind } from "../frontier/frontier-schema.ts"
import { type Listing, Listings } from "../frontier/known-listings.ts"
import { observersOf } from "../../fetch/observe/observations.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import type { Reading } from "../../reading.ts"
import { listContent } from "./list-content.ts"
import { membership } from "../scope/scope.ts"
import { ListTroubles, type RunList } from "./list-troubles.ts"
import type { Source } from "../../source.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"

const HOUR_MS = 3_600_000

export interface DiscoveryOptions {
  readonly job: Job
  readonly db: StateStore
  readonly reader: PageReader
  readonly frontier: Frontier
  readonly known: KnownAddresses
  /** Waits until the host's politeness rules allow a file to be fetched; `null` if the file is no longer wanted. */
  readonly turn: (url: PageUrl, signal: AbortSignal) => Promise<Disposable | null>
  /** Whether robots.txt allows a file to be read. */
  readonly allows: (url: PageUrl) => Promise<boolean>
  /** Called with the number of bytes of every file read. */
  readonly onBytes: (bytes: number) => void
  /** Called with the links of a page that this run need not visit. */
  readonly onLinks: (page: KnownAddress, links: readonly string[]) => Promise<void>
  /** Called for each sitemap or feed that could not be read in full. */
  readonly onTrouble: (note: string) => Promise<void>
  readonly signal: AbortSignal
}

interface File extends RunList {
  /** The sitemap's date in the index that names it. */
  readonly namedAt: number | null
  readonly foundOn: string | null
}

/**
 * Where a run gets its addresses, besides the links on its pages: seeds, sitemaps, feeds, and addresses left over from
 * the source's earlier runs. Also decides which addresses belong to the source, which depends on where its seeds lead.
 */
export class Discovery {
  readonly #options: DiscoveryOptions
  readonly #listings: Listings
  readonly #troubles: ListTroubles
  /** Seeds, keyed by the address of their page. */
  readonly #seeds: ReadonlyMap<PageUrl, string>
  /** Seeds that have not been visited yet: where they lead decides which addresses belong to the source. */
  readonly #waiting = new Set<PageUrl>()
  /** Where the seeds' redirects lead: in this run, or else in an earlier one. */
  readonly #landings = new Map<string, PageUrl>()
  readonly #landed = new Set<string>()
  #inScope: (url: PageUrl) => boolean
  readonly #files = new Set<PageUrl>()
  /** Markdown copies that an llms.txt names, keyed by their page. */
  readonly #copies = new Map<PageUrl, PageUrl>()
  #feeds = 0
  readonly #sites = new Set<string>()
  #owesLinks = false
  /** Whether to judge all addresses that do not belong to the source, or only those that are due. */
  #judgesAll = false
  readonly #tasks = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  /** Number of files that are being fetched or read, not just waiting for their turn. */
  #reading = 0
  #failure: Error | null = null

  constructor(options: DiscoveryOptions) {
    const { db, reader } = options
    const visits = visitsOf(options.job, reader)
    const job = { ...options.job, visits }
    this.#options = { ...options, job }
    this.#listings = new Listings(db, job.source.name)
    this.#troubles = new ListTroubles(job, options.onTrouble)
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal])
    this.#seeds = new Map(
      (reader.content === null ? job.source.seeds : []).map((seed) => {
        const url = toPageUrl(seed)
        if (url === null) throw new Error(`${seed} isn't an http or https address`)
        return [url, seed]
      }),
    )
    this.#inScope = membership(job.source, this.#landings)
  }

  /** Starts the run, or resumes it where an earlier process stopped. Call it before anything else. */
  async begin(): Promise<void> {
    const { job, db, frontier, reader } = this.#options
    this.#owesLinks = reader.content === null && job.visits !== "failed" && (await owesLinks(db, job))
    this.#judgesAll = job.visits === "all" || (job.visits === "due" && (await isScopeNew(db, job)))
    const seeds = job.visits === "failed" ? [] : [...this.#seeds.keys()]
    await frontier.add(seeds, { how: "seed", on: null, depth: 0 })
    for (const seed of seeds) if ((await frontier.outcomeOf(seed)) === null) this.#waiting.add(seed)
    for (const { seed, landed, job: from } of await landingsUpTo(db, job.source.name, job.id)) {
      this.#landings.set(seed, landed)
      if (from === job.id) this.#landed.add(seed)
    }
    this.#inScope = membership(job.source, this.#landings)
    for (const seed of this.#landed) this.#discoverSitemaps(this.#landings.get(seed) as PageUrl)
    if (this.#waiting.size === 0) this.#start(this.#afterSeeds())
    const { content } = reader
    if (content !== null && job.visits !== "failed") {
      const inScope = (url: PageUrl) => this.#inScope(url)
      this.#start(listContent(content, { ...this.#options, inScope, signal: this.#signal }))
    }
  }

  /** Whether there may be links and listed pages that the previous run skipped. */
  get owesLinks(): boolean {
    return this.#owesLinks
  }

  /** Whether more addresses may come from sources other than page links. */
  get isOpen(): boolean {
    return this.#tasks.size > 0 || this.#waiting.size > 0
  }

  /** Whether a file is being read, rather than just waiting. */
  get isReading(): boolean {
    return this.#reading > 0
  }

  inScope(url: PageUrl): boolean {
    return this.#inScope(url)
  }

  isSeed(url: PageUrl): boolean {
    return this.#seeds.has(url)
  }

  /** Whether this run looks for sitemaps and feeds. */
  get #readsLists(): boolean {
    const { visits, source } = this.#options.job
    return visits !== "failed" && source.limits.depth > 0
  }

  /** Called when an address was visited and led to `url`. `reading` is the page's content, unless the page had not changed. */
  async landed(from: PageUrl, url: PageUrl, reading: Reading | null): Promise<void> {
    const seed = this.#seeds.get(from)
    if (seed === undefined) return
    const { db, job } = this.#options
    this.#landings.set(seed, url)
    this.#landed.add(seed)
    this.#inScope = membership(job.source, this.#landings)
    await keepLanding(db, job.id, seed, url)
    this.#discoverSitemaps(url)
    for (const feed of reading?.extracted.feeds ?? []) await this.#discoverFeed(feed, url)
    this.closed(from)
  }

  /** Called when an address gets its outcome. */
  closed(url: PageUrl): void {
    if (this.#waiting.delete(url) && this.#waiting.size === 0) this.#start(this.#afterSeeds())
  }

  /** Called when all addresses of a host were closed at once. */
  async gaveUp(): Promise<void> {
    for (const seed of this.#waiting) {
      if ((await this.#options.frontier.outcomeOf(seed)) !== null) this.closed(seed)
    }
  }

  /** The markdown copy that an llms.txt names for a missing page, if the copy belongs to the source. */
  copyOf(url: PageUrl): PageUrl | null {
    const copy = this.#copies.get(url)
    return copy !== undefined && this.#inScope(copy) ? copy : null
  }

  /** Stops reading. */
  stop(): void {
    this.#stop.abort()
  }

  /** Resolves when nothing is running any more. @throws any error that occurred. */
  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
    if (this.#failure) throw this.#failure
  }

  /** Stores what was learned about sitemaps and feeds. `whole`: whether the run visited all addresses they name. */
  async keep(whole: boolean): Promise<void> {
    const { db, job, frontier } = this.#options
    await this.#troubles.end()
    if (job.visits === "failed") {
      // This run followed only a few links that the previous one did not, so the previous result still applies.
      await keepWhole(db, job.id, (await runBefore(db, job))?.whole === true)
      return
    }
    if (whole && !frontier.isFull) await this.#judgeDepths()
    await this.#listings.keep(whole && !frontier.isFull)
    await keepWhole(db, job.id, whole && !frontier.isFull)
  }

  async #afterSeeds(): Promise<void> {
    const { sitemaps, feeds } = this.#options.job.source
    this.#start(this.#addKnown())
    if (!this.#readsLists) return
    const named = sitemaps.flatMap((url) => toPageUrl(url) ?? [])
    if (named.length > 0) this.#start(this.#readSitemaps(named, null))
    for (const feed of feeds) await this.#discoverFeed(feed, null, true)
    // A page that had not changed did not name these feeds again.
    for (const { url } of await this.#listings.all("feed")) await this.#discoverFeed(url, null)
  }

  #start(task: Promise<void>): void {
    const tracked = task
      .catch((error: unknown) => {
        this.#failure ??= error as Error
      })
      .finally(() => this.#tasks.delete(tracked))
    this.#tasks.add(tracked)
  }

  /**
   * Adds addresses left over from earlier runs: all, or only those that are due. Addresses that no longer belong to the
   * source are closed unvisited.
   */
  async #addKnown(): Promise<void> {
    const { job, frontier, known } = this.#options
    const { source } = job
    const now = known.now()
    const isAll = this.#judgesAll || this.#owesLinks || job.visits === "failed"
    await known.heal(source)
    let from: KnownCursor | null = null
    do {
      if (this.#signal.aborted) return
      const chunk = await known.chunk(source.name, job.id, isAll ? Number.MAX_SAFE_INTEGER : now, from)
      from = chunk.next
      const outside: KnownAddress[] = []
      const inside: KnownAddress[] = []
      for (const address of chunk.addresses) {
        if (!this.#inScope(address.url)) {
          if (this.#judges(address, now)) outside.push(address)
          // The address may turn out to be closer to a seed, so it is judged at the end.
        } else if (address.depth > source.limits.depth) continue
        else if (job.visits === "failed") {
          if (isUnread(address.outcome)) inside.push(address)
        } else if (address.dueAt <= now || (job.visits === "all" && !isDead(address))) inside.push(address)
        else if (this.#owesLinks && !(await this.#follows(address))) inside.push(address)
      }
      await frontier.revisit(inside)
      if (outside.length > 0) {
        await frontier.record(outside.map((one) => outOfScope(one, "no longer in the scope of the source")))
      }
      await nextTurn()
    } while (from !== null)
  }

  /**
   * Closes addresses left over from earlier runs if this run, although it followed every link, did not find them within
   * the source's depth.
   */
  async #judgeDepths(): Promise<void> {
    const { job, frontier, known } = this.#options
    const { depth } = job.source.limits
    const now = known.now()
    let from: KnownCursor | null = null
    do {
      const until = this.#judgesAll ? Number.MAX_SAFE_INTEGER : now
      const chunk = await known.chunk(job.source.name, job.id, until, from)
      from = chunk.next
      const deep = chunk.addresses.filter(
        (address) => address.depth > depth && this.#inScope(address.url) && this.#judges(address, now),
      )
      if (deep.length > 0)
        await frontier.record(deep.map((one) => outOfScope(one, `deeper than ${depth} links`)))
    } while (from !== null)
  }

  /** Whether this run closes an address unvisited because it does not belong to the source. */
  #judges({ hash, dueAt }: KnownAddress, now: number): boolean {
    // A crawl started by hand may have a narrower scope than the crawl that found the pages.
    const { trigger, visits } = this.#options.job
    const mayJudge = trigger !== "command" && visits !== "failed" && this.#landed.size === this.#seeds.size
    return mayJudge && hash !== null && (this.#judgesAll || dueAt <= now)
  }

  /**
   * Follows the known links of a page that is not due, without visiting it.
   * @returns false if the index holds the page but its links are not known: then it has to be read.
   */
  async #follows(page: KnownAddress): Promise<boolean> {
    const { job, known, onLinks } = this.#options
    const links = await known.linksOf(job.source.name, page.url)
    if (links !== null) await onLinks(page, links)
    return links !== null || page.hash === null
  }

  #discoverSitemaps(landing: PageUrl): void {
    const { origin } = new URL(landing)
    if (!this.#readsLists || this.#sites.has(origin)) return
    this.#sites.add(origin)
    this.#start(this.#readSitemapsOf(landing))
  }

  async #readSitemapsOf(landing: PageUrl): Promise<void> {
    const robots = await unlessAborted(this.#options.reader.robots.for(landing), this.#signal)
    const file = new URL("/robots.txt", landing).href
    const sitemaps = robots?.kind === "rules" ? robots.rules.sitemaps : []
    // These addresses should be absolute, but often are not.
    const named = sitemaps.flatMap((url) => toPageUrl(url, file) ?? [])
    if (named.length > 0) await this.#readSitemaps(named, file)
    else await this.#readSitemaps([new URL("/sitemap.xml", landing).href as PageUrl], null, false)
    // This list is read last: its links are often dead, and an address that is also in a sitemap should be recorded as
    // found there.
    await this.#readSitemaps([new URL("/llms.txt", landing).href as PageUrl], null, false, "llms")
  }

  /** `isNamed`: whether the source names the feed. Pages often name feeds that no longer exist. */
  async #discoverFeed(address: string, foundOn: string | null, isNamed = false): Promise<void> {
    const url = toPageUrl(address)
    if (url === null || !this.#readsLists || this.#files.has(url)) return
    if (!isNamed && this.#feeds >= MAX_FEEDS) return
    this.#files.add(url)
    this.#feeds += 1
    await this.#listings.name(url, "feed", foundOn)
    this.#start(this.#read({ url, kind: "feed", namedAt: null, foundOn, isNamed }))
  }

  async #readSitemaps(
    urls: readonly PageUrl[],
    foundOn: string | null,
    areNamed = true,
    kind: ListingKind = "sitemap",
  ): Promise<void> {
    const waiting: File[] = []
    const add = (url: PageUrl, namedAt: number | null, on: string | null, isNamed: boolean) => {
      if (this.#files.has(url) || this.#files.size >= MAX_SITEMAPS) return
      this.#files.add(url)
      waiting.push({ url, kind, namedAt, foundOn: on, isNamed })
    }
    for (const url of urls) add(url, null, foundOn, areNamed)
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { url } = file
      await this.#read(file, (sitemap, namedAt) => {
        add(sitemap, namedAt, url, kind === "sitemap")
      })
    }
  }

  /** Reads one file, unless it is unchanged since an earlier run. Files that cannot be read are left out. */
  async #read(file: File, onSitemap?: (url: PageUrl, namedAt: number | null) => void): Promise<void> {
    const { job } = this.#options
    const before = await this.#listings.get(file.url)
    // A run that visits everything reads every list, because a list may contain addresses that an earlier run had no
    // room for.
    const spares =
      job.visits === "due" && !this.#owesLinks && before !== null && before.readAt !== null ? before : null
    const isOlder = file.namedAt !== null && file.namedAt <= (spares?.readAt ?? 0)
    if (spares && onSitemap && isOlder && file.namedAt === spares.namedAt) return
    const fetched = await this.#fetch(file, spares?.validators ?? null)
    if (fetched === null) return
    this.#reading += 1
    try {
      await this.#taken(file, fetched, spares, onSitemap)
    } finally {
      this.#reading -= 1
    }
  }

  /** @returns null when the run ends. */
  async #fetch(file: File, validators: Validators | null): Promise<FetchResult | null> {
    const { reader, turn, allows } = this.#options
    const signal = this.#signal
    using atHost = await turn(file.url, signal)
    if (atHost === null) return null
    this.#reading += 1
    try {
      const isAllowed = await unlessAborted(allows(file.url), signal)
      if (isAllowed === null) return null
      if (!isAllowed) return { kind: "skipped", because: "robots", detail: "robots.txt disallows it" }
      return await reader.fetch(file.url, {
        ...AS_LIST,
        maxBytes: file.kind === "sitemap" ? MAX_SITEMAP_BYTES : MAX_FEED_BYTES,
        signal,
        ...(validators && hasValidators(validators) ? { validators } : {}),
      })
    } finally {
      this.#reading -= 1
    }
  }

  async #taken(
    file: File,
    fetched: FetchResult,
    spares: Listing | null,
    onSitemap: ((url: PageUrl, namedAt: number | null) => void) | undefined,
  ): Promise<void> {
    const { job, known, onBytes } = this.#options
    if (fetched.kind === "not-modified" && spares) {
      for (const named of await this.#listings.all(file.kind)) {
        if (named.foundOn === file.url) onSitemap?.(named.url, named.namedAt)
      }
      this.#listings.note({ ...spares, namedAt: file.namedAt, readAt: known.now() })
      return
    }
    if (fetched.kind === "failed" && isMissing(fetched.status)) {
      await this.#listings.forget(file.url)
    }
    if (fetched.kind === "not-modified" || this.#signal.aborted) return
    if (fetched.kind !== "fetched") {
      await this.#troubles.failed(file, fetched)
      return
    }
    onBytes(fetched.body.byteLength)
    // An incomplete list is read again next time, and a page missing from it does not count as gone.
    if (!(await this.#take(file, fetched, onSitemap))) return
    this.#listings.note({ ...file, validators: validatorsOf(fetched.headers), readAt: known.now() })
    if (file.kind === "sitemap") {
      await this.#options.frontier.revisit(
        (await known.unlisted(job.source.name, file.url, job.id)).filter((gone) => this.#inScope(gone.url)),
      )
    }
  }

  /** @returns `false` if the run ended or ran out of room before the list was read, or if the list is faulty. */
  async #take(
    file: File,
    fetched: Fetched,
    onSitemap: ((url: PageUrl, namedAt: number | null) => void) | undefined,
  ): Promise<boolean> {
    const { job, frontier } = this.#options
    const parts = readList({ ...file, fetched }, MAX_SITEMAP_BYTES)
    const options = {
      how: file.kind,
      on: file.url,
      ...(job.visits === "due" ? { isDue: this.#isDue } : {}),
    }
    for await (const { pages, sitemaps, trouble } of parts) {
      if (this.#signal.aborted || frontier.isFull) return false
      for (const { url, modifiedAt } of sitemaps) onSitemap?.(url, modifiedAt)
      const inside = pages.filter(({ url }) => this.#inScope(url))
      for (const { url, copy } of inside) if (copy !== undefined) this.#copies.set(url, copy)
      await frontier.list(inside, options)
      if (trouble === null) continue
      await this.#troubles.found(file, trouble)
      return trouble === "too-long"
    }
    return true
  }

  /** Whether a known page on a list needs another visit. */
  readonly #isDue = (known: KnownAddress, { modifiedAt, isNews }: ListedFacts): boolean => {
    const now = this.#options.known.now()
    if (known.dueAt <= now || (isNews && !known.isNews)) return true
    if (modifiedAt === null || modifiedAt <= known.visitedAt) return false
    // Some sitemaps give every page a new date on each request.
    return now - known.visitedAt >= this.#options.job.source.revisit.minHours * HOUR_MS
  }
}

/** Whether the page is missing and, as far as is known, has never existed: it waits until it is due, even in a run that visits everything. */
function isDead({ hash, status }: KnownAddress): boolean {
  return hash === null && isMissing(status)
}

/** Whether the rules for the source's addresses have changed since its last run. */
async function isScopeNew(db: StateStore, job: Job): Promise<boolean> {
  const before = await declaredBefore(db, job)
  return before !== null && scopeText(before) !== scopeText(job.source)
}

/**
 * Whether the previous run left out links that this one would follow: it ended early or at a limit, or had other rules.
 */
async function owesLinks(db: StateStore, job: Job): Promise<boolean> {
  const before = await runBefore(db, job)
  return before !== null && (!before.whole || scopeText(before.source) !== scopeText(job.source))
}

export function scopeText({ seeds, scope, include, exclude, limits }: Source): string {
  return JSON.stringify([seeds, scope, include, exclude, limits.depth])
}

function outOfScope({ url, depth }: KnownAddress, detail: string): Visited {
  return {
    url,
    outcome: "skipped:out-of-scope",
    detail,
    found: { ...FOUND_SOMEHOW, depth },
  }
}

function hasValidators({ etag, lastModified }: Validators): boolean {
  return etag !== null || lastModified !== null
}

/** Which known addresses a run visits. */
function visitsOf({ visits, source }: Job, { content }: Pick<PageReader, "content">): Job["visits"] {
  // A complete list that states the times of changes makes visits to unchanged pages unnecessary.
  if (content !== null && visits === "all") return "due"
  // A page's readers can change while the page stays the same.
  return visits === "due" && observersOf(source).length > 0 ? "all" : visits
}

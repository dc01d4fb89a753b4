import type { PageUrl } from "#engine"
import type { CrawlerConfig } from "../settings.ts"
import { NO_VALIDATORS, type Validators } from "../fetch/fetch.ts"
import { type CopyAnswer, type CopyBody, CopyChecks, type CopyChecksOptions } from "./copies/copy-checks.ts"
import type { MarkdownCopy } from "./copies/markdown-copy.ts"
import type { Frontier } from "./frontier/frontier.ts"
import type { FrontierEntry } from "./frontier/host-queues.ts"
import type { KnownAddress, ListedFacts } from "./frontier/known-addresses.ts"
import { isPageOutcome } from "../outcome-name.ts"
import { readAs } from "../page/read-as.ts"
import type { PageReader } from "../fetch/visit/reader.ts"
import { readersHeaders } from "../page/headers/site-readers.ts"
import type { Reading, Visit, VisitOptions } from "../reading.ts"
import type { Source } from "../source.ts"
import type { Unread } from "./judge/visit-outcome.ts"
import { pause } from "#base/flow/pause.ts"
import { steadyNow } from "#base/steady-time.ts"
import { EVERYBODY, narrowedBy } from "#engine/index/page/readers.ts"
import type { Observers } from "../fetch/observe/observers.ts"

export interface SourceVisitsOptions extends Pick<CopyChecksOptions, "clock" | "credit" | "onCopy"> {
  readonly source: Source
  readonly config: CrawlerConfig
  readonly reader: PageReader
  /** Keeps to the delays between requests to each host. */
  readonly frontier: Frontier
  /** Waits until a request outside the frontier may be made to an address's host; `null` if the run ends. */
  readonly turn: (url: PageUrl) => Promise<Disposable | null>
  /** Whether a visit to `from` may be redirected to `to`. */
  readonly mayLeadTo: (from: PageUrl, to: PageUrl) => boolean
  /** Whether the index contains the page at an address; called only if the page's hash is known. */
  readonly isHeld: (url: PageUrl) => Promise<boolean>
  /** Whether a page's links are known. */
  readonly hasLinks: (url: PageUrl) => Promise<boolean>
  /** Called when the page of an address is about to be read. */
  readonly onReading: (url: PageUrl) => Promise<void>
  /** The observers, which learn who may read each page; `null` if the source has none. */
  readonly observers: Observers | null
  /** Called with the size of each response that an observer receives. */
  readonly onBytes: (bytes: number) => void
  /** Once aborted, no more visits begin. */
  readonly stop: AbortSignal
  /** When aborted, ends the running visits. */
  readonly cut: AbortSignal
}

const CUT_SHORT = {
  kind: "failed",
  because: "cancelled",
  detail: "the crawl was stopped",
  transient: true,
} as const

const MARKDOWN = "text/markdown"

const hasAny = ({ etag, lastModified }: Validators): boolean => etag !== null || lastModified !== null

/** Suffix of `readAs` for a page that a browser made from a shared document. */
const SHELL = " shell"
/** Prefix, in a page's `readAs`, of the digest of the headers that name its readers. */
const SENT = " readers="

const sentIn = (readAs: string | null | undefined): string | undefined =>
  readAs?.split(SENT)[1]?.split(" ")[0]

/**
 * Visits the addresses of one source, as its robots.txt allows and at the right pace, without reading unchanged pages
 * again.
 */
export class SourceVisits {
  /** Whether robots.txt and nofollow are obeyed. */
  readonly obeys: boolean
  /** Whether noindex is obeyed: the source may ignore it and still obey the rest. */
  readonly obeysNoindex: boolean
  readonly #options: SourceVisitsOptions
  readonly #readAs: string
  readonly #copies: CopyChecks
  /** Addresses to read again in this run, in a browser. */
  readonly #anew = new Set<PageUrl>()

  constructor(options: SourceVisitsOptions) {
    const { source, config } = options
    this.#options = options
    this.#copies = new CopyChecks({ ...options, load: (at, maxBytes) => this.#loadCopy(at, maxBytes) })
    this.obeys = source.politeness.robots ?? config.robots
    this.obeysNoindex = this.obeys && !source.ignoreNoindex
    this.#readAs = readAs(source, config)
  }

  /** Why robots.txt does not let us visit `url`, or `null`. Applies the delay that it asks for to the host of `entry`. */
  async disallowed(url: PageUrl, entry?: FrontierEntry): Promise<Unread | null> {
    if (!this.obeys) return null
    const { reader, frontier } = this.#options
    const robots = await reader.robots.for(url)
    if (robots.kind !== "rules") return robots
    const detail = robots.rules.refusal(url)
    if (detail !== null) return { kind: "skipped", because: "robots", detail }
    const delayMs = entry ? await reader.crawlDelayMs(url) : null
    if (entry && delayMs !== null) frontier.setDelay(entry, delayMs)
    return null
  }

  /** @param before what earlier runs know about the address */
  async visit(entry: FrontierEntry, before: KnownAddress | null): Promise<Visit> {
    const { reader, source, config, frontier, mayLeadTo, onReading, stop, cut } = this.#options
    const isFirst = this.obeys && !reader.robots.has(entry.url)
    const disallowed = await this.disallowed(entry.url, entry)
    if (disallowed) return disallowed
    // The site's robots.txt has just been requested, so wait as long as between pages.
    if (isFirst) await pause(frontier.delayOf(entry), cut)
    if (stop.aborted) return CUT_SHORT
    // Observers compare whole pages, so a copy or a 304 isn't enough.
    const isWhole = this.#options.observers !== null
    const known = !isWhole && (await this.#isAsKnown(entry, before)) ? before : null
    const answer = known?.copy ? await this.#askCopy(entry, known.copy) : null
    if (answer?.kind === "same") {
      const { url } = entry
      return { kind: "unmodified", url, validators: NO_VALIDATORS, noindex: false, copy: answer.copy }
    }
    if (answer) await pause(frontier.delayOf(entry), cut)
    if (stop.aborted) return CUT_SHORT
    const validators = known && hasAny(known.validators) ? known.validators : null
    const isShell = this.#isShell(entry, before)
    const options: VisitOptions = {
      signal: cut,
      ...(isShell && { isShell }),
      rendering: source.rendering,
      isLastTry: entry.tries + 1 >= config.maxTries,
      scansOf: source.name,
      onReading: () => onReading(entry.url),
      onRedirect: async (to) => {
        if (!mayLeadTo(entry.url, to)) {
          return { kind: "skipped", because: "out-of-scope", detail: `redirects to ${to}`, leadsTo: to }
        }
        const outcome = await this.disallowed(to)
        return outcome?.kind === "skipped" ? { ...outcome, leadsTo: to } : outcome
      },
    }
    let visit = await reader.visit(entry.url, { ...options, ...(validators && { validators }) })
    // The list of who can read the page comes only with the page itself, so request it again in full.
    if (visit.kind === "unmodified" && visit.readersSent !== sentIn(known?.readAs))
      visit = await reader.visit(entry.url, options)
    if (visit.kind !== "read") return visit
    if (isWhole) return { kind: "read", reading: await this.#observed(entry, visit.reading, options) }
    const { reading } = visit
    // Validators that work save more than a markdown copy does. If they were sent and the site sent the page anyway,
    // they may not work.
    const isWanted = reading.validators && (validators !== null || !hasAny(reading.validators))
    if (!isWanted) return visit
    const isOwn = reading.url === entry.url
    const copy = this.#copies.learned(reading, isOwn ? answer : null, isOwn ? (before?.copy ?? null) : null)
    return { kind: "read", reading: { ...reading, copy } }
  }

  /** Adds to a page the readers that the observers found. */
  async #observed(
    entry: FrontierEntry,
    reading: Reading,
    { onRedirect, onReading }: VisitOptions,
  ): Promise<Reading> {
    const { observers, frontier, config, cut, onBytes } = this.#options
    const { extracted } = reading
    const isLeftOut = extracted.markdown.trim() === "" || (this.obeysNoindex && extracted.robots.noindex)
    if (observers === null || isLeftOut) return reading
    const { readers, restUntil } = await observers.learn(reading, {
      signal: cut,
      ...(onRedirect && { onRedirect }),
      ...(onReading && { onReading }),
      turn: () => pause(frontier.delayOf(entry), cut),
      onBytes,
    })
    if (restUntil !== null) frontier.block(entry, Math.min(restUntil, steadyNow() + config.maxWaitMs))
    const ownReaders = narrowedBy(extracted.ownReaders ?? EVERYBODY, readers)
    return { ...reading, extracted: { ...extracted, ownReaders } }
  }

  /** Requests the markdown copy of a page instead of the page. Seeds are always read, because they link to new pages. */
  async #askCopy(entry: FrontierEntry, copy: MarkdownCopy): Promise<CopyAnswer | null> {
    const { source, mayLeadTo } = this.#options
    if (entry.depth === 0 && source.limits.depth > 0) return null
    const isElsewhere = copy.at !== entry.url
    if (isElsewhere && (!mayLeadTo(entry.url, copy.at) || (await this.disallowed(copy.at)))) return null
    return await this.#copies.ask(copy)
  }

  async #loadCopy(at: PageUrl, maxBytes: number): Promise<CopyBody | null> {
    const fetched = await this.#options.reader.fetch(at, {
      accept: MARKDOWN,
      accepts: (type) => type === MARKDOWN,
      maxBytes,
      signal: this.#options.cut,
      // A redirect leads to a different document than the copy that was compared.
      onRedirect: () => Promise.resolve({ kind: "skipped", because: "unsupported-type" }),
    })
    if (fetched.kind !== "fetched") return null
    const robotsTag = fetched.headers["x-robots-tag"]
    const sent = readersHeaders(fetched.headers)
    return { body: fetched.body, robotsTag: sent.length === 0 ? robotsTag : [robotsTag ?? [], sent].flat() }
  }

  /** Visits an address outside the frontier, within its host's politeness rules. */
  async visitUnlinked(url: PageUrl): Promise<Visit> {
    const { reader, source, turn, cut } = this.#options
    using atHost = await turn(url)
    if (atHost === null) return CUT_SHORT
    const disallowed = await this.disallowed(url)
    if (disallowed) return disallowed
    return await reader.visit(url, {
      signal: cut,
      rendering: source.rendering,
      onRedirect: (to) => this.disallowed(to),
    })
  }

  /** Makes the next visit to an address download the page again, in a browser, because scripts build the page. */
  readAnew(url: PageUrl): void {
    this.#anew.add(url)
  }

  /** The {@link readAs} of one page: it includes the facts from lists, and everything else in {@link Reading}. */
  readAsOf(
    { isNews, publishedAt }: ListedFacts,
    { isShell = false, readersSent }: Pick<Reading, "isShell" | "readersSent"> = {},
  ): string {
    const sent = readersSent === undefined ? "" : `${SENT}${readersSent}`
    return `${this.#readAs} ${isNews ? "news" : ""} ${publishedAt ?? ""}${sent}${isShell ? SHELL : ""}`
  }

  #isShell({ url }: FrontierEntry, before: KnownAddress | null): boolean {
    return this.#anew.has(url) || before?.readAs?.endsWith(SHELL) === true
  }

  /** Whether the index contains the page, the page would be read the same way again, and its links are known. */
  async #isAsKnown(entry: FrontierEntry, before: KnownAddress | null): Promise<boolean> {
    if (before === null || before.hash === null || !isPageOutcome(before.outcome)) return false
    if (!hasAny(before.validators) && before.copy === null) return false
    if (this.#isShell(entry, before)) return false
    const readersSent = sentIn(before.readAs)
    const reading = readersSent === undefined ? {} : { readersSent }
    if (before.readAs !== this.readAsOf(factsOf(entry, before), reading)) return false
    return (await this.#options.hasLinks(entry.url)) && (await this.#options.isHeld(entry.url))
  }
}

/** The facts that lists state about a page, now or earlier. */
export function factsOf({ facts }: FrontierEntry, before: KnownAddress | null): ListedFacts {
  return {
    modifiedAt: facts.modifiedAt ?? before?.modifiedAt ?? null,
    publishedAt: facts.publishedAt ?? before?.publishedAt ?? null,
    isNews: facts.isNews || (before?.isNews ?? false),
  }
}

import type { Page, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { NO_VALIDATORS } from "../../fetch/fetch.ts"
import { copyAfter } from "../copies/markdown-copy.ts"
import { inWords, type Judgement, type Replaced } from "../duplicates/duplicates.ts"
import { plainLines } from "../duplicates/page-text.ts"
import type { FrontierEntry } from "../frontier/host-queues.ts"
import type { Found, KnownAddress, Visited } from "../frontier/known-addresses.ts"
import { packLinks } from "../frontier/page-links.ts"
import { isPageOutcome, type OutcomeName } from "../../outcome-name.ts"
import type { OutcomeRecorder } from "../outcome-recorder.ts"
import type { Reading, Unmodified } from "../../reading.ts"
import type { Source } from "../../source.ts"
import type { CrawlParts } from "../crawl-parts.ts"
import { factsOf } from "../source-visits.ts"
import type { Yield } from "../traps/traps.ts"
import { inDoubt, type NoPage, type Verdict, verdictOn } from "./verdict.ts"

export interface PageJudgeOptions {
  readonly parts: CrawlParts
  readonly source: Source
  readonly clock: Clock
  /** Once aborted, nothing more is recorded. */
  readonly cut: AbortSignal
}

/** A page that was read, with its frontier entry and its links. */
interface Taken {
  readonly entry: FrontierEntry
  readonly reading: Reading
  readonly before: KnownAddress | null
  readonly isRedirected: boolean
  /** The number of links to addresses that are worth their own visit. */
  readonly leads: number
  readonly links: Uint8Array | null
}

type OwnPage = Extract<Judgement, { kind: "page" }>
type AliasOf = Extract<Judgement, { kind: "alias" }>
/** The visits that the recorder accepts. */
type WrittenVisit = Parameters<OutcomeRecorder["take"]>[0]

interface PageRead {
  readonly page: Page
  readonly hash: string
  readonly isUnchanged: boolean
}

/** Judges the result of a visit (a page of its own, another address of a page, or neither) and has it recorded. */
export class PageJudge {
  readonly #parts: CrawlParts
  readonly #source: Source
  readonly #clock: Clock
  readonly #cut: AbortSignal

  constructor({ parts, source, clock, cut }: PageJudgeOptions) {
    this.#parts = parts
    this.#source = source
    this.#clock = clock
    this.#cut = cut
  }

  /** Handles a page that, according to the site, has not changed since it was indexed. */
  async keep(
    entry: FrontierEntry,
    { url, noindex, validators, copy }: Unmodified,
    before: KnownAddress | null,
  ): Promise<void> {
    await this.#parts.discovery.landed(entry.url, url, null)
    if (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry)) return
    if (this.#parts.visits.obeysNoindex && noindex) {
      await this.#parts.recorder.close(url, { kind: "skipped", because: "noindex" })
      return
    }
    // The previous run knows where the page leads, unless that run had other rules or no room, or the page was further
    // away.
    if (this.#parts.discovery.owesLinks || entry.depth < (before?.depth ?? 0)) {
      await this.#parts.links.add(
        entry.depth,
        url,
        (await this.#parts.known.linksOf(this.#source.name, url)) ?? [],
      )
      if (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry)) return
    }
    this.#parts.limits.pages += 1
    const etag = validators.etag ?? before?.validators.etag ?? null
    const lastModified = validators.lastModified ?? before?.validators.lastModified ?? null
    const detail = copy
      ? `its markdown copy at ${copy.at} is unchanged since the last read`
      : "not modified since the last read"
    // A page with working validators needs no copy.
    const known = { validators: { etag, lastModified }, copy: copy ?? null }
    const results: Visited[] = [{ url, outcome: "unchanged", detail, ...known }]
    await this.#parts.recorder.write({ page: null, seen: null, results })
  }

  /** Handles a page that was read. */
  async take(entry: FrontierEntry, read: Reading, before: KnownAddress | null): Promise<void> {
    const parts = this.#parts
    const reading = { ...read, url: parts.duplicates.clean(read.url) }
    const { url } = reading
    await parts.discovery.landed(entry.url, url, reading)
    await parts.readAnew(reading.readAnew ?? [])
    if (this.#isTakenIn(entry, url)) return
    const followed = parts.links.followed(reading)
    const leads = await parts.links.add(entry.depth, url, followed)
    const taken = {
      entry,
      reading,
      before,
      isRedirected: url !== entry.url,
      leads,
      links: packLinks(url, followed),
    }
    const verdict = await this.#verdictOn(taken)
    if (verdict.kind === "none") {
      const { outcome } = verdict
      const isDuplicate = outcome.kind === "skipped" && outcome.because === "duplicate"
      if (isDuplicate) await parts.duplicates.redirected(entry.url, url)
      await this.#closeWithout(taken, outcome, reading.extracted.markdown)
      return
    }
    const { page, hash } = verdict
    const heldHash = taken.isRedirected
      ? await parts.known.hashOf(url, this.#source.name)
      : (before?.hash ?? null)
    const isUnchanged = heldHash === hash && (await parts.isHeldAs(page))
    const isMarked = reading.extracted.isMissing === true
    const complaint =
      isUnchanged || !parts.isSite
        ? null
        : await parts.softNotFound.complaint(page, { isHeld: heldHash !== null, isMarked })
    // The crawl may have been stopped while this was being checked.
    if (this.#isTakenIn(entry, url) || this.#cut.aborted) return
    if (complaint !== null) {
      const leadsTo = taken.isRedirected ? { leadsTo: url } : {}
      const outcome = { kind: "skipped", because: "soft-404", detail: complaint, ...leadsTo } as const
      await this.#closeWithout(taken, outcome, page.markdown)
      return
    }
    await this.#place(taken, { page, hash, isUnchanged })
  }

  /** Whether a redirect led to a page while it was being read under its own address. */
  #isTakenIn(entry: FrontierEntry, url: PageUrl): boolean {
    if (url !== entry.url) return false
    return this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry)
  }

  #verdictOn({ entry, reading, before }: Taken): Promise<Verdict> {
    return verdictOn(reading, entry.url, {
      source: this.#source,
      obeysNoindex: this.#parts.visits.obeysNoindex,
      facts: factsOf(entry, before),
      fetchedAt: new Date(this.#clock()),
      isVisited: async (address) => (await this.#parts.recorder.outcomeOf(address)) !== null,
    })
  }

  /** Closes an address without a page. */
  async #closeWithout(
    { entry, reading, isRedirected, leads, links }: Taken,
    outcome: NoPage,
    markdown: string,
  ): Promise<void> {
    const isPage = outcome.kind === "skipped" && outcome.because === "noindex"
    await this.#watch(entry.url, { lines: plainLines(markdown), isPage, leads })
    if (this.#isTakenIn(entry, reading.url)) return
    await this.#parts.recorder.close(entry.url, outcome, isRedirected ? undefined : links)
  }

  async #watch(url: PageUrl, given: Yield): Promise<void> {
    if (this.#parts.isSite) await this.#parts.traps.watch(url, given)
  }

  /** Has a page recorded: as a page of its own, or as another address of one. */
  async #place(taken: Taken, read: PageRead): Promise<void> {
    const { entry, reading, leads } = taken
    const { url } = reading
    const { duplicates, links, recorder } = this.#parts
    const canonical = await links.canonicalOf(entry, reading)
    const judgement = await duplicates.judge({ ...read.page, from: entry.url, canonical }, async (judged) => {
      const losses = judged.kind === "page" ? await this.#pagesAmong(judged.replaces) : 0
      if (this.#isTakenIn(entry, url)) return null
      if (judged.kind === "page") this.#parts.limits.pages += 1 - losses
      recorder.take(judged.kind === "page" ? this.#ownPage(taken, read, judged) : alias(taken, judged))
      return judged
    })
    if (judgement === null) return
    await this.#watch(entry.url, { lines: judgement.lines, isPage: judgement.kind === "page", leads })
    await links.probe(entry, url, judgement.probes)
    if (judgement.kind === "page") await this.#parts.visitAgain(judgement.estranged)
    await recorder.room()
  }

  /** How many of the addresses that are no longer pages were counted as pages. */
  async #pagesAmong(replaced: readonly Replaced[]): Promise<number> {
    let pages = 0
    for (const { url } of replaced) {
      const before = await this.#parts.recorder.outcomeOf(url)
      if (before !== null && isPageOutcome(before)) pages += 1
    }
    return pages
  }

  #ownPage(taken: Taken, read: PageRead, { replaces }: OwnPage): WrittenVisit {
    const { entry, reading, isRedirected } = taken
    const { url } = reading
    const results: Visited[] = [this.#indexed(taken, read)]
    if (isRedirected) {
      const detail = `redirects to ${url}`
      results.push({ url: entry.url, outcome: "skipped:duplicate", detail, leadsTo: url })
    }
    for (const { url: other, evidence, isNew } of replaces) {
      // Pages left over from an earlier run are removed at the end, based on evidence.
      const forgotten = isNew ? { hash: null } : {}
      const detail = inWords(evidence, url)
      results.push({ url: other, outcome: "skipped:duplicate", detail, leadsTo: url, ...forgotten })
    }
    const page = read.isUnchanged ? null : read.page
    const replacedNow = replaces.flatMap((one) => (one.isNew ? one.url : []))
    // If only the page's readers have changed, the page keeps its vectors.
    const before = this.#parts.isObserved ? url : undefined
    const formerly = replaces.find(({ isNew }) => !isNew)?.url ?? before
    return { page, seen: read.page, results, replaces: replacedNow, formerly }
  }

  #indexed({ entry, reading, before, links }: Taken, { page, hash, isUnchanged }: PageRead): Visited {
    return {
      url: reading.url,
      outcome: isUnchanged ? "unchanged" : "indexed",
      detail: inDoubt(reading.extracted.note ?? null, reading),
      hash,
      title: page.title,
      validators: reading.validators ?? NO_VALIDATORS,
      copy: copyAfter(reading.copy, before?.copy, isUnchanged),
      readAs: this.#parts.visits.readAsOf(factsOf(entry, before), reading),
      links,
      found: foundByRedirect(entry),
    }
  }
}

/** Closes an alternative address of a page, and the address that redirects to it, if there is one. */
function alias({ entry, reading, links }: Taken, { of, detail: why }: AliasOf): WrittenVisit {
  const { url } = reading
  const outcome: OutcomeName = "skipped:duplicate"
  const detail = inDoubt(why, reading)
  const results: Visited[] = [{ url, outcome, detail, leadsTo: of, links, found: foundByRedirect(entry) }]
  if (url !== entry.url) {
    results.push({ url: entry.url, outcome, detail: `redirects to ${url}`, leadsTo: of })
  }
  return { page: null, seen: null, results }
}

function foundByRedirect({ url, depth, facts }: FrontierEntry): Found {
  return { ...facts, depth, how: "redirect", on: url, listedIn: null }
}

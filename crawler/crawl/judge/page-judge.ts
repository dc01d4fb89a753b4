import type { PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import { inWords } from "../../duplicates/duplicates.ts"
import { plainLines } from "../../duplicates/page-text.ts"
import type { FrontierEntry } from "../../frontier/host-queues.ts"
import type { Found, KnownAddress, Visited } from "../../frontier/known-addresses.ts"
import { packLinks } from "../../frontier/page-links.ts"
import { isPageOutcome, type OutcomeName } from "../../outcome-name.ts"
import type { Reading, Unmodified } from "../../reading.ts"
import type { Source } from "../../source.ts"
import type { CrawlParts } from "../crawl-parts.ts"
import { factsOf } from "../source-visits.ts"
import { verdictOn } from "./verdict.ts"

export interface PageJudgeOptions {
  readonly parts: CrawlParts
  readonly source: Source
  readonly clock: Clock
  /** Nothing that is judged later is recorded. */
  readonly cut: AbortSignal
}

/** Judges what a visit found: a page of its own, another address of one, or none; and has it recorded. */
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

  /** The page is as the index holds it, says the site. */
  async keep(
    entry: FrontierEntry,
    { url, noindex, validators }: Unmodified,
    before: KnownAddress | null,
  ): Promise<void> {
    this.#parts.discovery.landed(entry.url, url, null)
    if (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry)) return
    if (this.#parts.visits.obeysNoindex && noindex) {
      await this.#parts.recorder.close(url, { kind: "skipped", because: "noindex" })
      return
    }
    this.#parts.limits.pages += 1
    // Where it leads is known to the run before this one, unless that had other rules or no room, or it was further away.
    if (this.#parts.discovery.owesLinks || entry.depth < (before?.depth ?? 0)) {
      this.#parts.links.add(entry.depth, url, this.#parts.known.linksOf(this.#source.name, url) ?? [])
    }
    const etag = validators.etag ?? before?.validators.etag ?? null
    const lastModified = validators.lastModified ?? before?.validators.lastModified ?? null
    const detail = "not modified since it was read"
    const results: Visited[] = [{ url, outcome: "unchanged", detail, validators: { etag, lastModified } }]
    await this.#parts.recorder.write({ page: null, seen: null, results })
  }

  /** Takes in a page that was read. */
  async take(entry: FrontierEntry, read: Reading, before: KnownAddress | null): Promise<void> {
    const reading = { ...read, url: this.#parts.duplicates.clean(read.url) }
    const { url } = reading
    this.#parts.discovery.landed(entry.url, url, reading)
    const redirected = url !== entry.url
    // A redirect brought it in while it was being read.
    if (!redirected && (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry))) return
    const followed = this.#parts.links.followed(reading)
    const leads = this.#parts.links.add(entry.depth, url, followed)
    const links = packLinks(url, followed)

    const facts = factsOf(entry, before)
    const verdict = verdictOn(reading, entry.url, {
      source: this.#source,
      obeysNoindex: this.#parts.visits.obeysNoindex,
      facts,
      fetchedAt: new Date(this.#clock()),
      isVisited: (address) => this.#parts.recorder.outcomeOf(address) !== null,
    })
    if (verdict.kind !== "page") {
      const { outcome } = verdict
      const isDuplicate = outcome.kind === "skipped" && outcome.because === "duplicate"
      if (isDuplicate) this.#parts.duplicates.redirected(entry.url, url)
      const isPage = outcome.kind === "skipped" && outcome.because === "noindex"
      this.#parts.traps.watch(entry.url, { lines: plainLines(reading.extracted.markdown), isPage, leads })
      await this.#parts.recorder.close(entry.url, outcome, redirected ? undefined : links)
      return
    }
    const { page, hash } = verdict
    const heldHash = redirected ? this.#parts.known.hashOf(url, this.#source.name) : (before?.hash ?? null)
    const unchanged = heldHash === hash && (await this.#parts.isHeld(url))
    const complaint = unchanged
      ? null
      : await this.#parts.softNotFound.complaint(page, {
          isHeld: heldHash !== null,
          isMarked: reading.extracted.isMissing === true,
        })
    // A redirect brought it in meanwhile, or the crawl was stopped before this was known.
    if (!redirected && (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry))) return
    if (this.#cut.aborted) return
    if (complaint !== null) {
      const leadsTo = redirected ? { leadsTo: url } : {}
      this.#parts.traps.watch(entry.url, { lines: plainLines(page.markdown), isPage: false, leads })
      const outcome = { kind: "skipped", because: "soft-404", detail: complaint, ...leadsTo } as const
      await this.#parts.recorder.close(entry.url, outcome, redirected ? undefined : links)
      return
    }
    const canonical = this.#parts.links.canonicalOf(entry, reading)
    const judgement = await this.#parts.duplicates.judge({ ...page, from: entry.url, canonical })
    if (!redirected && (this.#parts.recorder.isSettled(url) || !this.#parts.frontier.isOpen(entry))) return
    this.#parts.traps.watch(entry.url, { lines: judgement.lines, isPage: judgement.kind === "page", leads })
    if (redirected) this.#parts.duplicates.redirected(entry.url, url)
    this.#parts.links.probe(entry, url, judgement.probes)
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
        readAs: this.#parts.visits.readAsOf(facts),
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
      const before = this.#parts.recorder.outcomeOf(other)
      if (before !== null && isPageOutcome(before)) this.#parts.limits.pages -= 1
      // What an earlier run left is removed at the end, by evidence.
      const forgotten = isNew ? { hash: null } : {}
      const detail = inWords(evidence, url)
      results.push({ url: other, outcome: "skipped:duplicate", detail, leadsTo: url, ...forgotten })
    }
    this.#parts.limits.pages += 1
    const replaces = judgement.replaces.flatMap((one) => (one.isNew ? one.url : []))
    await this.#parts.recorder.write({ page: unchanged ? null : page, seen: page, results, replaces })
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
    await this.#parts.recorder.write({ page: null, seen: null, results })
  }
}

function foundByRedirect({ url, depth, facts }: FrontierEntry): Found {
  return { ...facts, depth, how: "redirect", on: url, listedIn: null }
}

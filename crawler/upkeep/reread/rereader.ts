import type { Page, PageUrl } from "#engine"
import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { concealedMessage, concealedVisit } from "../../fetch/concealed.ts"
import { NetworkChangedError } from "../../fetch/guard/blocked-address.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { HostPaces, type PaceParty } from "../../fetch/hosts/host-paces.ts"
import { mannersOf } from "../../fetch/hosts/manners.ts"
import type { NoPage } from "../../crawl/judge/verdict.ts"
import { recordOf } from "../../crawl/judge/visit-outcome.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import { LoginError } from "../../fetch/login/login-error.ts"
import { pageHash } from "../../page/page-hash.ts"
import { evidenceOf } from "../removals/evidence.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { ReadOptions, ReadResult } from "../../reading.ts"
import { contentFieldsOf, type Source, type SourceAuthor } from "../../source.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { observersOf } from "../../fetch/observe/observations.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import { type Tried, tryPage } from "../../reporting/why/try/try-page.ts"
import { sourceNamed } from "../../reporting/why/membership-reasons.ts"
import { OpenReaders, type OpenReadersOptions } from "./open-readers.ts"

/** The current state of an indexed page. */
export type Reread =
  /** The page is unchanged since it was indexed. */
  | { readonly kind: "same"; readonly at: Date }
  | { readonly kind: "changed"; readonly page: Page; readonly at: Date }
  /** The site says that the page should no longer be in the index. */
  | { readonly kind: "gone"; readonly end: NoPage }
  /** The page could not be read now. Addresses in private networks are concealed. */
  | { readonly kind: "unread"; readonly end: NoPage }
  /** No pages of its source can be read now; the text is for callers of the API. */
  | { readonly kind: "refused"; readonly because: string }

export interface RereadOptions {
  /** Results up to this age are accepted; 0 always reads the page. */
  readonly maxAgeMs: number
  readonly signal: AbortSignal
}

export interface RereaderParts extends Pick<OpenReadersOptions, "resolve" | "env"> {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly config: CrawlerConfig
  /** Called with the reason why pages of a source can't be read, which callers of the API don't see. */
  readonly onProblem: (source: string, error: unknown) => void
}

/** Enough for a few hundred changed pages, or tens of thousands of unchanged ones. */
const MEMORY = new CacheMemory("reread-pages", 16_000_000)
/** Maximum number of bytes that a page takes up in addition to its text. */
const FACTS_BYTES = 2000

/** The result of one re-read. */
interface Seen {
  /** When the re-read began: `at` by {@link steadyNow}, `began` by the wall clock. */
  readonly at: number
  readonly began: Date
  readonly found: { readonly hash: string; readonly page: Page | null } | { readonly gone: NoPage }
}

const NO_TIME = { kind: "failed", because: "cancelled", detail: "there was no time left to read it" } as const
const TOO_LATE: Reread = { kind: "unread", end: NO_TIME }

/** A placeholder for parties that have left a host. */
const NO_PARTY: PaceParty = { wake: () => undefined }

/**
 * Rereads indexed pages for callers who can't wait for the next run, the way a run of their source would: with its
 * scope, login, rendering and politeness towards the host. Indexes nothing. A page that has changed or is gone becomes
 * due, so that it is among the first visited by the next run. Results are cached, so that many questions cost a site
 * only one visit.
 */
export class Rereader implements AsyncDisposable {
  readonly #parts: RereaderParts
  readonly #sources: SourceTable
  readonly #known: KnownAddresses
  readonly #readers: OpenReaders
  readonly #paces = new HostPaces()
  readonly #seen = new ByteLru<string, Seen>(MEMORY)

  constructor(parts: RereaderParts) {
    const { db, jobs, config } = parts
    this.#parts = parts
    this.#sources = new SourceTable(db, jobs)
    this.#known = new KnownAddresses(db)
    this.#readers = new OpenReaders({ ...parts, config })
  }

  /** @param held the page as indexed; the rights and politeness settings of its `source` apply */
  async read(held: Page, { maxAgeMs, signal }: RereadOptions): Promise<Reread> {
    const heldHash = pageHash(held)
    const from = steadyNow() - maxAgeMs
    const before = this.#remembered(held, heldHash, from)
    if (before !== null) return before
    const source = await sourceNamed(held.source, { sources: this.#sources, jobs: this.#parts.jobs })
    if (source === null) return { kind: "refused", because: "its source no longer exists" }
    if (observersOf(source).length > 0) return { kind: "refused", because: OBSERVED }
    try {
      const author = await this.#sources.authorOf(source.name)
      const work = this.#readers.use(source, author, (reader) =>
        this.#atHost(held, { source, author, reader, heldHash, from, signal }),
      )
      return (await unlessAborted(work, signal)) ?? TOO_LATE
    } catch (error) {
      this.#parts.onProblem(source.name, error)
      return { kind: "refused", because: becauseOf(error) }
    } finally {
      this.#paces.leave(NO_PARTY)
    }
  }

  /**
   * Reads an indexed page now, for callers who may see it, if the public can't read it because it is behind the login
   * of its source, in a folder, or among uploaded documents.
   * @returns null if its source reads the page as anyone could
   */
  async readLive({ url, source: name }: Page, options: ReadOptions): Promise<ReadResult | null> {
    const source = await sourceNamed(name, { sources: this.#sources, jobs: this.#parts.jobs })
    if (source === null || !isClosed(source)) return null
    if (observersOf(source).length > 0) return { kind: "failed", because: "http-status", detail: OBSERVED }
    try {
      const author = await this.#sources.authorOf(name)
      const manners = mannersOf(source, author, this.#parts.config)(url)
      const { signal = NEVER } = options
      const work = this.#readers.use(source, author, async (reader) => {
        using turn = await this.#paces.turn(new URL(url).host, { manners, signal })
        return turn && concealedVisit(await reader.read(url, options))
      })
      return (await unlessAborted(work, signal)) ?? NO_TIME
    } catch (error) {
      this.#parts.onProblem(name, error)
      return { kind: "failed", because: "http-status", detail: becauseOf(error) }
    } finally {
      this.#paces.leave(NO_PARTY)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#readers[Symbol.asyncDispose]()
  }

  async #atHost(
    held: Page,
    given: {
      readonly source: Source
      readonly author: SourceAuthor
      readonly reader: PageReader
      readonly heldHash: string
      readonly from: number
      readonly signal: AbortSignal
    },
  ): Promise<Reread> {
    const { source, author, reader, heldHash, from, signal } = given
    const { host } = new URL(held.url)
    const manners = mannersOf(source, author, this.#parts.config)(held.url)
    using turn = await this.#paces.turn(host, { manners, signal })
    if (turn === null) return TOO_LATE
    // Another call might have read the page while this one was waiting for the host.
    const meanwhile = this.#remembered(held, heldHash, from)
    if (meanwhile !== null) return meanwhile
    const began = { at: steadyNow(), began: new Date() }
    const tried = await tryPage(held.url, {
      source,
      reader,
      config: this.#parts.config,
      lookUp: (url) => this.#known.get(url),
      signal,
    })
    await this.#slow(held.url, reader, tried)
    return await this.#learn(held, heldHash, began, tried)
  }

  /** Respects the host's wishes: its crawl delay, and when it wants to be visited again. */
  async #slow(url: PageUrl, reader: PageReader, { robots, end }: Tried): Promise<void> {
    const pace = this.#paces.of(new URL(url).host)
    if (end?.kind === "postponed") pace.block(end.until.getTime())
    const delayMs = robots.obeyed ? await reader.crawlDelayMs(url) : null
    if (delayMs !== null) pace.slow(delayMs)
  }

  async #learn(
    held: Page,
    heldHash: string,
    began: Pick<Seen, "at" | "began">,
    tried: Tried,
  ): Promise<Reread> {
    const { page, end } = tried
    if (page === null) {
      // No validators were sent, so the site can't have answered "not modified".
      if (end === null) throw new Error(`${held.url} gave neither a page nor a reason`)
      if (!provesGone(end)) return { kind: "unread", end: concealedVisit(end) }
      this.#remember(held, { ...began, found: { gone: end } })
      await this.#known.makeDue(held.url, held.source)
      return { kind: "gone", end }
    }
    const hash = pageHash(page)
    const isSame = hash === heldHash
    this.#remember(held, { ...began, found: { hash, page: isSame ? null : page } })
    if (isSame) return { kind: "same", at: began.began }
    // A page that a run has since read doesn't become due again just because this index lags behind.
    if ((await this.#known.get(held.url))?.hash !== hash) await this.#known.makeDue(held.url, held.source)
    return { kind: "changed", page, at: began.began }
  }

  #remember(held: Page, seen: Seen): void {
    const page = "page" in seen.found ? seen.found.page : null
    const chars = held.url.length + (page?.markdown.length ?? 0)
    this.#seen.set(keyOf(held), seen, 2 * chars + (page === null ? 0 : FACTS_BYTES))
  }

  /** The result of a read that began at `from` or later; `null` if there was none, or its page isn't cached. */
  #remembered(held: Page, heldHash: string, from: number): Reread | null {
    const seen = this.#seen.get(keyOf(held))
    if (seen === undefined || seen.at < from) return null
    const { found, began: at } = seen
    if ("gone" in found) return { kind: "gone", end: found.gone }
    if (found.hash === heldHash) return { kind: "same", at }
    return found.page && { kind: "changed", page: found.page, at }
  }
}

/** Why a page whose readers are observed isn't read now: the observers haven't checked what the source's login can see now. */
const OBSERVED = "its source learns who may read each page during runs, so pages are returned as indexed"

/** Whether the pages of a source are inaccessible to the public. */
const isClosed = (source: Source): boolean =>
  source.login !== null || source.clientCert !== null || contentFieldsOf(source).length > 0

const NEVER = new AbortController().signal

function provesGone(end: NoPage): boolean {
  const { outcome, status = null, leadsTo = null } = recordOf(end)
  return evidenceOf({ outcome, status, leadsTo }, "schedule") !== null
}

/** The cache key of an address in one source: other sources may use another login. */
const keyOf = ({ source, url }: Page): string => `${source}\n${url}`

/** Explains to API callers why the reader of a source couldn't be opened. Any other error is a bug on our side. */
function becauseOf(error: unknown): string {
  if (error instanceof LoginError) return "the site did not accept the login of its source"
  if (error instanceof NetworkChangedError) return "its host has moved to another network"
  if (error instanceof Error && error.constructor === Error) return concealedMessage(error)
  throw error
}

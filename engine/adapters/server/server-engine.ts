import { availableParallelism } from "node:os"
import path from "node:path"
import { sharing } from "#base/flow/sharing.ts"
import { makeFolder } from "#base/folder.ts"
import { breather } from "#base/flow/breather.ts"
import { type Embedder, refuseOtherEmbedder } from "../../embedder.ts"
import type {
  Engine,
  EngineStats,
  EngineSupports,
  FacetCounts,
  FacetQuery,
  PageCoverage,
  PageWithVectors,
  PagesOfReaders,
  Query,
  SearchResult,
  Suggestion,
  SuggestionQuery,
} from "../../engine.ts"
import { EngineError } from "../../errors.ts"
import { AskedPages } from "../../lifecycle/filling/asked-pages.ts"
import { toldRate } from "../../lifecycle/filling/filling-rate.ts"
import { QuestionsAsked } from "../../lifecycle/filling/questions-asked.ts"
import { toPage, toPageRow } from "../../index/page-record.ts"
import { type Page, sourcesOf } from "../../index/page/page.ts"
import { type PageUrl, pageId } from "../../index/page/page-url.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import { LateReader } from "../../search/second-reading/late-reader.ts"
import { QueryVectors } from "../../search/query-vectors.ts"
import type { Reranking } from "../../search/second-reading/reranking.ts"
import { searchIndex } from "../../search/search.ts"
import { countFacets, noFacets } from "../../search/facets/count-facets.ts"
import { suggestBySearch } from "../../search/suggestions/by-search.ts"
import { Suggestions } from "../../search/suggestions/suggestions.ts"
import { Serial } from "#base/flow/serial.ts"
import { lockForWriting } from "../../index/writer-lock.ts"
import { Calls } from "../calls.ts"
import type { Backend, IndexedRow, IndexState } from "./backend.ts"
import { EmbedQueue, type FillingFiles } from "./embed-queue.ts"
import { NamesOfOthers } from "./names-of-others.ts"
import { PageWriter } from "./page-writer.ts"

/** Number of searches that run at once, per core; others wait. The server has one or two cores for each search. */
const SEARCHES_PER_CORE = 4
/** Pages are analysed and sent in parts of about this many characters of text, unless a server prefers larger parts. */
const CHARS_PER_CALL = 2_000_000
const PAGES_PER_CALL = 2000
const REMOVED_AT_A_TIME = 500
/** Maximum age of a cached index state when nothing changes. */
const LONGEST_BELIEVED_MS = 5000

export interface ServerEngineOptions {
  /** The server-specific part of the index, closed together with the engine. */
  readonly backend: Backend
  /** The index's name on the server. */
  readonly name: string
  /** Folder on this machine where writers detect each other. */
  readonly lockDir: string
  /**
   * The data folder, which stores information shared by all of its indexes: which source is embedded first, and whether
   * questions are being asked. Default: neither is known.
   */
  readonly dataDir?: string
  /** The embedder of the index; the caller must close it. */
  readonly embedder: Embedder
  readonly mode: "read" | "write"
  /** As in {@link OpenGenerationOptions.isBeside}. */
  readonly isBeside?: boolean
  /** `off` leaves the vectors to an engine opened later. Default `on`; an engine opened for reading creates none. */
  readonly embedding?: "on" | "off"
  /** The reranker that searches use; the caller must close it. Default: none. */
  readonly reranking?: Reranking
  /** Called with background failures, which are retried. */
  readonly onProblem?: (error: unknown) => void
  /** How often to look for names of pages written by other machines. Default: ten seconds. */
  readonly lookMs?: number
}

interface Writer {
  readonly pages: PageWriter
  readonly queue: EmbedQueue
  readonly writes: Serial
}

/** An index on a server. One process writes; any number can read. */
export class ServerEngine implements Engine {
  readonly supports: EngineSupports
  readonly #options: ServerEngineOptions
  readonly #backend: Backend
  readonly #lock: Disposable | undefined
  readonly #queryVectors: QueryVectors
  readonly #lateReader: LateReader
  readonly #files: FillingFiles
  readonly #asked: AskedPages
  readonly #questions: QuestionsAsked
  readonly #suggestions: Suggestions
  #names: NamesOfOthers | undefined
  readonly #searches = new FairPool("index-searches", {
    places: SEARCHES_PER_CORE * availableParallelism(),
  })
  #state: IndexState | null = null
  #checkedAt = -Infinity
  /** Maximum age of the cached index state; grows while nothing changes. */
  #believedMs = 0
  /** A counter, so that a check that began before a write isn't mistaken for one that began after it. */
  #writes = 0
  readonly #check = sharing(() => this.#look())
  #writer: Writer | undefined
  readonly #calls: Calls

  private constructor(options: ServerEngineOptions, lock?: Disposable) {
    const { backend, name, embedder, mode, onProblem } = options
    this.#options = options
    this.#calls = new Calls((error) => options.backend.explain(error))
    this.#backend = backend
    this.supports = backend.supports
    this.#lock = lock
    this.#queryVectors = new QueryVectors(embedder)
    this.#lateReader = new LateReader(embedder)
    const file = (what: string) => path.join(options.lockDir, `${name}.${what}.json`)
    const { dataDir } = options
    this.#files = { rate: file("filling"), asked: file("asked-pages"), dataDir }
    this.#asked = new AskedPages(this.#files.asked)
    this.#questions = new QuestionsAsked(dataDir)
    this.#suggestions = new Suggestions({ file: suggestionsFile(options), mode, onProblem })
  }

  /**
   * Opens an index on a server. When opened for reading, a missing index is empty until another process creates it.
   *
   * @throws EngineError `INDEX_LOCKED`, `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `EMBEDDER_MISMATCH`,
   * `ENGINE_UNAVAILABLE`
   */
  static async open(options: ServerEngineOptions): Promise<ServerEngine> {
    const lock = await locked(options)
    const engine = new ServerEngine(options, lock)
    try {
      await options.backend.checkVersion()
      if (options.mode === "write") await engine.#openForWriting()
      else await engine.#check()
      return engine
    } catch (error) {
      await engine.#release().catch(() => undefined)
      throw options.backend.explain(error)
    }
  }

  index(pages: readonly Page[]): Promise<void> {
    return this.load(pages.map((page) => ({ page, vectors: null })))
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.#calls.during(async () => {
      const { pages: writer } = this.#writing()
      const { charsPerCall = CHARS_PER_CALL } = this.#backend
      const latest = [...new Map(pages.map((one) => [one.page.url, one])).values()]
      const breathe = breather()
      let before: Promise<void> | undefined
      let rows: IndexedRow[] = []
      let chars = 0
      // The next part is analysed while the server indexes the previous one.
      const send = async () => {
        if (rows.length === 0) return
        const named = rows
        await this.#suggestions.expect(named.map(({ id }) => id))
        const sent = writer.write(rows).then(() => this.#suggestions.write(named))
        sent.catch(() => undefined)
        rows = []
        chars = 0
        await before
        before = sent
      }
      for (const { page, vectors } of latest) {
        const row = { ...(await toPageRow(page, breathe)), vectors }
        rows.push(row)
        chars += row.markdown.length + row.passages.length + row.passage_terms.length
        if (chars >= charsPerCall || rows.length >= PAGES_PER_CALL) await send()
      }
      await send()
      await before
    })
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    return this.#calls.during(async () => {
      const { pages } = this.#writing()
      for (let at = 0; at < urls.length; at += REMOVED_AT_A_TIME) {
        const ids = urls.slice(at, at + REMOVED_AT_A_TIME).map(pageId)
        await this.#suggestions.expect(ids)
        await pages.remove(ids)
        await this.#suggestions.remove(ids)
      }
    })
  }

  search(query: Query, options: { signal?: AbortSignal } = {}): Promise<SearchResult> {
    return this.#calls.during(async () => {
      const state = await this.#current()
      if (!state) return { hits: [] }
      this.#questions.note()
      const index = this.#backend.searchIndex(state)
      const { reranking = null, onProblem } = this.#options
      const context = {
        index: this.#asked.noting(index),
        queryVectors: this.#queryVectors,
        lateReader: this.#lateReader,
        reranking,
        onProblem,
      }
      return await this.#asking(() => searchIndex(context, query, options.signal), options.signal)
    })
  }

  facets(query: FacetQuery, options: { signal?: AbortSignal } = {}): Promise<FacetCounts> {
    return this.#calls.during(async () => {
      const state = await this.#current()
      if (!state) return noFacets(query)
      const index = this.#backend.searchIndex(state)
      return await this.#asking(() => countFacets(index, query, options.signal), options.signal)
    })
  }

  async *allPages({
    after = "",
    signal,
  }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<PageWithVectors> {
    for (let last = after; ;) {
      signal?.throwIfAborted()
      const some = await this.#calls.during(async () =>
        (await this.#current()) ? await this.#backend.pagesWithVectors({ after: last }) : [],
      )
      if (some.length === 0) return
      yield* some
      last = pageId(some.at(-1)!.page.url)
    }
  }

  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]> {
    return this.#calls.during(async () =>
      urls.length > 0 && (await this.#current())
        ? await this.#backend.pagesWithVectors({ ids: urls.map(pageId) })
        : [],
    )
  }

  async suggest(query: SuggestionQuery): Promise<readonly Suggestion[]> {
    this.#calls.refuseClosed()
    return this.#suggestions.suggest(query) ?? (await suggestBySearch((asked) => this.search(asked), query))
  }

  get(url: PageUrl): Promise<Page | null> {
    return this.#calls.during(async () => {
      if (!(await this.#current())) return null
      const stored = await this.#backend.stored(pageId(url))
      return stored && toPage(stored)
    })
  }

  async holdersOf(url: PageUrl): Promise<readonly string[]> {
    const page = await this.get(url)
    return page ? sourcesOf(page) : []
  }

  coverage(url: PageUrl): Promise<PageCoverage | null> {
    return this.#calls.during(async () => {
      return (await this.#current()) ? await this.#backend.coverage(pageId(url)) : null
    })
  }

  pagesByReaders(): Promise<readonly PagesOfReaders[]> {
    return this.#calls.during(async () => {
      this.#forget()
      return (await this.#current()) ? await this.#backend.byReaders() : []
    })
  }

  pagesWithoutVectors(source: string): Promise<number> {
    return this.#calls.during(async () =>
      (await this.#current()) ? await this.#backend.waitingOf(source) : 0,
    )
  }

  stats(): Promise<EngineStats> {
    return this.#calls.during(async () => {
      const { id: embedder, dimensions } = this.#options.embedder
      this.#forget()
      const state = (await this.#current()) ?? { pages: 0, passages: 0, waiting: 0 }
      const { pages, passages, waiting, waitingPassages = mean(state) } = state as IndexState
      const queue = this.#writer?.queue
      return {
        pages,
        passages,
        pagesWithoutVectors: waiting,
        passagesWithoutVectors: waitingPassages,
        vectorsPerSecond: waiting === 0 ? null : queue ? queue.perSecond : await toldRate(this.#files.rate),
        embedder,
        dimensions,
      }
    })
  }

  languages(): Promise<ReadonlyMap<string, number>> {
    return this.#calls.during(async () => {
      this.#forget()
      return (await this.#current())?.byLanguage ?? new Map()
    })
  }

  async settled(): Promise<void> {
    this.#calls.refuseClosed()
    await this.#writing().queue.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#calls.close(() => this.#release())
  }

  /** Ends the background work; releases the lock last, so that two processes never write at the same time. */
  async #release(): Promise<void> {
    const names = this.#names?.[Symbol.asyncDispose]()
    // Running work ends early when these are closed.
    await this.#suggestions[Symbol.asyncDispose]()
    await names
    await this.#asked[Symbol.asyncDispose]()
    await this.#questions[Symbol.asyncDispose]()
    try {
      await this.#writer?.queue[Symbol.asyncDispose]()
      await this.#writer?.writes.idle()
    } finally {
      await this.#backend[Symbol.asyncDispose]()
      this.#lock?.[Symbol.dispose]()
    }
  }

  async #openForWriting(): Promise<void> {
    const { embedder, embedding = "on", isBeside = false, onProblem = () => {} } = this.#options
    const backend = this.#backend
    const manifest = await backend.manifest()
    if (manifest) {
      backend.refuseOtherFormat(manifest)
      refuseOtherEmbedder(manifest, embedder)
      await backend.prepare(manifest)
    } else {
      await backend.create(embedder)
    }
    const writes = new Serial()
    const queue = new EmbedQueue({
      store: backend.waitingStore(),
      files: this.#files,
      writes,
      embedder,
      embeds: embedding === "on" && !isBeside,
      onWritten: () => this.#forget(),
      onProblem: (error) => onProblem(backend.explain(error)),
    })
    const pages = new PageWriter({
      store: backend.pageStore(embedder.dimensions),
      server: backend.title,
      writes,
      onWritten: (changed) => {
        this.#forget()
        queue.wake(changed)
      },
    })
    this.#writer = { pages, queue, writes }
    const named = backend.namedPages(writes)
    if (manifest && this.#suggestions.isBehind) void this.#suggestions.catchUp(named)
    if (backend.changedSince) {
      this.#names = new NamesOfOthers({
        suggestions: this.#suggestions,
        pages: named,
        changedSince: (version) => backend.changedSince!(version),
        lookMs: this.#options.lookMs,
        onProblem: (error) => onProblem(backend.explain(error)),
      })
    }
  }

  async #asking<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await this.#searches.run(ask, { signal })
    } catch (error) {
      // The index might no longer exist.
      this.#checkedAt = -Infinity
      throw error
    }
  }

  /** The next caller that needs the index's state asks for it again. */
  #forget(): void {
    this.#checkedAt = -Infinity
    this.#believedMs = 0
    this.#writes++
  }

  /** The state of the index a moment ago; `null` if there is no index yet. */
  async #current(): Promise<IndexState | null> {
    while (performance.now() - this.#checkedAt > Math.max(this.#believedMs, this.supports.readerLagMs / 2)) {
      await this.#check()
    }
    return this.#state
  }

  async #look(): Promise<void> {
    const { embedder } = this.#options
    const writes = this.#writes
    const asked = performance.now()
    const [manifest, state] = await Promise.all([this.#backend.manifest(), this.#backend.state()])
    if (manifest) {
      this.#backend.refuseOtherFormat(manifest)
      refuseOtherEmbedder(manifest, embedder)
    }
    const isUnchanged = isSame(this.#state, state)
    this.#state = manifest && state
    if (this.#writes !== writes) return
    const { readerLagMs } = this.supports
    this.#checkedAt = Math.max(asked, performance.now() - readerLagMs / 4)
    this.#believedMs = isUnchanged
      ? Math.min(LONGEST_BELIEVED_MS, Math.max(readerLagMs, 2 * this.#believedMs))
      : 0
  }

  #writing(): Writer {
    if (this.#writer) return this.#writer
    throw new EngineError("READ_ONLY", "This index was opened for reading; only the crawler writes to it.")
  }
}

async function locked({
  backend,
  mode,
  lockDir,
  name,
  isBeside = false,
}: ServerEngineOptions): Promise<Disposable | undefined> {
  if (mode === "read") return undefined
  try {
    makeFolder(lockDir)
    if (isBeside) return undefined
    return lockForWriting(lockDir, name)
  } catch (error) {
    await backend[Symbol.asyncDispose]()
    throw error
  }
}

/** Whether, according to the server, nothing was written in between and nothing is waiting. */
const isSame = (before: IndexState | null, now: IndexState | null): boolean =>
  now?.lastWritten !== undefined &&
  now.waiting === 0 &&
  now.lastWritten === before?.lastWritten &&
  now.pages === before.pages &&
  now.waiting === before.waiting

/** Estimated number of passages on waiting pages, from the mean of all pages. */
const mean = ({ waiting, passages, pages }: Pick<IndexState, "waiting" | "passages" | "pages">): number =>
  waiting === 0 ? 0 : Math.round((waiting * passages) / pages)

/** Where the page names are stored, on the machine that fills the index. */
export const suggestionsFile = ({ lockDir, name }: Pick<ServerEngineOptions, "lockDir" | "name">): string =>
  path.join(lockDir, `${name}.suggestions.db`)

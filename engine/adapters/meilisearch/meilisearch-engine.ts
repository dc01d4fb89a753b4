import { mkdir } from "node:fs/promises"
import { availableParallelism } from "node:os"
import path from "node:path"
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
  Query,
  SearchResult,
  Suggestion,
  SuggestionQuery,
} from "../../engine.ts"
import { EngineError } from "../../errors.ts"
import { AskedPages } from "../../filling/asked-pages.ts"
import { toldRate } from "../../filling/filling-rate.ts"
import { toPage, toPageRow } from "../../index/page-record.ts"
import type { Page } from "../../page/page.ts"
import { type PageUrl, pageId } from "../../page/page-url.ts"
import { Gate } from "../../search/gate.ts"
import { LateReader } from "../../search/second-reading/late-reader.ts"
import { QueryVectors } from "../../search/query-vectors.ts"
import type { Reranking } from "../../search/second-reading/reranking.ts"
import { searchIndex } from "../../search/search.ts"
import { countFacets, noFacets } from "../../facets/count-facets.ts"
import { suggestBySearch } from "../../suggestions/by-search.ts"
import { Suggestions } from "../../suggestions/suggestions.ts"
import { Serial } from "#base/flow/serial.ts"
import { lockForWriting } from "../../index/writer-lock.ts"
import { EmbedQueue, type FillingFiles } from "./embed-queue.ts"
import {
  INDEX_FORMAT,
  type Indexes,
  applySettings,
  createIndexes,
  indexesOf,
  readManifest,
  refuseOtherFormat,
} from "./server/indexes.ts"
import { countWaiting, type IndexState, readState } from "./index-state.ts"
import { meilisearchIndex } from "./meilisearch-index.ts"
import { type IndexedRow, PageWriter } from "./page-writer.ts"
import { namedPages, pagesAfter } from "./pages-after.ts"
import type { Send } from "./server/send.ts"
import { Server, isMissing } from "./server/server.ts"

const READER_LAG_MS = 1000
/** Searches under way at once; the others wait. The server has a core or two of its own for each. */
const SEARCHES_PER_CORE = 4
/** How long a write waits for a server that is away, and a search. */
const WRITER_PATIENCE_MS = 60_000
const READER_PATIENCE_MS = 2000
/** Pages are analysed and sent in parts of about this much text. */
const CHARS_PER_CALL = 2_000_000
const PAGES_PER_CALL = 500
const REMOVED_AT_A_TIME = 500

export interface MeilisearchEngineOptions {
  /** Address of the server, without a slash at the end. */
  readonly url: string
  /** Its master key; empty when it has none. */
  readonly key: string
  /** What the names of its indexes on the server begin with: letters, digits, `-` and `_`. */
  readonly name: string
  /** Folder on this machine where writers find out about each other. */
  readonly lockDir: string
  /** Says which source has its vectors first: see `filling/first-source.ts`. Default: none. */
  readonly firstSourceFile?: string
  /** Stays the caller's. */
  readonly embedder: Embedder
  readonly mode: "read" | "write"
  /** `off` leaves the vectors to an engine opened later. Default `on`; an engine opened for reading makes none. */
  readonly embedding?: "on" | "off"
  /** The reranker that searches ask; stays the caller's. Default: none. */
  readonly reranking?: Reranking
  /** Told of failures in the background, which are tried again. */
  readonly onProblem?: (error: unknown) => void
  /** Through which all requests go. Default: HTTP. */
  readonly send?: Send
}

interface Writer {
  readonly pages: PageWriter
  readonly queue: EmbedQueue
  readonly writes: Serial
}

/** The index on a Meilisearch server. One process writes, any number read. */
export class MeilisearchEngine implements Engine {
  readonly supports: EngineSupports = {
    adapter: "meilisearch",
    typoTolerance: true,
    exactPhrase: true,
    readerLagMs: READER_LAG_MS,
  }
  readonly #options: MeilisearchEngineOptions
  readonly #server: Server
  readonly #indexes: Indexes
  readonly #lock: Disposable | undefined
  readonly #queryVectors: QueryVectors
  readonly #lateReader: LateReader
  readonly #files: FillingFiles
  readonly #asked: AskedPages
  readonly #suggestions: Suggestions
  readonly #searches = new Gate(SEARCHES_PER_CORE * availableParallelism())
  #state: IndexState | null = null
  #checkedAt = -Infinity
  /** Counted, so that a check which began before a write does not pass for one after it. */
  #writes = 0
  #checking: Promise<void> | undefined
  #writer: Writer | undefined
  #closed: Promise<void> | undefined
  readonly #busy = new Set<Promise<unknown>>()

  private constructor(options: MeilisearchEngineOptions, lock?: Disposable) {
    const { url, key, name, embedder, mode, onProblem } = options
    this.#options = options
    this.#lock = lock
    this.#server = new Server({
      url,
      key,
      patienceMs: mode === "write" ? WRITER_PATIENCE_MS : READER_PATIENCE_MS,
      ...(options.send && { send: options.send }),
    })
    this.#indexes = indexesOf(this.#server, name)
    this.#queryVectors = new QueryVectors(embedder)
    this.#lateReader = new LateReader(embedder)
    const file = (what: string) => path.join(options.lockDir, `${name}.${what}.json`)
    const { firstSourceFile: firstSource } = options
    this.#files = { rate: file("filling"), asked: file("asked-pages"), firstSource }
    this.#asked = new AskedPages(this.#files.asked)
    this.#suggestions = new Suggestions({ file: suggestionsFile(options), mode, onProblem })
  }

  /**
   * Opens an index on a server. Opened for reading, one that is not there is empty until another process makes it.
   *
   * @throws EngineError `INDEX_LOCKED`, `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `EMBEDDER_MISMATCH`,
   *   `ENGINE_UNAVAILABLE`
   */
  static async open(options: MeilisearchEngineOptions): Promise<MeilisearchEngine> {
    const { mode, lockDir, name } = options
    if (mode === "write") await mkdir(lockDir, { recursive: true })
    const lock = mode === "write" ? lockForWriting(lockDir, name) : undefined
    const engine = new MeilisearchEngine(options, lock)
    try {
      await engine.#server.checkVersion()
      if (mode === "write") await engine.#openForWriting()
      else await engine.#check()
      return engine
    } catch (error) {
      await engine.#release().catch(() => undefined)
      throw engine.#server.explain(error)
    }
  }

  index(pages: readonly Page[]): Promise<void> {
    return this.load(pages.map((page) => ({ page, vectors: null })))
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.#during(async () => {
      const { pages: writer } = this.#writing()
      const latest = [...new Map(pages.map((one) => [one.page.url, one])).values()]
      const breathe = breather()
      let before: Promise<void> | undefined
      let rows: IndexedRow[] = []
      let chars = 0
      // The next part is analysed while the server indexes the one before.
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
        if (chars >= CHARS_PER_CALL || rows.length >= PAGES_PER_CALL) await send()
      }
      await send()
      await before
    })
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    return this.#during(async () => {
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
    return this.#during(async () => {
      const state = await this.#current()
      if (!state) return { hits: [] }
      const index = meilisearchIndex({ server: this.#server, indexes: this.#indexes, state })
      const { reranking = null, onProblem } = this.#options
      const context = {
        index: this.#asked.noting(index),
        queryVectors: this.#queryVectors,
        lateReader: this.#lateReader,
        reranking,
        onProblem,
      }
      return await this.#searches.run(() => searchIndex(context, query, options.signal), options.signal)
    })
  }

  facets(query: FacetQuery, options: { signal?: AbortSignal } = {}): Promise<FacetCounts> {
    return this.#during(async () => {
      const state = await this.#current()
      if (!state) return noFacets(query)
      const index = meilisearchIndex({ server: this.#server, indexes: this.#indexes, state })
      return await this.#searches.run(() => countFacets(index, query, options.signal), options.signal)
    })
  }

  async *allPages({
    after = "",
    signal,
  }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<PageWithVectors> {
    for (let last = after; ;) {
      signal?.throwIfAborted()
      const some = await this.#during(async () =>
        (await this.#current()) ? await pagesAfter(this.#indexes, last) : [],
      )
      if (some.length === 0) return
      yield* some
      last = pageId(some.at(-1)!.page.url)
    }
  }

  async suggest(query: SuggestionQuery): Promise<readonly Suggestion[]> {
    this.#refuseClosed()
    return this.#suggestions.suggest(query) ?? (await suggestBySearch((asked) => this.search(asked), query))
  }

  get(url: PageUrl): Promise<Page | null> {
    return this.#during(async () => {
      if (!(await this.#current())) return null
      const text = await orNull(
        this.#indexes.texts.getDocument(pageId(url), { fields: ["title", "details", "markdown"] }),
      )
      return text && toPage(text)
    })
  }

  coverage(url: PageUrl): Promise<PageCoverage | null> {
    return this.#during(async () => {
      if (!(await this.#current())) return null
      const fields = ["passage_count", "waiting"] as const
      const page = await orNull(this.#indexes.pages.getDocument(pageId(url), { fields: [...fields] }))
      return page && { passages: page.passage_count, vectors: page.waiting ? 0 : page.passage_count }
    })
  }

  pagesWithoutVectors(source: string): Promise<number> {
    return this.#during(async () =>
      (await this.#current()) ? await countWaiting(this.#server, this.#indexes, source) : 0,
    )
  }

  stats(): Promise<EngineStats> {
    return this.#during(async () => {
      const { id: embedder, dimensions } = this.#options.embedder
      this.#forget()
      const { pages, passages, waiting } = (await this.#current()) ?? { pages: 0, passages: 0, waiting: 0 }
      const queue = this.#writer?.queue
      return {
        pages,
        passages,
        pagesWithoutVectors: waiting,
        passagesWithoutVectors: waiting === 0 ? 0 : Math.round((waiting * passages) / pages),
        vectorsPerSecond: waiting === 0 ? null : queue ? queue.perSecond : await toldRate(this.#files.rate),
        embedder,
        dimensions,
      }
    })
  }

  languages(): Promise<ReadonlyMap<string, number>> {
    return this.#during(async () => {
      this.#forget()
      return (await this.#current())?.byLanguage ?? new Map()
    })
  }

  async settled(): Promise<void> {
    this.#refuseClosed()
    await this.#writing().queue.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#busy)
    await this.#release()
  }

  /** Ends the work in the background; lets go of the lock last, so that two never write. */
  async #release(): Promise<void> {
    await this.#suggestions[Symbol.asyncDispose]()
    await this.#asked[Symbol.asyncDispose]()
    try {
      await this.#writer?.queue[Symbol.asyncDispose]()
      await this.#writer?.writes.idle()
    } finally {
      this.#lock?.[Symbol.dispose]()
    }
  }

  async #openForWriting(): Promise<void> {
    const { name, embedder, embedding = "on", onProblem = () => {} } = this.#options
    const server = this.#server
    const indexes = this.#indexes
    const manifest = await readManifest(server, name)
    if (manifest) {
      refuseOtherFormat(manifest, name)
      refuseOtherEmbedder(manifest, embedder)
      await applySettings(server, name, embedder.dimensions)
    } else {
      const { id, dimensions } = embedder
      await createIndexes(server, name, { format: INDEX_FORMAT, embedder: id, dimensions })
    }
    const writes = new Serial()
    const queue = new EmbedQueue({
      server,
      indexes,
      files: this.#files,
      writes,
      embedder,
      embeds: embedding === "on",
      onWritten: () => this.#forget(),
      onProblem: (error) => onProblem(server.explain(error)),
    })
    const pages = new PageWriter({
      server,
      indexes,
      writes,
      dimensions: embedder.dimensions,
      onWritten: (changed) => {
        this.#forget()
        queue.wake(changed)
      },
    })
    this.#writer = { pages, queue, writes }
    if (manifest && this.#suggestions.isBehind) this.#suggestions.catchUp(namedPages(indexes, writes))
  }

  /** What is known of the index is asked anew by whoever needs it next. */
  #forget(): void {
    this.#checkedAt = -Infinity
    this.#writes++
  }

  /** The index as it was a moment ago; null when there is none yet. */
  async #current(): Promise<IndexState | null> {
    while (performance.now() - this.#checkedAt > READER_LAG_MS / 2) {
      this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
      await this.#checking
    }
    return this.#state
  }

  async #check(): Promise<void> {
    const { name, embedder } = this.#options
    const writes = this.#writes
    const asked = performance.now()
    const [manifest, state] = await Promise.all([
      readManifest(this.#server, name),
      orNull(readState(this.#server, this.#indexes)),
    ])
    if (manifest) {
      refuseOtherFormat(manifest, name)
      refuseOtherEmbedder(manifest, embedder)
    }
    this.#state = manifest && state
    if (this.#writes === writes) this.#checkedAt = Math.max(asked, performance.now() - READER_LAG_MS / 4)
  }

  #writing(): Writer {
    if (this.#writer) return this.#writer
    throw new EngineError("READ_ONLY", "This index was opened for reading; only the crawler writes to it.")
  }

  #refuseClosed(): void {
    if (this.#closed) throw new EngineError("ENGINE_CLOSED", "The engine was closed; open it again.")
  }

  /** Runs a call that closing must wait for. */
  async #during<T>(task: () => Promise<T>): Promise<T> {
    this.#refuseClosed()
    const running = task()
    this.#busy.add(running)
    try {
      return await running
    } catch (error) {
      throw this.#server.explain(error)
    } finally {
      this.#busy.delete(running)
    }
  }
}

/** Where the names of pages are, on the machine that fills the index. */
export const suggestionsFile = ({
  lockDir,
  name,
}: Pick<MeilisearchEngineOptions, "lockDir" | "name">): string => path.join(lockDir, `${name}.suggestions.db`)

/** Null when the index or the document is not there. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

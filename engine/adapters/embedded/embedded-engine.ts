import type { Connection } from "@lancedb/lancedb"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import path from "node:path"
import { isDeepStrictEqual } from "node:util"
import { sharing } from "#base/flow/sharing.ts"
import { makeFolder } from "#base/folder.ts"
import { AskedPages } from "../../lifecycle/filling/asked-pages.ts"
import { toldRate } from "../../lifecycle/filling/filling-rate.ts"
import { QuestionsAsked } from "../../lifecycle/filling/questions-asked.ts"
import { type Embedder, refuseOtherEmbedder } from "../../embedder.ts"
import type {
  Engine,
  EngineStats,
  EngineSupports,
  FacetCounts,
  FacetQuery,
  PageCoverage,
  PageFilter,
  PageWithVectors,
  PagesOfReaders,
  Query,
  SearchResult,
  Suggestion,
  SuggestionQuery,
} from "../../engine.ts"
import { unwritableOr } from "#base/disk-space.ts"
import { EngineError } from "../../errors.ts"
import { type Page, sourcesOf } from "../../index/page/page.ts"
import { type PageUrl, pageId } from "../../index/page/page-url.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import { LateReader } from "../../search/second-reading/late-reader.ts"
import { QueryVectors } from "../../search/query-vectors.ts"
import type { Reranking } from "../../search/second-reading/reranking.ts"
import { searchIndex } from "../../search/search.ts"
import { ASKED_FILE, EmbedQueue, RATE_FILE } from "./embed-queue.ts"
import { embeddedIndex } from "./embedded-index.ts"
import { isIn } from "./filter.ts"
import { pause } from "#base/flow/pause.ts"
import { breather } from "#base/flow/breather.ts"
import { disagreement } from "./interrupted-writes.ts"
import { KnownTerms } from "./files/known-terms.ts"
import { LeftIndices } from "./lance/left-indices.ts"
import { Maintenance, trainVectorIndex } from "./lance/maintenance.ts"
import { damagedFile } from "./files/damaged-file.ts"
import { FileSums } from "./files/file-sums.ts"
import { MANIFEST, type Manifest, manifestTwins, readManifest, writeManifest } from "./files/manifest.ts"
import { counted } from "./files/page-sum.ts"
import { PAGES_DB, PageStore } from "./files/page-store.ts"
import { batchesOf } from "./lance/rows.ts"
import {
  type PageHead,
  type PageRow,
  embeddedOf,
  holdersIn,
  passagesOf,
  sourcesIn,
  sourceText,
  toPage,
  toPageRow,
} from "../../index/page-record.ts"
import { FIRST_SECTION, type PageVectors, pagesTable, READERS } from "./lance/schema.ts"
import { pagesAfter, pagesOf, withVectors } from "./pages-after.ts"
import { hashesIn } from "../../text/passage-terms.ts"
import { embeddingText } from "../../text/passages.ts"
import { Serial } from "#base/flow/serial.ts"
import {
  PAGES_TABLE,
  type Tables,
  addReaders,
  connectTo,
  createIndex,
  indexedPages,
  noVectors,
  openTable,
  openTables,
} from "./lance/tables.ts"
import { Calls } from "../calls.ts"
import { TermFrequencies } from "./files/term-frequencies.ts"
import { VectorCoverage, countEmbedded, coverageOf } from "./vector-coverage.ts"
import { isDamagedSqlite } from "#base/store/lock-file.ts"
import { lockForWriting } from "../../index/writer-lock.ts"
import { countFacets, noFacets } from "../../search/facets/count-facets.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import { Suggestions } from "../../search/suggestions/suggestions.ts"
import { steadyNow } from "#base/steady-time.ts"

const SUGGESTIONS_DB = "suggestions.db"
/** A reader checks for a newer version of the tables when its own is this old. */
const READER_LAG_MS = 1000
const LOOK_FOR_LEFT_MS = 5000
/**
 * The number of replaced indices after which a reader starts with an empty cache. A crawl replaces about ten. The next
 * questions then reread what they need from the files, which takes a second or two with a million passages.
 */
const MOST_LEFT_INDICES = 128
/**
 * Maximum number of searches running at once, per core; others wait. Running more doesn't produce answers any sooner,
 * and blocks the event loop three times as long, because all their work is done in one turn.
 */
const SEARCHES_PER_CORE = 2
const SAVE_FREQUENCIES_MS = 2000
/** Pages are written in parts of about this many characters of text, so that no part blocks the event loop for long. */
const CHARS_PER_COMMIT = 2_000_000
const PAGES_PER_COMMIT = 200

export interface EmbeddedEngineOptions {
  /** The index folder; created if it is missing when the index is opened for writing. */
  readonly dir: string
  /** The data folder, which contains information shared by all of its indexes: which source is embedded first, and whether questions are being asked. Default: neither. */
  readonly dataDir?: string
  /** The embedder of the index; the caller has to close it. */
  readonly embedder: Embedder
  readonly mode: "read" | "write"
  /**
   * `on` creates vectors in the background, `off` leaves them to an engine opened later. Default `on`; an engine opened
   * for reading creates none.
   */
  readonly embedding?: "on" | "off"
  /** The reranker that searches use; the caller has to close it. Default: none. */
  readonly reranking?: Reranking
  /** Megabytes of the index to cache when it is opened for reading. Default: depends on the machine. */
  readonly cacheMb?: number
  /** Called with background failures, which are retried. */
  readonly onProblem?: (error: unknown) => void
}

/** The resources of an engine while its index is open. */
interface Opened {
  readonly manifest: Manifest
  readonly tables: Tables
  readonly frequencies: TermFrequencies
  readonly knownTerms: KnownTerms
}

/** A page that is being indexed, with its vectors if they came with it. */
type IndexedRow = PageRow & Pick<PageWithVectors, "vectors">

interface Writer {
  readonly queue: EmbedQueue
  readonly pageWrites: Serial
  readonly pageCare: Maintenance
  readonly vectorCare: Maintenance
}

/** The embedded index, based on LanceDB. One process writes; any number can read. */
export class EmbeddedEngine implements Engine {
  readonly supports: EngineSupports = {
    adapter: "embedded",
    typoTolerance: true,
    exactPhrase: true,
    readerLagMs: READER_LAG_MS,
  }
  readonly #options: EmbeddedEngineOptions
  #connection: Connection
  #leftIndices: LeftIndices
  #lookedAt = 0
  readonly #lock: Disposable | undefined
  readonly #queryVectors: QueryVectors
  readonly #lateReader: LateReader
  readonly #coverage = new VectorCoverage()
  readonly #asked: AskedPages
  readonly #questions: QuestionsAsked
  readonly #suggestions: Suggestions
  readonly #searches = new FairPool("index-searches", {
    places: SEARCHES_PER_CORE * availableParallelism(),
  })
  #opened: Opened | null = null
  #checkedAt = 0
  #savedAt = 0
  readonly #check = sharing(() => this.#reopenIfChanged())
  #writer: Writer | undefined
  readonly #calls: Calls

  private constructor(options: EmbeddedEngineOptions, connection: Connection, lock?: Disposable) {
    this.#options = options
    this.#calls = new Calls((error) => asEngineError(error, options.dir))
    this.#connection = connection
    this.#leftIndices = new LeftIndices(options.dir)
    this.#lock = lock
    this.#queryVectors = new QueryVectors(options.embedder)
    this.#lateReader = new LateReader(options.embedder)
    const { dir, dataDir, mode, onProblem } = options
    this.#asked = new AskedPages(path.join(dir, ASKED_FILE))
    this.#questions = new QuestionsAsked(dataDir)
    this.#suggestions = new Suggestions({ file: path.join(dir, SUGGESTIONS_DB), mode, onProblem })
  }

  /**
   * Opens the index in a folder. When opened for reading, a folder without an index counts as an empty index until
   * another process creates one.
   *
   * @throws EngineError `INDEX_LOCKED`, `INDEX_FORMAT_TOO_NEW`, `EMBEDDER_MISMATCH`, `INDEX_DAMAGED`,
   * `ENGINE_UNAVAILABLE`
   */
  static async open(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
    if (options.mode === "read") {
      const engine = new EmbeddedEngine(options, await connectTo(options.dir, READER_LAG_MS, options.cacheMb))
      try {
        await engine.#reopenIfChanged()
        return engine
      } catch (error) {
        await engine.#release().catch(() => undefined)
        throw asEngineError(error, options.dir)
      }
    }
    makeFolder(options.dir)
    const lock = lockForWriting(options.dir)
    let engine: EmbeddedEngine | undefined
    try {
      engine = new EmbeddedEngine(options, await connectTo(options.dir, 0), lock)
      await engine.#openForWriting()
      return engine
    } catch (error) {
      if (engine) await engine.#release().catch(() => undefined)
      else lock[Symbol.dispose]()
      throw asEngineError(error, options.dir)
    }
  }

  index(pages: readonly Page[]): Promise<void> {
    return this.load(pages.map((page) => ({ page, vectors: null })))
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.#calls.during(async () => {
      const writer = this.#writing()
      const latest = [...new Map(pages.map((one) => [one.page.url, one])).values()]
      await this.#learn(latest.map(({ page }) => page))
      let rows: IndexedRow[] = []
      let chars = 0
      const breathe = breather()
      for (const { page, vectors } of latest) {
        const row = { ...(await toPageRow(page, breathe)), vectors }
        rows.push(row)
        chars += row.markdown.length + row.passages.length + row.passage_terms.length
        if (chars >= CHARS_PER_COMMIT || rows.length >= PAGES_PER_COMMIT) {
          await this.#write(writer, rows)
          rows = []
          chars = 0
        }
      }
      await this.#write(writer, rows)
    })
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    return this.#calls.during(async () => {
      const writer = this.#writing()
      const { tables } = this.#opened!
      for (let at = 0; at < urls.length; at += 500) {
        const ids = urls.slice(at, at + 500).map(pageId)
        await writer.pageWrites.run(async () => {
          await tables.pages.delete(isIn("id", ids))
          tables.store.remove(ids)
          writer.queue.remove(ids)
          await this.#suggestions.remove(ids)
        })
        writer.pageCare.wrote(ids.length)
      }
    })
  }

  search(query: Query, options: { signal?: AbortSignal } = {}): Promise<SearchResult> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      if (!opened) return { hits: [] }
      this.#questions.note()
      const asked = { ...query, filter: filterFor(opened, query.filter) }
      const index = this.#searchIndex(opened)
      const { reranking = null, onProblem } = this.#options
      const context = {
        index: this.#asked.noting(index),
        queryVectors: this.#queryVectors,
        lateReader: this.#lateReader,
        reranking,
        onProblem,
      }
      return this.#searches.run(() => searchIndex(context, asked, options.signal), { signal: options.signal })
    })
  }

  facets(query: FacetQuery, options: { signal?: AbortSignal } = {}): Promise<FacetCounts> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      if (!opened) return noFacets(query)
      const index = this.#searchIndex(opened)
      const asked = { ...query, filter: filterFor(opened, query.filter) }
      return this.#searches.run(() => countFacets(index, asked, options.signal), { signal: options.signal })
    })
  }

  #searchIndex({ tables, frequencies, knownTerms, manifest }: Opened): SearchIndex {
    return embeddedIndex({
      tables,
      frequencies,
      knownTerms,
      languages: new Map(manifest.languages.map((one) => [one, frequencies.shareOf(one)])),
      sharings: manifest.sharings ?? [],
      hasReaders: manifest.hasReaders === true,
      allEmbedded: this.#writer ? this.#writer.queue.size === 0 : this.#coverage.isComplete(tables),
    })
  }

  async *allPages({
    after = "",
    signal,
  }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<PageWithVectors> {
    for (let last = after; ;) {
      signal?.throwIfAborted()
      const some = await this.#calls.during(async () => {
        const opened = await this.#current()
        return opened ? pagesAfter(opened.tables, last) : []
      })
      if (some.length === 0) return
      yield* some
      last = pageId(some.at(-1)!.page.url)
    }
  }

  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      return opened ? await pagesOf(opened.tables, urls.map(pageId)) : []
    })
  }

  suggest(query: SuggestionQuery): Promise<readonly Suggestion[]> {
    return this.#calls.during(async () => this.#suggestions.suggest(query) ?? [])
  }

  get(url: PageUrl): Promise<Page | null> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      if (!opened) return null
      const [row] = opened.tables.store.read([pageId(url)])
      return row ? toPage(row) : null
    })
  }

  holdersOf(url: PageUrl): Promise<readonly string[]> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      const [head] = opened?.tables.store.heads([pageId(url)]) ?? []
      return head ? holdersIn(head.details) : []
    })
  }

  coverage(url: PageUrl): Promise<PageCoverage | null> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      if (!opened) return null
      return await coverageOf(opened.tables, pageId(url))
    })
  }

  stats(): Promise<EngineStats> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      const { id: embedder, dimensions } = this.#options.embedder
      const nothing = { pagesWithoutVectors: 0, passagesWithoutVectors: 0, vectorsPerSecond: null }
      if (!opened) return { pages: 0, passages: 0, ...nothing, embedder, dimensions }
      const [count, { wanted, embedded: done }, passages] = await Promise.all([
        opened.tables.pages.countRows(FIRST_SECTION),
        countEmbedded(opened.tables),
        sumOfPassages(opened.tables),
      ])
      const waiting = this.#writer?.queue.size ?? Math.max(0, wanted - done)
      const held = { pages: count, passages, embedder, dimensions }
      if (waiting === 0) return { ...held, ...nothing }
      const queue = this.#writer?.queue
      return {
        ...held,
        pagesWithoutVectors: waiting,
        passagesWithoutVectors:
          queue?.passages ?? Math.max(waiting, passages - (await opened.tables.vectors.countRows())),
        vectorsPerSecond: queue ? queue.perSecond : await toldRate(path.join(this.#options.dir, RATE_FILE)),
      }
    })
  }

  languages(): Promise<ReadonlyMap<string, number>> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      return opened ? await pagesByLanguage(opened.tables) : new Map()
    })
  }

  pagesByReaders(): Promise<readonly PagesOfReaders[]> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      return opened ? await pagesByReaders(opened.tables, opened.manifest.hasReaders === true) : []
    })
  }

  pagesWithoutVectors(source: string): Promise<number> {
    return this.#calls.during(async () => {
      const opened = await this.#current()
      if (!opened) return 0
      const { tables, manifest } = opened
      const { wanted, embedded } = await countEmbedded(
        tables,
        [{ sources: [source] }],
        manifest.sharings ?? [],
      )
      return Math.max(0, wanted - embedded)
    })
  }

  async settled(): Promise<void> {
    this.#calls.refuseClosed()
    await this.#writing().queue.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#calls.close(() => this.#release())
  }

  /** Ends the background work, then releases the files, and the lock last, so that two processes never write at the same time. */
  async #release(): Promise<void> {
    const writer = this.#writer
    await this.#coverage[Symbol.asyncDispose]()
    await this.#suggestions[Symbol.asyncDispose]()
    await this.#asked[Symbol.asyncDispose]()
    await this.#questions[Symbol.asyncDispose]()
    try {
      if (writer) {
        await writer.queue[Symbol.asyncDispose]()
        await writer.vectorCare[Symbol.asyncDispose]()
        await writer.pageCare[Symbol.asyncDispose]()
        await this.#opened!.tables.store.giveBack({ mayRewrite: true }).catch((error: unknown) => {
          this.#options.onProblem?.(error)
        })
        await this.#opened!.frequencies.save(this.#options.dir)
        await this.#opened!.knownTerms.save(this.#options.dir)
      }
    } finally {
      this.#opened?.tables.pages.close()
      this.#opened?.tables.vectors.close()
      this.#opened?.tables.store[Symbol.dispose]()
      this.#connection.close()
      this.#lock?.[Symbol.dispose]()
    }
  }

  async #openForWriting(): Promise<void> {
    const { dir, dataDir, embedder, embedding = "on", onProblem = () => {} } = this.#options
    const manifest = (await readManifest(dir)) ?? (await this.#create())
    refuseOtherEmbedder(manifest, embedder)
    if ((await manifestTwins(dir)).damaged.length > 0) await writeManifest(dir, manifest)
    const tables = await openTables(this.#connection, dir, manifest, this.#tellDamage)
    if (!manifest.hasReaders) await addReaders(tables)
    const areCounted = (await TermFrequencies.isSaved(dir)) && (await KnownTerms.isSaved(dir))
    const frequencies = areCounted ? await TermFrequencies.load(dir) : TermFrequencies.none()
    const knownTerms = areCounted ? await KnownTerms.load(dir) : KnownTerms.none()
    this.#opened = { manifest, tables, frequencies, knownTerms }
    if (!manifest.hasReaders) await this.#updateManifest({ hasReaders: true })
    if (!areCounted) await this.#countTerms()
    const pageWrites = new Serial()
    const vectorWrites = new Serial()
    const pageCare = new Maintenance({
      table: tables.pages,
      writes: pageWrites,
      sums: await FileSums.load(dir, PAGES_TABLE),
      onProblem,
      afterwards: () => tables.store.giveBack({ mayRewrite: false }),
    })
    const vectorCare = new Maintenance({
      table: tables.vectors,
      writes: vectorWrites,
      sums: await FileSums.load(dir, manifest.vectors),
      onProblem,
      afterwards: () => trainVectorIndex(tables.vectors),
    })
    const indexed = await indexedPages(tables)
    const { again, lost } = disagreement(indexed, tables.store)
    await this.#forget(lost)
    for (const id of lost) indexed.delete(id)
    const queue = await EmbedQueue.open(indexed, {
      dir,
      dataDir,
      tables,
      writes: vectorWrites,
      embedder,
      embeds: embedding === "on",
      onChange: (rows) => vectorCare.wrote(rows),
      onProblem,
    })
    this.#writer = { queue, pageWrites, pageCare, vectorCare }
    await this.index(again.map(toPage))
    void this.#suggestions.catchUp({
      revisions: async () => tables.store.revisions(),
      read: (ids, take) => pageWrites.run(() => take(tables.store.read(ids))),
    })
  }

  async #create(): Promise<Manifest> {
    refuseLostManifest(this.#options.dir)
    return await createIndex(this.#connection, this.#options.dir, this.#options.embedder)
  }

  readonly #tellDamage = (id: string): void => {
    const { dir, onProblem } = this.#options
    onProblem?.(damagedFile(dir, PAGES_DB, `is damaged: page ${id} differs from what was written`))
  }

  /** Also removes from the tables the pages that the store has lost, so that they don't count as indexed. */
  async #forget(lost: readonly string[]): Promise<void> {
    if (lost.length === 0) return
    const { dir, onProblem } = this.#options
    const what = `has lost ${counted(lost.length, "page")}; the next crawl fetches what is missing`
    onProblem?.(damagedFile(dir, PAGES_DB, what))
    for (let at = 0; at < lost.length; at += 500) {
      await this.#opened!.tables.pages.delete(isIn("id", lost.slice(at, at + 500)))
    }
  }

  /** Recounts the term statistics: the number of pages from the store, the terms from the sections. */
  async #countTerms(): Promise<void> {
    const { tables, frequencies, knownTerms } = this.#opened!
    const breathe = breather()
    for (const { id } of tables.store.revisions()) {
      await breathe()
      const packed = tables.store.passageTerms([id]).get(id)
      if (packed) frequencies.add(hashesIn(packed), tables.store.facts([id]).get(id)?.language ?? null)
    }
    for await (const rows of batchesOf<{ terms: string }>(tables.pages.query().select(["terms"]))) {
      for (const { terms } of rows) {
        await breathe()
        knownTerms.add(terms)
      }
    }
    await frequencies.save(this.#options.dir)
    await knownTerms.save(this.#options.dir)
  }

  async #write(writer: Writer, rows: readonly IndexedRow[]): Promise<void> {
    if (rows.length === 0) return
    const table = pagesTable(rows)
    const ids = rows.map(({ id }) => id)
    const { dimensions } = this.#options.embedder
    await writer.pageWrites.run(async () => {
      const { store, pages } = this.#opened!.tables
      const heads = store.heads(ids)
      rows = await this.#withKeptVectors(rows, heads)
      await writer.queue.adopt(rows.flatMap((row) => readyVectors(row, dimensions)))
      // A page whose sections are in the table is also in the store, since the store is written first and deleted from
      // last.
      const areNew = heads.length === 0
      await store.write(rows)
      // New pages are added rather than merged, because a merge reads the whole table.
      if (areNew) await pages.add(table)
      // If a page has become shorter, its surplus sections are deleted in the same commit.
      else
        await pages
          .mergeInsert("key")
          .whenMatchedUpdateAll()
          .whenNotMatchedInsertAll()
          .whenNotMatchedBySourceDelete({ where: isIn("id", ids) })
          .execute(table)
      writer.queue.add(rows)
      await this.#suggestions.write(rows)
      const { frequencies, knownTerms } = this.#opened!
      const breathe = breather()
      for (const row of rows) {
        frequencies.add(hashesIn(row.passage_terms), row.language)
        const added = new Set<string>()
        for (const terms of row.sections) {
          await breathe()
          knownTerms.add(terms, added)
        }
      }
      if (steadyNow() - this.#savedAt > SAVE_FREQUENCIES_MS) {
        await frequencies.save(this.#options.dir)
        await knownTerms.save(this.#options.dir)
        this.#savedAt = steadyNow()
      }
    })
    writer.pageCare.wrote(table.numRows)
  }

  /**
   * A page with the same text under another source or topic keeps its vectors. When a page changes, the vectors of unchanged
   * passages are remembered for the queue.
   */
  async #withKeptVectors(
    rows: readonly IndexedRow[],
    heads: readonly PageHead[],
  ): Promise<readonly IndexedRow[]> {
    const { store, vectors } = this.#opened!.tables
    const { known: knownVectors } = this.#writer!.queue
    const byId = new Map(rows.flatMap((row) => (row.vectors === null ? [[row.id, row] as const] : [])))
    const known = heads.filter(({ id, revision, title }) => {
      const row = byId.get(id)
      return row !== undefined && row.revision !== revision && row.title === title
    })
    const before = store.read(known.map(({ id }) => id)).filter((old) => {
      const now = new Set(textsOf(byId.get(old.id)!))
      return textsOf(old).some((text) => now.has(text))
    })
    if (before.length === 0) return rows
    const kept = new Map<string, PageWithVectors["vectors"]>()
    // Unreadable vectors are recreated.
    const read = await withVectors(before, vectors).catch(() => [])
    for (const [i, made] of read.entries()) {
      const old = before[i]!
      const row = byId.get(old.id)!
      if (isDeepStrictEqual(embeddedOf(passagesOf(old)), embeddedOf(passagesOf(row))))
        kept.set(old.id, made.vectors)
      else {
        const texts = textsOf(old)
        for (const [position, vector] of made.vectors?.entries() ?? [])
          knownVectors.set(texts[position]!, vector)
      }
    }
    return rows.map((row) => ({ ...row, vectors: row.vectors ?? kept.get(row.id) ?? null }))
  }

  /** Updates the manifest's facts about all pages before the pages are written. */
  async #learn(pages: readonly Page[]): Promise<void> {
    const { languages, sharings = [], holdsReaders } = this.#opened!.manifest
    const isFirstWithReaders = !holdsReaders && pages.some(({ readers }) => readers !== undefined)
    const spoken = missingIn(
      languages,
      pages.flatMap((page) => page.language ?? []),
    )
    const shared = missingIn(
      sharings,
      pages.flatMap((page) => (page.sharedWith?.length ? sourceText(sourcesOf(page)) : [])),
    )
    if (spoken.length + shared.length === 0 && !isFirstWithReaders) return
    await this.#updateManifest({
      languages: [...languages, ...spoken],
      ...(sharings.length + shared.length > 0 && { sharings: [...sharings, ...shared] }),
      ...(isFirstWithReaders && { holdsReaders: true as const }),
    })
    // Reading processes must see the new manifest before the page is added; from then on they filter by readers.
    if (isFirstWithReaders && languages.length > 0) await pause(READER_LAG_MS)
  }

  async #updateManifest(change: Partial<Manifest>): Promise<void> {
    const manifest = { ...this.#opened!.manifest, ...change }
    this.#opened = { ...this.#opened!, manifest }
    await writeManifest(this.#options.dir, manifest)
  }

  /** The open index, or `null` if there is none yet. A reader follows the writer's changes to the manifest. */
  async #current(): Promise<Opened | null> {
    if (this.#options.mode === "read" && steadyNow() - this.#checkedAt > READER_LAG_MS / 2) {
      await this.#check()
    }
    return this.#opened
  }

  async #reopenIfChanged(): Promise<void> {
    const manifest = await readManifest(this.#options.dir)
    if (manifest) refuseOtherEmbedder(manifest, this.#options.embedder)
    if (!manifest) {
      refuseLostManifest(this.#options.dir)
      this.#opened = null
    } else {
      const { dir } = this.#options
      const isRenewed = await this.#renewConnection(manifest)
      const same = !isRenewed && this.#opened?.manifest.vectors === manifest.vectors
      const tables = same ? this.#opened!.tables : await this.#openToRead(manifest)
      const frequencies = (await this.#opened?.frequencies.newest(dir)) ?? (await TermFrequencies.load(dir))
      const knownTerms = (await this.#opened?.knownTerms.newest(dir)) ?? (await KnownTerms.load(dir))
      this.#opened = { manifest, tables, frequencies, knownTerms }
    }
    this.#checkedAt = steadyNow()
  }

  /**
   * Starts with an empty cache once the old one contains too much data from replaced indices. Calls in progress
   * continue with their tables; nothing is closed here, since an export can keep reading for an hour: unused tables
   * are garbage-collected.
   */
  async #renewConnection({ vectors }: Manifest): Promise<boolean> {
    if (steadyNow() - this.#lookedAt < LOOK_FOR_LEFT_MS) return false
    this.#lookedAt = steadyNow()
    if ((await this.#leftIndices.count([PAGES_TABLE, vectors])) < MOST_LEFT_INDICES) return false
    this.#leftIndices = new LeftIndices(this.#options.dir)
    this.#connection = await connectTo(this.#options.dir, READER_LAG_MS, this.#options.cacheMb)
    return true
  }

  /** Leaves out the vectors if their table can't be opened. */
  async #openToRead(manifest: Manifest): Promise<Tables> {
    const { dir, onProblem } = this.#options
    const store = PageStore.open(dir, this.#tellDamage)
    try {
      const pages = await openTable(this.#connection, dir, PAGES_TABLE)
      const vectors = await openTable(this.#connection, dir, manifest.vectors).catch((error: unknown) => {
        onProblem?.(error)
        return noVectors(manifest)
      })
      return { pages, vectors, store }
    } catch (error) {
      store[Symbol.dispose]()
      throw error
    }
  }

  #writing(): Writer {
    if (this.#writer) return this.#writer
    throw new EngineError("READ_ONLY", "This index was opened for reading; only the crawler writes to it.")
  }
}

const textsOf = (page: Pick<PageRow, "title" | "passages">): string[] =>
  passagesOf(page).map((passage) => embeddingText(page.title, passage))

const missingIn = (known: readonly string[], found: readonly string[]): string[] =>
  [...new Set(found)].filter((one) => !known.includes(one))
/** @throws EngineError `INDEX_DAMAGED` when there are pages but no manifest that says how they are indexed */
function refuseLostManifest(dir: string): void {
  if (!existsSync(path.join(dir, PAGES_DB))) return
  using store = PageStore.make(dir)
  if (store.count > 0) throw damagedFile(dir, MANIFEST, "is missing")
}

/** Vectors that came with their page; empty if they don't match it. */
function readyVectors({ vectors, ...row }: IndexedRow, dimensions: number): PageVectors[] {
  const fits = vectors?.length === row.passage_count && vectors.every(({ length }) => length === dimensions)
  return vectors && fits && vectors.length > 0 ? [{ page: row, vectors }] : []
}

async function pagesByLanguage({ pages }: Tables): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for await (const batch of pages.query().where(FIRST_SECTION).select(["language"])) {
    for (const language of batch.getChild("language") as Iterable<string | null>) {
      counts.set(language ?? "", (counts.get(language ?? "") ?? 0) + 1)
    }
  }
  return counts
}

/** Drops the readers from a filter as long as no page has readers. */
function filterFor({ manifest }: Opened, filter: PageFilter = {}): PageFilter {
  if (manifest.holdsReaders) return filter
  const { readers: _readers, ...others } = filter
  return others
}

async function pagesByReaders({ pages }: Tables, hasReaders: boolean): Promise<PagesOfReaders[]> {
  const counts = new Map<string, Map<string | null, number>>()
  const found = pages
    .query()
    .where(FIRST_SECTION)
    .select(hasReaders ? ["source", READERS] : ["source"])
  for await (const batch of batchesOf<Pick<PageRow, "source"> & Partial<Pick<PageRow, "readers">>>(found)) {
    for (const { source, readers: label = null } of batch) {
      const ofSource = counts.get(source) ?? new Map<string | null, number>()
      counts.set(source, ofSource.set(label, (ofSource.get(label) ?? 0) + 1))
    }
  }
  return Array.from(counts, ([source, labels]) =>
    Array.from(labels, ([label, count]) => ({ sources: sourcesIn(source), label, pages: count })),
  ).flat()
}

async function sumOfPassages({ pages }: Tables): Promise<number> {
  let sum = 0
  for await (const batch of pages.query().select(["passage_count"])) {
    for (const count of batch.getChild("passage_count") as Iterable<number>) sum += count
  }
  return sum
}

/** LanceDB throws plain Errors; errors caused by the caller, and the caller's own abort signal, are passed on unchanged. */
function asEngineError(given: unknown, dir: string): unknown {
  if (isDamagedSqlite(given)) return damagedFile(dir, PAGES_DB, "is damaged", { cause: given })
  const error = unwritableOr(given, dir)
  const native = error instanceof Error && error.name === "Error"
  if (!native || error instanceof EngineError) return error
  return new EngineError("ENGINE_UNAVAILABLE", `The index cannot be used: ${error.message.split("\n")[0]}`, {
    cause: error,
  })
}

import path from "node:path"
import type { Embedder } from "../../embedder.ts"
import { embeddingText } from "../../text/passages.ts"
import { AskedPagesReader } from "../../lifecycle/filling/asked-pages.ts"
import { FirstSourceReader } from "../../lifecycle/filling/first-source.ts"
import { type PageToFill, fill } from "../../lifecycle/filling/filling.ts"
import { FillingRate } from "../../lifecycle/filling/filling-rate.ts"
import { KnownVectors } from "../../lifecycle/filling/known-vectors.ts"
import { QuestionsAskedReader } from "../../lifecycle/filling/questions-asked.ts"
import { Settling } from "../../lifecycle/filling/settling.ts"
import { type Urgency, WaitingPages } from "../../lifecycle/filling/waiting-pages.ts"
import { isIn } from "./filter.ts"
import { batchesOf, readRows } from "./lance/rows.ts"
import { passagesOf } from "../../index/page-record.ts"
import { FILTER_COLUMNS, FIRST_SECTION, type PageVectors, vectorsTable } from "./lance/schema.ts"
import { pause } from "#base/flow/pause.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { IndexedPage, Tables } from "./lance/tables.ts"

/** Files through which a writer and its readers exchange information about vectors. */
export const RATE_FILE = "filling.json"
export const ASKED_FILE = "asked-pages.json"

/** How many pages and texts are processed at a time: the texts of the longest pages are a megabyte. */
const TAKEN_AT_A_TIME = { pages: 32, passages: 128 }
const DELETE_AT_A_TIME = 500
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 60_000

type FilledRow = PageVectors["page"]

export interface EmbedQueueOptions {
  /** The index folder. */
  readonly dir: string
  /** As in {@link EmbeddedEngineOptions.dataDir}. */
  readonly dataDir?: string | undefined
  readonly tables: Tables
  /** Writes to the vectors table go through this, one at a time. */
  readonly writes: Serial
  readonly embedder: Embedder
  /** If false, pages wait for an engine that embeds; vectors of replaced pages are still deleted. */
  readonly embeds: boolean
  /** Called after each commit with the number of rows, or the number of pages whose rows were deleted. */
  readonly onChange: (rows: number) => void
  readonly onProblem: (error: unknown) => void
}

/**
 * Creates the vectors of pages in the background.
 *
 * The queue isn't a separate list: a page is waiting if it has no vectors for its revision. That is read from the two
 * tables when the index is opened and tracked in memory from then on, so the queue always agrees with them, whenever
 * the process dies.
 */
export class EmbedQueue implements AsyncDisposable {
  /** Vectors of texts that might occur again. */
  readonly known = new KnownVectors()
  readonly #options: EmbedQueueOptions
  readonly #waiting = new WaitingPages()
  /** The revision that has vectors, by page id. */
  readonly #embedded = new Map<string, number>()
  /** Pages with vectors of another revision, or without vectors. */
  readonly #stale = new Set<string>()
  readonly #rate: FillingRate
  readonly #asked: AskedPagesReader
  readonly #first: FirstSourceReader
  readonly #questions: QuestionsAskedReader
  readonly #stop = new AbortController()
  #wake = Promise.withResolvers<void>()
  readonly #settling = new Settling()
  #work: Promise<void> | undefined

  private constructor(options: EmbedQueueOptions) {
    this.#options = options
    this.#rate = new FillingRate(path.join(options.dir, RATE_FILE))
    this.#asked = new AskedPagesReader(path.join(options.dir, ASKED_FILE))
    const { dataDir } = options
    this.#first = new FirstSourceReader(dataDir)
    this.#questions = new QuestionsAskedReader(dataDir)
  }

  /** @param indexed the pages as stored in their table. */
  static async open(
    indexed: ReadonlyMap<string, IndexedPage>,
    options: EmbedQueueOptions,
  ): Promise<EmbedQueue> {
    const queue = new EmbedQueue(options)
    await queue.#derive(indexed)
    queue.#work = queue.#run()
    return queue
  }

  /** Number of pages without vectors for their revision. */
  get size(): number {
    return this.#waiting.size
  }

  /** Number of passages on the pages without vectors for their revision. */
  get passages(): number {
    return this.#waiting.passages
  }

  /** As in {@link EngineStats.vectorsPerSecond}. */
  get perSecond(): number | null {
    return this.#rate.perSecond
  }

  /** Records that pages were written. */
  add(pages: readonly IndexedPage[]): void {
    for (const { id, revision, passage_count: passages, source } of pages) {
      if (this.#embedded.get(id) === revision) {
        this.#waiting.delete(id)
        continue
      }
      const hadVectors = this.#embedded.delete(id)
      if (hadVectors) this.#stale.add(id)
      const waited = this.#waiting.revisionOf(id)
      const isChanged = hadVectors || (waited !== undefined && waited !== revision)
      if (passages === 0) this.#waiting.delete(id)
      else this.#waiting.add({ id, revision, passages, source }, isChanged ? "changed" : "new")
    }
    this.#changed()
  }

  /** Commits vectors that were created elsewhere, for pages that are about to be written. */
  async adopt(pages: readonly PageVectors[]): Promise<void> {
    const { tables, writes, embedder, onChange } = this.#options
    const unknown = pages.filter(({ page }) => this.#embedded.get(page.id) !== page.revision)
    if (unknown.length === 0) return
    await writes.run(async () => {
      const table = vectorsTable(unknown, embedder.dimensions)
      await tables.vectors.add(table)
      for (const { page } of unknown) {
        if (this.#embedded.has(page.id)) this.#stale.add(page.id)
        this.#embedded.set(page.id, page.revision)
      }
      onChange(table.numRows)
    })
  }

  /** Records that pages were removed. */
  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#waiting.delete(id)
      if (this.#embedded.delete(id)) this.#stale.add(id)
    }
    this.#changed()
  }

  /**
   * Resolves when no pages are waiting and no vectors of removed pages are left, or at once if this queue doesn't
   * embed; rejects if it is closed first.
   */
  settled(): Promise<void> {
    if (this.#isSettled || !this.#options.embeds) return Promise.resolve()
    return this.#settling.wait()
  }

  /** Stops after the current embedding and commits the finished vectors. The remaining pages keep waiting in the tables. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("The engine is being closed."))
    this.#wake.resolve()
    await this.#work
    await this.#endTelling()
    if (!this.#isSettled) {
      this.#settling.giveUp(new Error("The engine was closed before every page had its vectors."))
    }
  }

  async #derive(indexed: ReadonlyMap<string, IndexedPage>): Promise<void> {
    const current = new Set<string>()
    const { vectors } = this.#options.tables
    const made = vectors.query().select(["page", "revision"]).where("position = 0")
    for await (const batch of batchesOf<{ page: string; revision: number }>(made)) {
      for (const { page, revision } of batch) {
        if (indexed.get(page)?.revision === revision) {
          current.add(page)
          this.#embedded.set(page, revision)
        } else if (this.#embedded.get(page) !== revision) {
          this.#stale.add(page)
        }
      }
    }
    for (const { id, revision, passage_count: passages, source } of indexed.values()) {
      if (passages === 0 || current.has(id)) continue
      this.#waiting.add({ id, revision, passages, source }, this.#stale.has(id) ? "changed" : "new")
    }
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS
    while (!this.#stop.signal.aborted) {
      const wake = this.#wake
      try {
        await this.#deleteStale()
        if (this.#options.embeds && this.#waiting.size > 0) await this.#fill()
        else if (this.#stale.size === 0) await wake.promise
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (this.#stop.signal.aborted) break
        this.#options.onProblem(error)
        await pause(retryMs, this.#stop.signal)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  async #fill(): Promise<void> {
    this.#rate.begin()
    await fill<FilledRow>({
      embedder: this.#options.embedder,
      known: this.known,
      signal: this.#stop.signal,
      take: (inHand, moreUrgentThan) => this.#take(inHand, moreUrgentThan),
      mayWait: (inHand, urgency) => this.#waiting.next({ pages: 1, passages: 1 }, inHand, urgency).length > 0,
      areAsked: () => this.#questions.areAsked(),
      commit: (pages) => this.#commit(pages),
      onVectors: (passages) => this.#rate.count(passages),
      onFailed: (ids) => this.#waiting.putBack(ids),
    })
    // A page can enter or leave the tables a moment before the queue learns of it.
    if (this.#waiting.size > 0) await pause(20, this.#stop.signal)
    else await this.#endTelling()
  }

  async #endTelling(): Promise<void> {
    await this.#rate.end()
    await this.#questions.end()
  }

  async #take(
    inHand: ReadonlyMap<string, number>,
    moreUrgentThan: Urgency | undefined,
  ): Promise<PageToFill<FilledRow>[]> {
    this.#waiting.preferSource(await this.#first.latest())
    this.#waiting.askFor(await this.#asked.news())
    const taken = new Map(
      this.#waiting.next(TAKEN_AT_A_TIME, inHand, moreUrgentThan).map((page) => [page.id, page]),
    )
    if (taken.size === 0) return []
    const { pages: table, store } = this.#options.tables
    const columns = ["id", "revision", ...FILTER_COLUMNS]
    const ids = [...taken.keys()]
    const rows = await readRows<FilledRow>(
      table
        .query()
        .where(`${isIn("id", ids)} AND ${FIRST_SECTION}`)
        .select(columns),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    const stored = new Map(store.read(ids).map((page) => [page.id, page]))
    return ids.flatMap((id) => {
      const { revision, urgency } = taken.get(id)!
      const page = stored.get(id)
      const row = found.get(id)
      // One table can be one write ahead of the other: the page will be queued again with its new revision.
      if (page?.revision !== revision || row?.revision !== revision) return []
      const texts = passagesOf(page).map((passage) => embeddingText(page.title, passage))
      return { id, revision, urgency, page: row, texts }
    })
  }

  async #commit(embedded: readonly PageVectors[]): Promise<void> {
    const { tables, writes, embedder, onChange } = this.#options
    await writes.run(async () => {
      // A page that was replaced in the meantime is waiting again, with its new revision.
      const current = embedded.filter(({ page }) => this.#waiting.revisionOf(page.id) === page.revision)
      if (current.length === 0) return
      const table = vectorsTable(current, embedder.dimensions)
      await tables.vectors.add(table)
      for (const { page } of current) {
        if (this.#waiting.revisionOf(page.id) === page.revision) {
          this.#waiting.delete(page.id)
          this.#embedded.set(page.id, page.revision)
        } else {
          this.#stale.add(page.id)
        }
      }
      onChange(table.numRows)
    })
    // The first fill takes a long time, and pages change while it is running.
    await this.#deleteStale()
    this.#changed()
  }

  async #deleteStale(): Promise<void> {
    const { tables, writes, onChange } = this.#options
    while (this.#stale.size > 0 && !this.#stop.signal.aborted) {
      const ids = [...this.#stale].slice(0, DELETE_AT_A_TIME)
      await writes.run(async () => {
        const kept = ids.flatMap((id) => this.#embedded.get(id) ?? [])
        const others = kept.length > 0 ? ` AND NOT (${isIn("revision", kept)})` : ""
        await tables.vectors.delete(isIn("page", ids) + others)
      })
      for (const id of ids) this.#stale.delete(id)
      onChange(ids.length)
      this.#changed()
    }
  }

  get #isSettled(): boolean {
    return this.#waiting.size === 0 && this.#stale.size === 0
  }

  #changed(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
    if (this.#isSettled) this.#settling.settle()
  }
}

import { type Embedder, TEXTS_AT_A_TIME } from "../../embedder.ts"
import { embeddingText } from "../../text/passages.ts"
import { isIn } from "./filter.ts"
import { batchesOf, readRows } from "./lance/rows.ts"
import { type PageRow, passagesOf } from "../../index/page-record.ts"
import { FILTER_COLUMNS, FIRST_SECTION, type PageVectors, vectorsTable } from "./lance/schema.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { IndexedPage, Tables } from "./lance/tables.ts"
import { steadyNow } from "#base/steady-time.ts"

/** A commit costs tens of milliseconds and leaves a small file: vectors are committed in batches. */
const COMMIT_AT = 512
const COMMIT_WITHIN_MS = 10_000
const DELETE_AT_A_TIME = 500
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 60_000

type EmbeddablePage = PageVectors["page"] & Pick<PageRow, "title" | "passages">

export interface EmbedQueueOptions {
  readonly tables: Tables
  /** Writes to the table of vectors go through this, one at a time. */
  readonly writes: Serial
  readonly embedder: Embedder
  /** False: pages wait for an engine that embeds; vectors of replaced pages are still deleted. */
  readonly embeds: boolean
  /** Called with the number of rows after each commit. */
  readonly onCommit: (rows: number) => void
  readonly onProblem: (error: unknown) => void
}

/**
 * Makes the vectors of pages in the background.
 *
 * The queue is no list of its own: what waits is what has no vectors of its revision, read from the two
 * tables when the index is opened and followed in memory from then on. So it can never disagree with them,
 * whenever the process dies.
 */
export class EmbedQueue implements AsyncDisposable {
  readonly #options: EmbedQueueOptions
  /** Page id to the revision that waits. */
  readonly #waiting = new Map<string, number>()
  /** Page id to the revision that has vectors. */
  readonly #embedded = new Map<string, number>()
  /** Pages with vectors of another revision, or of none. */
  readonly #stale = new Set<string>()
  readonly #stop = new AbortController()
  #wake = Promise.withResolvers<void>()
  #settled: PromiseWithResolvers<void> | undefined
  #work: Promise<void> | undefined

  private constructor(options: EmbedQueueOptions) {
    this.#options = options
  }

  /** @param indexed the pages as they are in their table. */
  static async open(
    indexed: ReadonlyMap<string, IndexedPage>,
    options: EmbedQueueOptions,
  ): Promise<EmbedQueue> {
    const queue = new EmbedQueue(options)
    await queue.#derive(indexed)
    queue.#work = queue.#run()
    return queue
  }

  /** Pages without vectors of their revision. */
  get size(): number {
    return this.#waiting.size
  }

  /** Takes note of pages that were written. */
  add(pages: readonly IndexedPage[]): void {
    for (const { id, revision, passage_count } of pages) {
      if (this.#embedded.get(id) === revision) {
        this.#waiting.delete(id)
        continue
      }
      if (this.#embedded.delete(id)) this.#stale.add(id)
      if (passage_count === 0) this.#waiting.delete(id)
      else this.#waiting.set(id, revision)
    }
    this.#changed()
  }

  /** Commits vectors that were made elsewhere, of pages that are about to be written. */
  async adopt(pages: readonly PageVectors[]): Promise<void> {
    const { tables, writes, embedder, onCommit } = this.#options
    const unknown = pages.filter(({ page }) => this.#embedded.get(page.id) !== page.revision)
    if (unknown.length === 0) return
    await writes.run(async () => {
      const table = vectorsTable(unknown, embedder.dimensions)
      await tables.vectors.add(table)
      for (const { page } of unknown) {
        if (this.#embedded.has(page.id)) this.#stale.add(page.id)
        this.#embedded.set(page.id, page.revision)
      }
      onCommit(table.numRows)
    })
  }

  /** Takes note of pages that were removed. */
  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.#waiting.delete(id)
      if (this.#embedded.delete(id)) this.#stale.add(id)
    }
    this.#changed()
  }

  /** Resolves when no page waits, or at once when this queue does not embed; rejects when closed before. */
  settled(): Promise<void> {
    if (this.#waiting.size === 0 || !this.#options.embeds) return Promise.resolve()
    this.#settled ??= Promise.withResolvers()
    return this.#settled.promise
  }

  /** Stops after the embedding under way and commits what is embedded. Queued pages wait in the tables. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("The engine is being closed."))
    this.#wake.resolve()
    await this.#work
    if (this.#waiting.size > 0) {
      this.#settled?.promise.catch(() => undefined)
      this.#settled?.reject(new Error("The engine was closed before every page had its vectors."))
    }
  }

  async #derive(indexed: ReadonlyMap<string, IndexedPage>): Promise<void> {
    for (const { id, revision, passage_count } of indexed.values()) {
      if (passage_count > 0) this.#waiting.set(id, revision)
    }
    const { vectors } = this.#options.tables
    const made = vectors.query().select(["page", "revision"]).where("position = 0")
    for await (const batch of batchesOf<{ page: string; revision: number }>(made)) {
      for (const { page, revision } of batch) {
        if (this.#waiting.get(page) === revision) {
          this.#waiting.delete(page)
          this.#embedded.set(page, revision)
        } else if (this.#embedded.get(page) !== revision) {
          this.#stale.add(page)
        }
      }
    }
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS
    while (!this.#stop.signal.aborted) {
      const wake = this.#wake
      try {
        await this.#deleteStale()
        if (this.#options.embeds && this.#waiting.size > 0) await this.#embedSome()
        else if (this.#stale.size === 0) await wake.promise
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (this.#stop.signal.aborted) break
        this.#options.onProblem(error)
        await this.#pause(retryMs)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  /** Embeds waiting pages until a batch is full, the queue is empty or it takes too long, then commits. */
  async #embedSome(): Promise<void> {
    const until = steadyNow() + COMMIT_WITHIN_MS
    const done: PageVectors[] = []
    const tried = new Set<string>()
    let rows = 0
    try {
      while (rows < COMMIT_AT && steadyNow() < until && !this.#stop.signal.aborted) {
        const pages = await this.#takePages(tried)
        // A page may be in the tables or out of them a moment before the queue is told.
        if (pages.length === 0) {
          if (done.length === 0) await this.#pause(20)
          break
        }
        for (const one of await this.#embed(pages)) {
          done.push(one)
          rows += one.vectors.length
        }
      }
    } finally {
      await this.#commit(done)
    }
  }

  async #takePages(tried: Set<string>): Promise<EmbeddablePage[]> {
    const ids: string[] = []
    for (const id of this.#waiting.keys()) {
      if (tried.has(id)) continue
      ids.push(id)
      if (ids.length === 16) break
    }
    if (ids.length === 0) return []
    for (const id of ids) tried.add(id)
    const { pages: table, store } = this.#options.tables
    const columns = ["id", "revision", ...FILTER_COLUMNS]
    const rows = await readRows<PageVectors["page"]>(
      table
        .query()
        .where(`${isIn("id", ids)} AND ${FIRST_SECTION}`)
        .select(columns),
    )
    const stored = new Map(store.read(ids).map((page) => [page.id, page]))
    return rows.flatMap((row) => {
      const page = stored.get(row.id)
      // One of them may be a write ahead of the other: the page comes again with its new revision.
      if (page?.revision !== row.revision || this.#waiting.get(row.id) !== row.revision) return []
      return { ...row, title: page.title, passages: page.passages }
    })
  }

  async #embed(pages: readonly EmbeddablePage[]): Promise<PageVectors[]> {
    const texts = pages.map((page) => passagesOf(page).map((passage) => embeddingText(page.title, passage)))
    const vectors: Float32Array[] = []
    const all = texts.flat()
    for (let at = 0; at < all.length; at += TEXTS_AT_A_TIME) {
      const some = all.slice(at, at + TEXTS_AT_A_TIME)
      const options = { priority: "index", signal: this.#stop.signal } as const
      vectors.push(...(await this.#options.embedder.embed(some, options)))
    }
    let from = 0
    return pages.map(({ title: _title, passages: _passages, ...page }, i) => ({
      page,
      vectors: vectors.slice(from, (from += texts[i]!.length)),
    }))
  }

  async #commit(embedded: readonly PageVectors[]): Promise<void> {
    const { tables, writes, embedder, onCommit } = this.#options
    await writes.run(async () => {
      // A page that was replaced meanwhile waits again, with its new revision.
      const current = embedded.filter(({ page }) => this.#waiting.get(page.id) === page.revision)
      if (current.length === 0) return
      const table = vectorsTable(current, embedder.dimensions)
      await tables.vectors.add(table)
      for (const { page } of current) {
        if (this.#waiting.get(page.id) === page.revision) {
          this.#waiting.delete(page.id)
          this.#embedded.set(page.id, page.revision)
        } else {
          this.#stale.add(page.id)
        }
      }
      onCommit(table.numRows)
    })
    this.#changed()
  }

  async #deleteStale(): Promise<void> {
    const { tables, writes } = this.#options
    while (this.#stale.size > 0 && !this.#stop.signal.aborted) {
      const ids = [...this.#stale].slice(0, DELETE_AT_A_TIME)
      await writes.run(async () => {
        const kept = ids.flatMap((id) => this.#embedded.get(id) ?? [])
        const others = kept.length > 0 ? ` AND NOT (${isIn("revision", kept)})` : ""
        await tables.vectors.delete(isIn("page", ids) + others)
      })
      for (const id of ids) this.#stale.delete(id)
    }
  }

  #changed(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
    if (this.#waiting.size > 0) return
    this.#settled?.resolve()
    this.#settled = undefined
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#stop.signal.addEventListener("abort", () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }
}

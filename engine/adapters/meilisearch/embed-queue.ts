import { type Embedder, TEXTS_AT_A_TIME } from "../../embedder.ts"
import { embeddingText } from "../../text/passages.ts"
import {
  FILTER_FIELDS,
  PASSAGE_FIELDS,
  type PageDocument,
  passagesIn,
  toPassageDocuments,
} from "./server/documents.ts"
import { all, arePages } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import { writeVectors } from "./page-writer.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { Server } from "./server/server.ts"
import { steadyNow } from "#base/steady-time.ts"

const PAGES_AT_A_TIME = 16
/** A task costs the server tens of milliseconds whatever it holds: vectors are written in batches. */
const COMMIT_AT = 512
const COMMIT_WITHIN_MS = 10_000
/** Pages that are written one after the other are embedded together, when none came for so long. */
const QUIET_MS = 100
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 60_000

const TAKEN = ["id", "revision", "replaced", "passage_count", ...FILTER_FIELDS] as const
type TakenPage = Pick<PageDocument, (typeof TAKEN)[number]>

interface EmbeddedPage {
  readonly page: TakenPage
  readonly vectors: readonly Float32Array[]
}

export interface EmbedQueueOptions {
  readonly server: Server
  readonly indexes: Indexes
  /** Writes go through this, one at a time. */
  readonly writes: Serial
  readonly embedder: Embedder
  /** False: pages wait for an engine that embeds. */
  readonly embeds: boolean
  readonly onWritten: () => void
  readonly onProblem: (error: unknown) => void
}

/**
 * Makes the vectors of pages in the background. The queue is on the server: the pages that say of themselves that they
 * wait. They stop to say so after their vectors are there, so whatever dies in between is done again.
 */
export class EmbedQueue implements AsyncDisposable {
  readonly #options: EmbedQueueOptions
  readonly #stop = new AbortController()
  #wake = Promise.withResolvers<void>()
  #settled: PromiseWithResolvers<void> | undefined
  /** Whether pages may have come since the server was asked for those that wait. */
  #mayWait = true
  /** Whether the server was asked since, and none waits. */
  #idle = false
  #writtenAt = -Infinity
  readonly #work: Promise<void>

  constructor(options: EmbedQueueOptions) {
    this.#options = options
    this.#work = options.embeds ? this.#run() : Promise.resolve()
  }

  /** Told whenever pages were written. */
  wake(): void {
    this.#writtenAt = performance.now()
    this.#mayWait = true
    this.#idle = false
    this.#wake.resolve()
  }

  /** Resolves when no page waits, or at once when this queue does not embed; rejects when closed before. */
  settled(): Promise<void> {
    if (this.#idle || !this.#options.embeds) return Promise.resolve()
    this.#settled ??= Promise.withResolvers()
    return this.#settled.promise
  }

  /** Stops after the embedding under way and writes what is embedded. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("The engine is being closed."))
    this.#wake.resolve()
    await this.#work
    this.#settled?.promise.catch(() => undefined)
    this.#settled?.reject(this.#stop.signal.reason)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let wait = FIRST_RETRY_MS
    while (!signal.aborted) {
      try {
        await this.#quiet()
        await this.#embedSome()
        wait = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        this.#options.onProblem(error)
        await this.#pause(wait)
        wait = Math.min(LAST_RETRY_MS, wait * 2)
      }
      if (this.#mayWait) continue
      this.#idle = true
      this.#settled?.resolve()
      this.#settled = undefined
      await this.#wake.promise
    }
  }

  async #quiet(): Promise<void> {
    const until = performance.now() + COMMIT_WITHIN_MS
    for (;;) {
      const now = performance.now()
      const left = Math.min(until, this.#writtenAt + QUIET_MS) - now
      if (left <= 0 || this.#stop.signal.aborted) return
      await this.#pause(left)
    }
  }

  /** Takes pages and embeds them until there are enough to write, or no more. */
  async #embedSome(): Promise<void> {
    const until = steadyNow() + COMMIT_WITHIN_MS
    const done: EmbeddedPage[] = []
    let count = 0
    try {
      while (count < COMMIT_AT && steadyNow() < until && !this.#stop.signal.aborted) {
        this.#mayWait = false
        this.#wake = Promise.withResolvers()
        const pages = await this.#take(done.map(({ page }) => page.id))
        if (pages.length === 0) break
        this.#mayWait = true
        for (const one of await this.#embed(pages)) {
          done.push(one)
          count += one.vectors.length
        }
      }
    } catch (error) {
      this.#mayWait = true
      throw error
    } finally {
      if (done.length > 0) {
        await this.#commit(done)
        // Those that were replaced meanwhile were left out when others were taken.
        this.#mayWait = true
      }
    }
  }

  async #take(without: readonly string[]): Promise<TakenPage[]> {
    const rules = without.length > 0 ? [`NOT ${arePages(without)}`] : []
    const { results } = await this.#options.indexes.pages.getDocuments({
      filter: all(["waiting = true", ...rules])!,
      fields: [...TAKEN],
      limit: PAGES_AT_A_TIME,
    })
    return results
  }

  async #embed(pages: readonly TakenPage[]): Promise<EmbeddedPage[]> {
    const { results } = await this.#options.indexes.texts.getDocuments({
      ids: pages.map(({ id }) => id),
      filter: [],
      fields: ["id", "revision", "title", ...(PASSAGE_FIELDS as never[])],
      limit: pages.length,
    })
    const texts = new Map(results.map((text) => [text.id, text]))
    const embedded: EmbeddedPage[] = []
    for (const page of pages) {
      const text = texts.get(page.id)
      // Replaced since it was taken: it waits with its new revision.
      if (text?.revision !== page.revision) continue
      const passages = [...passagesIn(text).values()].map((one) => embeddingText(text.title, one))
      const vectors: Float32Array[] = []
      for (let at = 0; at < passages.length; at += TEXTS_AT_A_TIME) {
        const some = passages.slice(at, at + TEXTS_AT_A_TIME)
        const options = { priority: "index", signal: this.#stop.signal } as const
        vectors.push(...(await this.#options.embedder.embed(some, options)))
      }
      embedded.push({ page, vectors })
    }
    if (embedded.length === 0) await this.#pause(20)
    return embedded
  }

  async #commit(embedded: readonly EmbeddedPage[]): Promise<void> {
    const { server, indexes, writes, onWritten } = this.#options
    await writes.run(async () => {
      const waiting = await this.#stillWaiting(embedded)
      if (waiting.length === 0) return
      const replaced = waiting.filter(({ page }) => page.replaced).map(({ page }) => page.id)
      if (replaced.length > 0) {
        await server.done(indexes.passages.deleteDocuments({ filter: arePages(replaced) }))
      }
      await writeVectors(
        server,
        indexes,
        waiting.flatMap(({ page, vectors }) => toPassageDocuments(page, vectors)),
      )
      const updates = waiting.map(({ page: { id } }) => ({ id, waiting: false, replaced: false }))
      await server.done(indexes.pages.updateDocuments(updates))
      onWritten()
    })
  }

  /** Those that were not replaced or removed meanwhile. */
  async #stillWaiting(embedded: readonly EmbeddedPage[]): Promise<EmbeddedPage[]> {
    const { results } = await this.#options.indexes.pages.getDocuments({
      ids: embedded.map(({ page }) => page.id),
      filter: [],
      fields: ["id", "revision", "replaced", "waiting"],
      limit: embedded.length,
    })
    const now = new Map(results.map((page) => [page.id, page]))
    return embedded.flatMap(({ page, vectors }) => {
      const { revision, waiting, replaced = false } = now.get(page.id) ?? {}
      return waiting && revision === page.revision ? [{ page: { ...page, replaced }, vectors }] : []
    })
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#stop.signal.addEventListener("abort", () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }
}

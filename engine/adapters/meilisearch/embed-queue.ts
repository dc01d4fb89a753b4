import type { Embedder } from "../../embedder.ts"
import { embeddingText } from "../../text/passages.ts"
import { AskedPagesReader } from "../../filling/asked-pages.ts"
import { type FilledPage, type PageToFill, fill } from "../../filling/filling.ts"
import { FirstSourceReader } from "../../filling/first-source.ts"
import { FillingRate } from "../../filling/filling-rate.ts"
import { KnownVectors } from "../../filling/known-vectors.ts"
import { type Urgency, byUrgency } from "../../filling/waiting-pages.ts"
import {
  FILTER_FIELDS,
  PASSAGE_FIELDS,
  type PageDocument,
  passagesIn,
  toPassageDocuments,
} from "./server/documents.ts"
import { all, arePages, filterOf } from "./filter.ts"
import type { Indexes } from "./server/indexes.ts"
import { writeVectors } from "./page-writer.ts"
import { pause } from "#base/flow/pause.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { Server } from "./server/server.ts"

const PAGES_AT_A_TIME = 16
/** Pages that are written one after the other are embedded together, when none came for so long. */
const QUIET_MS = 100
const QUIET_WITHIN_MS = 10_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 60_000
/** Pages that go first, by their ids; those beyond it wait for their turn. */
const MOST_URGENT = 10_000

const TAKEN = ["id", "revision", "replaced", "passage_count", ...FILTER_FIELDS] as const
type TakenPage = Pick<PageDocument, (typeof TAKEN)[number]>

/** Files through which a writer and the readers beside it tell each other of vectors. */
export interface FillingFiles {
  readonly rate: string
  readonly asked: string
  /** See `first-source.ts`; left out: no source goes first. */
  readonly firstSource?: string | undefined
}

export interface EmbedQueueOptions {
  readonly server: Server
  readonly indexes: Indexes
  readonly files: FillingFiles
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
  readonly #known = new KnownVectors()
  readonly #rate: FillingRate
  readonly #asked: AskedPagesReader
  readonly #first: FirstSourceReader
  /** Pages that may wait and go before others; the server knows nothing of that. */
  readonly #urgent = new Map<string, Urgency>()
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
    this.#rate = new FillingRate(options.files.rate)
    this.#asked = new AskedPagesReader(options.files.asked)
    this.#first = new FirstSourceReader(options.files.firstSource)
    this.#work = options.embeds ? this.#run() : Promise.resolve()
  }

  /** As in {@link EngineStats.vectorsPerSecond}. */
  get perSecond(): number | null {
    return this.#rate.perSecond
  }

  /** Told whenever pages were written, with those that said something else before. */
  wake(changed: readonly string[] = []): void {
    for (const id of changed) this.#hurry(id, "changed")
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
    await this.#rate.end()
    this.#settled?.promise.catch(() => undefined)
    this.#settled?.reject(this.#stop.signal.reason)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let wait = FIRST_RETRY_MS
    while (!signal.aborted) {
      try {
        await this.#quiet()
        await this.#fill()
        wait = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        this.#mayWait = true
        this.#options.onProblem(error)
        await pause(wait, this.#stop.signal)
        wait = Math.min(LAST_RETRY_MS, wait * 2)
      }
      if (this.#mayWait) continue
      this.#idle = true
      this.#urgent.clear()
      await this.#rate.end()
      this.#settled?.resolve()
      this.#settled = undefined
      // Closing wakes whoever waits now, not who begins to.
      if (!signal.aborted) await this.#wake.promise
    }
  }

  async #quiet(): Promise<void> {
    const until = performance.now() + QUIET_WITHIN_MS
    for (;;) {
      const now = performance.now()
      const left = Math.min(until, this.#writtenAt + QUIET_MS) - now
      if (left <= 0 || this.#stop.signal.aborted) return
      await pause(left, this.#stop.signal)
    }
  }

  async #fill(): Promise<void> {
    await fill<TakenPage>({
      embedder: this.#options.embedder,
      known: this.#known,
      signal: this.#stop.signal,
      take: (inHand, moreUrgentThan) => this.#take(inHand, moreUrgentThan),
      mayWait: (inHand, urgency) => this.#urgentIds(inHand, urgency).length > 0,
      commit: (pages) => this.#commit(pages),
      onVectors: (passages) => this.#rate.count(passages),
      onFailed: (ids) => ids.forEach((id) => this.#urgent.delete(id)),
    })
  }

  async #take(
    inHand: ReadonlyMap<string, number>,
    moreUrgentThan: Urgency | undefined,
  ): Promise<PageToFill<TakenPage>[]> {
    for (const id of await this.#asked.news()) this.#hurry(id, "asked")
    if (moreUrgentThan !== undefined) return await this.#takeUrgent(inHand, moreUrgentThan)
    if (!this.#mayWait) return []
    this.#mayWait = false
    this.#wake = Promise.withResolvers()
    const without = inHand.size > 0 ? [`NOT ${arePages([...inHand.keys()])}`] : []
    const { results, total } = await this.#waiting(all(["waiting = true", ...without])!)
    if (results.length === 0) return []
    this.#mayWait = true
    this.#rate.begin()
    const urgent = total > results.length ? await this.#takeUrgent(inHand) : []
    if (urgent.length > 0) return urgent
    const first = total > results.length ? await this.#ofFirstSource(without) : []
    return await this.#withTexts(first.length > 0 ? first : results)
  }

  async #ofFirstSource(without: readonly string[]): Promise<readonly TakenPage[]> {
    const source = await this.#first.latest()
    if (source === null) return []
    const ofSource = filterOf([{ sources: [source] }])!
    const { results } = await this.#waiting(all(["waiting = true", ofSource, ...without])!)
    return results
  }

  async #takeUrgent(
    inHand: ReadonlyMap<string, number>,
    moreUrgentThan?: Urgency,
  ): Promise<PageToFill<TakenPage>[]> {
    const ids = this.#urgentIds(inHand, moreUrgentThan)
    if (ids.length === 0) return []
    const { results } = await this.#waiting(all(["waiting = true", arePages(ids)])!)
    const pages = await this.#withTexts(results)
    // Those that do not wait have their vectors.
    for (const id of ids) this.#urgent.delete(id)
    return pages
  }

  /** The next ones of the highest urgency there is. */
  #urgentIds(inHand: ReadonlyMap<string, number>, moreUrgentThan: Urgency = "new"): string[] {
    const ids = new Map<Urgency, string[]>()
    for (const [id, urgency] of this.#urgent) {
      if (inHand.has(id) || byUrgency(urgency, moreUrgentThan) >= 0) continue
      const some = ids.get(urgency) ?? []
      if (some.push(id) === PAGES_AT_A_TIME && urgency === "changed") break
      ids.set(urgency, some)
    }
    return (ids.get("changed") ?? ids.get("asked") ?? []).slice(0, PAGES_AT_A_TIME)
  }

  #hurry(id: string, urgency: Urgency): void {
    if (this.#urgent.size < MOST_URGENT && this.#urgent.get(id) !== "changed") this.#urgent.set(id, urgency)
  }

  async #waiting(filter: string): Promise<{ results: TakenPage[]; total: number }> {
    return await this.#options.indexes.pages.getDocuments({
      filter,
      fields: [...TAKEN],
      limit: PAGES_AT_A_TIME,
    })
  }

  async #withTexts(pages: readonly TakenPage[]): Promise<PageToFill<TakenPage>[]> {
    const { results } = await this.#options.indexes.texts.getDocuments({
      ids: pages.map(({ id }) => id),
      filter: [],
      fields: ["id", "revision", "title", ...(PASSAGE_FIELDS as never[])],
      limit: pages.length,
    })
    const texts = new Map(results.map((text) => [text.id, text]))
    const taken = pages.flatMap((page) => {
      const text = texts.get(page.id)
      // Replaced since it was taken: it waits with its new revision.
      if (text?.revision !== page.revision) return []
      const passages = [...passagesIn(text).values()].map((one) => embeddingText(text.title, one))
      const { id, revision } = page
      return [{ id, revision, urgency: this.#urgent.get(id) ?? "new", page, texts: passages }] as const
    })
    if (taken.length === 0 && pages.length > 0) await pause(20, this.#stop.signal)
    return taken
  }

  async #commit(embedded: readonly FilledPage<TakenPage>[]): Promise<void> {
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
    // Those that were replaced meanwhile were left out when others were taken.
    this.#mayWait = true
  }

  /** Those that were not replaced or removed meanwhile. */
  async #stillWaiting(embedded: readonly FilledPage<TakenPage>[]): Promise<FilledPage<TakenPage>[]> {
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
}

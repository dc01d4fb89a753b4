import type { Embedder } from "../../embedder.ts"
import { AskedPagesReader } from "../../lifecycle/filling/asked-pages.ts"
import { type FilledPage, type PageToFill, fill } from "../../lifecycle/filling/filling.ts"
import { FirstSourceReader } from "../../lifecycle/filling/first-source.ts"
import { FillingRate } from "../../lifecycle/filling/filling-rate.ts"
import { KnownVectors } from "../../lifecycle/filling/known-vectors.ts"
import { QuestionsAskedReader } from "../../lifecycle/filling/questions-asked.ts"
import { Settling } from "../../lifecycle/filling/settling.ts"
import { type Urgency, byUrgency } from "../../lifecycle/filling/waiting-pages.ts"
import { pause } from "#base/flow/pause.ts"
import type { Serial } from "#base/flow/serial.ts"
import type { WaitingPage, WaitingStore } from "./backend.ts"

const PAGES_AT_A_TIME = 16
/** How long to wait for another page: pages written one after another are embedded together once none has arrived for this long. */
const QUIET_MS = 100
const QUIET_WITHIN_MS = 10_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 60_000
/** Maximum number of prioritized page ids; any others wait their turn. */
const MOST_URGENT = 10_000

/** Time after which to look again for pages that another process has claimed. */
const LOOK_AGAIN_MS = 1000

/** Files through which a writer and its readers exchange information about vectors. */
export interface FillingFiles {
  readonly rate: string
  readonly asked: string
  /** As in {@link ServerEngineOptions.dataDir}. */
  readonly dataDir?: string | undefined
}

export interface EmbedQueueOptions {
  readonly store: WaitingStore
  readonly files: FillingFiles
  /** Writes go through this, one at a time. */
  readonly writes: Serial
  readonly embedder: Embedder
  /** If false, pages wait for an engine that embeds. */
  readonly embeds: boolean
  readonly onWritten: () => void
  readonly onProblem: (error: unknown) => void
}

/**
 * Creates the vectors of pages in the background. The queue is stored on the server, with the pages, so interrupted
 * work is repeated.
 */
export class EmbedQueue implements AsyncDisposable {
  readonly #options: EmbedQueueOptions
  readonly #known = new KnownVectors()
  readonly #rate: FillingRate
  readonly #asked: AskedPagesReader
  readonly #first: FirstSourceReader
  readonly #questions: QuestionsAskedReader
  /** Pages that have priority, some of which may not be waiting; the server doesn't know about the priority. */
  readonly #urgent = new Map<string, Urgency>()
  readonly #stop = new AbortController()
  #wake = Promise.withResolvers<void>()
  readonly #settling = new Settling()
  /** Whether pages might have arrived since the server was last asked for waiting pages. */
  #mayWait = true
  /** Whether no pages were waiting when the server was last asked, and none can have arrived since. */
  #idle = false
  /** Whether pages are waiting that another process has claimed. */
  #isElsewhere = false
  #writtenAt = -Infinity
  readonly #work: Promise<void>

  constructor(options: EmbedQueueOptions) {
    this.#options = options
    this.#rate = new FillingRate(options.files.rate)
    this.#asked = new AskedPagesReader(options.files.asked)
    const { dataDir } = options.files
    this.#first = new FirstSourceReader(dataDir)
    this.#questions = new QuestionsAskedReader(dataDir)
    this.#work = options.embeds ? this.#run() : Promise.resolve()
  }

  /** As in {@link EngineStats.vectorsPerSecond}. */
  get perSecond(): number | null {
    return this.#rate.perSecond
  }

  /** Called whenever pages have been written, with those whose text changed. */
  wake(changed: readonly string[] = []): void {
    for (const id of changed) this.#hurry(id, "changed")
    this.#writtenAt = performance.now()
    this.#mayWait = true
    this.#idle = false
    this.#wake.resolve()
  }

  /** Resolves when no pages are waiting, or at once if this queue doesn't embed; rejects if it is closed first. */
  settled(): Promise<void> {
    if (this.#idle || !this.#options.embeds) return Promise.resolve()
    return this.#settling.wait()
  }

  /** Stops after the current embedding and writes the finished vectors. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("The engine is being closed."))
    this.#wake.resolve()
    await this.#work
    await this.#options.store[Symbol.asyncDispose]?.()
    await this.#endTelling()
    this.#settling.giveUp(this.#stop.signal.reason)
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
      if (this.#isElsewhere) {
        await pause(LOOK_AGAIN_MS, signal)
        this.#mayWait = true
      }
      if (this.#mayWait) continue
      this.#idle = true
      this.#urgent.clear()
      await this.#endTelling()
      this.#settling.settle()
      // Closing wakes current waiters, but not later ones.
      if (!signal.aborted) await this.#awaken()
    }
  }

  /** Waits until pages have been written here, or might have been left behind by another process. */
  async #awaken(): Promise<void> {
    const { lookEveryMs } = this.#options.store
    if (lookEveryMs === undefined) return await this.#wake.promise
    const looking = new AbortController()
    const looked = pause(lookEveryMs, looking.signal).then(() => (this.#mayWait = true))
    await Promise.race([this.#wake.promise, looked])
    looking.abort()
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

  async #endTelling(): Promise<void> {
    await this.#rate.end()
    await this.#questions.end()
  }

  async #fill(): Promise<void> {
    await fill<WaitingPage>({
      embedder: this.#options.embedder,
      known: this.#known,
      signal: this.#stop.signal,
      take: (inHand, moreUrgentThan) => this.#take(inHand, moreUrgentThan),
      mayWait: (inHand, urgency) => this.#urgentIds(inHand, urgency).length > 0,
      areAsked: () => this.#questions.areAsked(),
      commit: (pages) => this.#commit(pages),
      onVectors: (passages) => this.#rate.count(passages),
      onFailed: (ids) => ids.forEach((id) => this.#urgent.delete(id)),
    })
  }

  async #take(
    inHand: ReadonlyMap<string, number>,
    moreUrgentThan: Urgency | undefined,
  ): Promise<PageToFill<WaitingPage>[]> {
    for (const id of await this.#asked.news()) this.#hurry(id, "asked")
    if (moreUrgentThan !== undefined) return await this.#takeUrgent(inHand, moreUrgentThan)
    if (!this.#mayWait) return []
    this.#mayWait = false
    this.#wake = Promise.withResolvers()
    const without = [...inHand.keys()]
    const { pages, total, isElsewhere = false } = await this.#waiting(without)
    this.#isElsewhere = isElsewhere && pages.length === 0
    if (pages.length === 0) return []
    this.#mayWait = true
    this.#idle = false
    this.#rate.begin()
    if (total === pages.length) return await this.#withTexts(pages)
    const urgent = await this.#takeUrgent(inHand)
    if (urgent.length > 0) return urgent
    const first = await this.#ofFirstSource(without)
    return await this.#withTexts(first.length > 0 ? first : pages)
  }

  async #ofFirstSource(without: readonly string[]): Promise<readonly WaitingPage[]> {
    const source = await this.#first.latest()
    return source === null ? [] : (await this.#waiting(without, { source })).pages
  }

  async #takeUrgent(
    inHand: ReadonlyMap<string, number>,
    moreUrgentThan?: Urgency,
  ): Promise<PageToFill<WaitingPage>[]> {
    const ids = this.#urgentIds(inHand, moreUrgentThan)
    if (ids.length === 0) return []
    const { pages: waiting } = await this.#waiting([], { among: ids })
    const pages = await this.#withTexts(waiting)
    // Pages that aren't waiting already have their vectors.
    for (const id of ids) this.#urgent.delete(id)
    return pages
  }

  /** The next pages of the highest urgency. */
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

  #waiting(
    without: readonly string[],
    only: { readonly among?: readonly string[]; readonly source?: string } = {},
  ) {
    return this.#options.store.waiting({ limit: PAGES_AT_A_TIME, without, ...only })
  }

  async #withTexts(pages: readonly WaitingPage[]): Promise<PageToFill<WaitingPage>[]> {
    const { store, writes } = this.#options
    const taken = (await store.texts(pages)).map(({ page, texts }) => {
      const { id, revision } = page
      return { id, revision, urgency: this.#urgent.get(id) ?? "new", page, texts } as const
    })
    if (taken.length > 0 || pages.length === 0) return taken
    await writes.run(async () => store.mend?.(pages))
    await pause(20, this.#stop.signal)
    return taken
  }

  async #commit(embedded: readonly FilledPage<WaitingPage>[]): Promise<void> {
    const { store, writes, onWritten } = this.#options
    await writes.run(async () => {
      await store.commit(embedded)
      onWritten()
    })
    // Pages that are being embedded are excluded when others are requested, so pages replaced in the meantime may still
    // be waiting.
    this.#mayWait = true
  }
}

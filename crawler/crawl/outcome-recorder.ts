import type { Engine, PageUrl } from "#engine"
import type { Serial } from "#base/flow/serial.ts"
import type { Frontier } from "./frontier/frontier.ts"
import type { Visited } from "./frontier/known-addresses.ts"
import type { ImageNotes } from "../upkeep/images/image-notes.ts"
import type { OutcomeName } from "../outcome-name.ts"
import type { SharedPages } from "../sources/shared-pages.ts"
import type { NoPage } from "./judge/verdict.ts"
import { recordOf } from "./judge/visit-outcome.ts"
import { PageWriter } from "./page-writer.ts"
import type { UnrecordedPages } from "../sources/unrecorded-pages.ts"

export interface OutcomeRecorderOptions {
  readonly engine: Engine
  readonly shared: SharedPages
  readonly frontier: Frontier
  readonly images: ImageNotes
  readonly unrecorded: Pick<UnrecordedPages, "note" | "forget">
  /** Shared by everything that writes to the index. */
  readonly writes: Serial
  /** Called with each address that has an outcome, before it is recorded. */
  readonly onClosed: (url: PageUrl) => void
  /** Called with each batch of recorded outcomes. */
  readonly onRecorded: (results: readonly Visited[]) => Promise<void>
}

/** Records the outcomes of a run once the engine has their pages, and knows each outcome as soon as it is settled. */
export class OutcomeRecorder {
  readonly #options: OutcomeRecorderOptions
  readonly #writer: PageWriter
  /** Outcomes that the writer hasn't recorded yet, by address. */
  readonly #settled = new Map<PageUrl, OutcomeName>()
  #unwritten = 0

  constructor(options: OutcomeRecorderOptions) {
    this.#options = options
    this.#writer = new PageWriter(options, async (results, visits) => {
      this.#unwritten -= visits
      for (const { url } of results) this.#settled.delete(url)
      await options.onRecorded(results)
    })
  }

  /** Number of visits whose outcome the writer hasn't recorded yet. */
  get unwritten(): number {
    return this.#unwritten
  }

  /** As {@link PageWriter.isRecording}. */
  get isRecording(): boolean {
    return this.#writer.isRecording
  }

  /** Whether an address has an outcome that is still to be recorded. */
  isSettled(url: PageUrl): boolean {
    return this.#settled.has(url)
  }

  /** How this run's visit to an address ended, recorded or not; `null` if there was none. */
  async outcomeOf(url: PageUrl): Promise<OutcomeName | null> {
    return this.#settled.get(url) ?? (await this.#options.frontier.outcomeOf(url))
  }

  /** Records how a visit without a page ended. The address's entry in the index stays unchanged. */
  async close(url: PageUrl, outcome: NoPage, links?: Uint8Array | null): Promise<void> {
    const result = { url, ...recordOf(outcome), ...(links === undefined ? {} : { links }) }
    await this.write({ page: null, seen: null, results: [result] })
  }

  /** Accepts one visit, and waits until there is room for more. */
  async write(item: Parameters<PageWriter["take"]>[0]): Promise<void> {
    this.take(item)
    await this.room()
  }

  /** As {@link PageWriter.take}. */
  take(item: Parameters<PageWriter["take"]>[0]): void {
    this.#unwritten += 1
    for (const { url, outcome } of item.results) {
      this.#settled.set(url, outcome)
      this.#options.onClosed(url)
    }
    this.#writer.take(item)
  }

  /** As {@link PageWriter.room}. */
  async room(): Promise<void> {
    await this.#writer.room()
  }

  /** As {@link PageWriter.flush}. */
  async flush(): Promise<void> {
    await this.#writer.flush()
  }
}

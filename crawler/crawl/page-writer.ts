import type { Engine, Page, PageUrl } from "#engine"
import type { Serial } from "#base/flow/serial.ts"
import type { Frontier } from "./frontier/frontier.ts"
import type { ImageNotes } from "../upkeep/images/image-notes.ts"
import type { SharedPages } from "../sources/shared-pages.ts"
import type { Visited } from "./frontier/known-addresses.ts"
import type { UnrecordedPages } from "../sources/unrecorded-pages.ts"

const BATCH_PAGES = 64
const BATCH_CHARS = 2_000_000
const BATCH_MS = 500
/** Number of batches that can wait before visits are delayed. */
const WAITING_BATCHES = 3

export interface PageWriterParts {
  readonly engine: Engine
  readonly shared: SharedPages
  readonly frontier: Frontier
  readonly images: ImageNotes
  readonly unrecorded: Pick<UnrecordedPages, "note" | "forget">
  /** Shared by everything that writes to the index, so that a page's entry is looked up and written without another write in between. */
  readonly writes: Serial
}

interface Item {
  readonly page: Page | null
  /** The page as it was read, whether or not it was indexed again; needed for its images. */
  readonly seen: Pick<Page, "url" | "images" | "source"> | null
  readonly results: readonly Visited[]
  /** Other addresses at which this run found the same page. */
  readonly replaces?: readonly PageUrl[]
  /** Where an earlier run found the page's text, so that moved text keeps its vectors. */
  readonly formerly?: PageUrl | undefined
}

/**
 * Passes visits to the engine and their outcomes to the frontier, in batches and in this order: an outcome is recorded
 * only when the engine has acknowledged its page, so a recorded page survives any crash.
 */
export class PageWriter {
  readonly #parts: PageWriterParts
  readonly #recorded: (results: readonly Visited[], visits: number) => Promise<void>
  #items: Item[] = []
  #chars = 0
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> | null = null
  #isRecording = false
  #failure: Error | null = null

  constructor(
    parts: PageWriterParts,
    recorded: (results: readonly Visited[], visits: number) => Promise<void>,
  ) {
    this.#parts = parts
    this.#recorded = recorded
  }

  /** Whether outcomes are being passed to the frontier, so that some are counted there and some here. */
  get isRecording(): boolean {
    return this.#isRecording
  }

  /**
   * Accepts one visit, with or without a page to index.
   * @throws any error that the engine threw; nothing is written after that.
   */
  take(item: Item): void {
    if (this.#failure) throw this.#failure
    this.#items.push(item)
    this.#chars += item.page?.markdown.length ?? 0
    if (this.#isFull()) this.#start()
    else
      this.#timer ??= setTimeout(() => {
        this.#start()
      }, BATCH_MS)
  }

  /** Waits until there is room for more. @throws any error that the engine threw. */
  async room(): Promise<void> {
    while (this.#isBehind() && this.#flushing) await this.#flushing
    if (this.#failure) throw this.#failure
  }

  /** Writes everything accepted so far. @throws any error that the engine threw. */
  async flush(): Promise<void> {
    while (this.#items.length > 0 || this.#flushing) {
      this.#start()
      await this.#flushing
    }
    if (this.#failure) throw this.#failure
  }

  #isFull(): boolean {
    return this.#items.length >= BATCH_PAGES || this.#chars >= BATCH_CHARS
  }

  #isBehind(): boolean {
    return this.#items.length >= BATCH_PAGES * WAITING_BATCHES || this.#chars >= BATCH_CHARS * WAITING_BATCHES
  }

  #start(): void {
    if (this.#flushing) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing = this.#write()
      .catch((error: unknown) => {
        this.#failure ??= error as Error
      })
      .finally(() => {
        this.#flushing = null
        if (this.#failure) this.#items = []
        else if (this.#isFull()) this.#start()
        else if (this.#items.length > 0) {
          this.#timer ??= setTimeout(() => {
            this.#start()
          }, BATCH_MS)
        }
      })
  }

  async #write(): Promise<void> {
    const items = this.#items
    this.#items = []
    this.#chars = 0
    // Redirects can lead to the same page twice; the later visit wins.
    const pages = new Map<PageUrl, Page>()
    const moved = new Map<PageUrl, PageUrl>()
    const replaced = new Set<PageUrl>()
    for (const { page, replaces = [], formerly } of items) {
      if (page) pages.set(page.url, page)
      // If a page has readers, often only they have changed, so its text can keep its vectors.
      if (page && (formerly !== undefined || page.readers)) moved.set(page.url, formerly ?? page.url)
      for (const url of replaces) {
        pages.delete(url)
        replaced.add(url)
      }
    }
    const { shared, frontier, images, unrecorded, writes } = this.#parts
    if (pages.size > 0) await unrecorded.note(pages.keys())
    const gone = await writes.run(async () => {
      if (pages.size > 0) await this.#index(await shared.joined([...pages.values()]), moved)
      return await shared.letGo([...replaced].map((url) => ({ url, isGone: false })))
    })
    await images.note(items.flatMap(({ seen }) => seen ?? []))
    await images.forget(gone)
    const results = items.flatMap((item) => item.results)
    this.#isRecording = true
    try {
      await frontier.record(results)
      if (pages.size > 0) await unrecorded.forget(pages.keys())
      await this.#recorded(results, items.length)
    } finally {
      this.#isRecording = false
    }
  }

  /** @param moved the earlier address of the same text, keyed by the page's current address */
  async #index(pages: readonly Page[], moved: ReadonlyMap<PageUrl, PageUrl>): Promise<void> {
    const { engine } = this.#parts
    if (moved.size === 0) return await engine.index(pages)
    const before = new Map((await engine.withVectors([...moved.values()])).map((one) => [one.page.url, one]))
    await engine.load(
      pages.map((page) => {
        const was = before.get(moved.get(page.url) ?? page.url)
        const isSame = was?.page.title === page.title && was.page.markdown === page.markdown
        return { page, vectors: isSame ? was.vectors : null }
      }),
    )
  }
}

import type { StateStore } from "#base/store/state-store.ts"
import type { Resolve } from "../../fetch/guard/address-guard.ts"
import type { CrawlerConfig } from "../../settings.ts"
import type { Source, SourceAuthor } from "../../source.ts"
import type { PageReader } from "../../fetch/visit/reader.ts"
import { ReadingPlaces } from "../../fetch/visit/reading-places.ts"
import { openSourceReader } from "../../fetch/visit/source-reader.ts"

export interface OpenReadersOptions {
  readonly db: StateStore
  readonly config: CrawlerConfig
  readonly resolve?: Resolve
  /** Where login secrets are read from. Default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv
}

/** An unused reader is closed after this time: its session is dropped and its connections are closed. */
const IDLE_MS = 5 * 60_000

interface Opened {
  /** The source as it was when its reader was opened. */
  readonly as: string
  readonly reader: Promise<PageReader>
  users: number
  idle?: NodeJS.Timeout
}

/** The readers of sources. Each is opened, and logged in, when its first page is read, and is shared by all callers that read pages of the source. */
export class OpenReaders implements AsyncDisposable {
  readonly #options: OpenReadersOptions
  readonly #places: ReadingPlaces
  readonly #open = new Map<string, Opened>()

  constructor(options: OpenReadersOptions) {
    this.#options = options
    this.#places = new ReadingPlaces(options.config)
  }

  /**
   * Runs `work` with the reader of a source; after an error in `work`, the next user gets a new reader, which logs in
   * again.
   * @throws as `openSourceReader` does
   */
  async use<T>(source: Source, author: SourceAuthor, work: (reader: PageReader) => Promise<T>): Promise<T> {
    const opened = this.#of(source, author)
    opened.users += 1
    clearTimeout(opened.idle)
    try {
      return await work(await opened.reader)
    } catch (error) {
      this.#forget(source.name, opened)
      throw error
    } finally {
      opened.users -= 1
      if (opened.users === 0) this.#rest(source.name, opened)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    for (const { idle } of all) clearTimeout(idle)
    await Promise.all(all.map(closed))
    await this.#places[Symbol.asyncDispose]()
  }

  #of(source: Source, author: SourceAuthor): Opened {
    const as = JSON.stringify([author, source])
    const before = this.#open.get(source.name)
    if (before?.as === as) return before
    if (before) this.#forget(source.name, before)
    const { config, ...options } = this.#options
    const reader = openSourceReader(source, config, {
      ...options,
      author,
      // No run has visited hosts that aren't pinned yet, and callers of the API must not be the first to reach them.
      first: "public",
      places: this.#places,
      purpose: "live",
    })
    const opened: Opened = { as, reader, users: 0 }
    this.#open.set(source.name, opened)
    return opened
  }

  /** The next user opens another reader; this one is closed when its last user is done. */
  #forget(name: string, opened: Opened): void {
    if (this.#open.get(name) === opened) this.#open.delete(name)
    if (opened.users === 0) void closed(opened)
  }

  #rest(name: string, opened: Opened): void {
    if (this.#open.get(name) !== opened) {
      void closed(opened)
      return
    }
    opened.idle = setTimeout(() => this.#forget(name, opened), IDLE_MS)
    opened.idle.unref()
  }
}

/** Closes a reader, if it was ever opened: if opening failed, its users already got the error. */
async function closed({ reader, idle }: Opened): Promise<void> {
  clearTimeout(idle)
  await reader.then(
    (open) => open[Symbol.asyncDispose](),
    () => undefined,
  )
}

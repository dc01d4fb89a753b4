import { contentOf } from "../../fetch/content/kinds.ts"
import type { Resolve } from "../../fetch/guard/address-guard.ts"
import { KnownError } from "#base/errors.ts"
import type { Job } from "../../job.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { PageReader } from "../../fetch/visit/reader.ts"
import { openedTo } from "../../fetch/guard/opened-networks.ts"
import { reachOf } from "../../fetch/visit/source-reader.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { UnreadImage } from "./image-store.ts"

/**
 * The readers of images: one for everything that is generally allowed, and one for each source that may read more, used
 * only for images on the source's own pages. This way no page can trigger a request that its source could not make.
 */
export class ImageReaders implements AsyncDisposable {
  readonly #db: StateStore
  readonly #jobs: Jobs
  readonly #config: CrawlerConfig
  readonly #resolve: Resolve | undefined
  readonly #opened = new AsyncDisposableStack()
  readonly #plain: PageReader
  /** Readers, keyed by source; `null` for a source that may read no more than the settings allow. */
  readonly #own = new Map<string, Promise<PageReader | null>>()

  /** `resolve`: how names are resolved; default: as the system does. */
  constructor(db: StateStore, config: CrawlerConfig, resolve?: Resolve) {
    this.#db = db
    this.#jobs = new Jobs(db)
    this.#config = config
    this.#resolve = resolve
    this.#plain = this.#opened.use(new PageReader(config, { resolve }))
  }

  /** The readers that may read an image, those with the fewest rights first. */
  async of({ sources }: Pick<UnreadImage, "sources">): Promise<readonly PageReader[]> {
    const own = await Promise.all(sources.map((source) => this.#readerOf(source)))
    return [this.#plain, ...own.filter((reader) => reader !== null)]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }

  /** Opened only once, even when images of several hosts need it at the same time. */
  #readerOf(name: string): Promise<PageReader | null> {
    let reader = this.#own.get(name)
    if (reader === undefined) {
      reader = this.#openFor(name)
      this.#own.set(name, reader)
      reader.catch(() => this.#own.delete(name))
    }
    return reader
  }

  async #openFor(name: string): Promise<PageReader | null> {
    const [last] = await this.#jobs.list({ source: name, limit: 1 })
    const hasMore = last?.author === "operator" || (await openedTo(this.#config, this.#db)).length > 0
    return last !== undefined && hasMore ? await this.#open(last) : null
  }

  async #open({ source, author }: Job): Promise<PageReader | null> {
    let reach
    try {
      reach = await reachOf(source, this.#config, {
        db: this.#db,
        author,
        first: "public",
        resolve: this.#resolve,
      })
    } catch (error) {
      // A missing certificate also makes the source's next run fail, and that run reports it.
      if (error instanceof KnownError) return null
      throw error
    }
    const content = await contentOf(source, { db: this.#db })
    return this.#opened.use(new PageReader(this.#config, { ...reach, content }))
  }
}

import type { Engine, PageWithVectors } from "./engine.ts"

/** Number of pages written together. For a server, a few large writes are less work than many small ones: each write makes it search its whole graph of vectors. */
export const PAGES_AT_A_TIME = 1000
/** Maximum number of characters of text written together, which limits the memory that these pages take. */
const CHARS_AT_A_TIME = 16_000_000

/** Pages to be written to an index together. */
export class PagesToLoad {
  readonly #engine: Pick<Engine, "load">
  readonly #most: number
  #pages: PageWithVectors[] = []
  #chars = 0

  /** @param most maximum number of pages that are written together. Default: 1000 */
  constructor(engine: Pick<Engine, "load">, most = PAGES_AT_A_TIME) {
    this.#engine = engine
    this.#most = most
  }

  /** Whether the collected pages should be written before more are added. */
  get isFull(): boolean {
    return this.#pages.length >= this.#most || this.#chars >= CHARS_AT_A_TIME
  }

  add(one: PageWithVectors): void {
    this.#pages.push(one)
    this.#chars += one.page.markdown.length
  }

  /**
   * Writes the collected pages, once: pages that can't be written aren't retried.
   * @returns the number of pages
   */
  async load(): Promise<number> {
    const some = this.#pages
    ;[this.#pages, this.#chars] = [[], 0]
    if (some.length > 0) await this.#engine.load(some)
    return some.length
  }
}

import type { Engine, PageWithVectors } from "./engine.ts"

/** For a server, a few large writes are less work than many small ones: each write searches its whole graph of vectors. */
export const PAGES_AT_A_TIME = 1000
/** A separate limit on the memory that these pages take. */
const CHARS_AT_A_TIME = 16_000_000

/** Pages to be written to an index together. */
export class PagesToLoad {
  readonly #engine: Pick<Engine, "load">
  readonly #most: number
  #pages: PageWithVectors[] = []
  #chars = 0

  /** @param most pages that are written together. Default: 1000 */
  constructor(engine: Pick<Engine, "load">, most = PAGES_AT_A_TIME) {
    this.#engine = engine
    this.#most = most
  }

  /** Whether to write them before adding more. */
  get isFull(): boolean {
    return this.#pages.length >= this.#most || this.#chars >= CHARS_AT_A_TIME
  }

  add(one: PageWithVectors): void {
    this.#pages.push(one)
    this.#chars += one.page.markdown.length
  }

  /**
   * Writes the collected pages, once: pages that can't be written aren't retried.
   * @returns how many pages there were
   */
  async load(): Promise<number> {
    const some = this.#pages
    ;[this.#pages, this.#chars] = [[], 0]
    if (some.length > 0) await this.#engine.load(some)
    return some.length
  }
}

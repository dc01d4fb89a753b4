import type { Engine, PageWithVectors } from "./engine.ts"

/** To a server a few large writes are less work than many small ones: each goes through its whole graph of vectors. */
export const PAGES_AT_A_TIME = 1000
/** The memory for this many pages has its own limit. */
const CHARS_AT_A_TIME = 16_000_000

/** Pages on their way into an index, which are written together. */
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

  /** Whether they are to be written before more come. */
  get isFull(): boolean {
    return this.#pages.length >= this.#most || this.#chars >= CHARS_AT_A_TIME
  }

  add(one: PageWithVectors): void {
    this.#pages.push(one)
    this.#chars += one.page.markdown.length
  }

  /**
   * Writes what is there, once: pages that cannot be written are not tried again.
   * @returns how many pages that were
   */
  async load(): Promise<number> {
    const some = this.#pages
    ;[this.#pages, this.#chars] = [[], 0]
    if (some.length > 0) await this.#engine.load(some)
    return some.length
  }
}

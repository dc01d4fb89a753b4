import type { PageUrl } from "#engine"

const MOST_PAGES = 256
const MOST_CHARS = 4_000_000

/** The lines of recently read pages, kept until the engine is certain to have them. */
export class RecentTexts {
  readonly #pages = new Map<PageUrl, { readonly lines: readonly string[]; readonly chars: number }>()
  #chars = 0

  has(url: PageUrl): boolean {
    return this.#pages.has(url)
  }

  get(url: PageUrl): readonly string[] | null {
    return this.#pages.get(url)?.lines ?? null
  }

  set(url: PageUrl, lines: readonly string[]): void {
    this.delete(url)
    const chars = lines.reduce((sum, line) => sum + line.length, 0)
    this.#pages.set(url, { lines, chars })
    this.#chars += chars
    for (const old of this.#pages.keys()) {
      if ((this.#pages.size <= MOST_PAGES && this.#chars <= MOST_CHARS) || old === url) break
      this.delete(old)
    }
  }

  delete(url: PageUrl): void {
    this.#chars -= this.#pages.get(url)?.chars ?? 0
    this.#pages.delete(url)
  }
}

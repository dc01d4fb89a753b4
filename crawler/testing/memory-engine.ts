import { type Engine, type Page, type PageUrl, type PageWithVectors, sourcesOf } from "#engine"
import { readersLabel } from "#engine/index/page/readers.ts"

/** An engine that keeps pages in a map, for tests of what the crawler passes to the engine rather than of search. */
export class MemoryEngine implements Engine {
  readonly supports = { adapter: "memory", typoTolerance: false, exactPhrase: false, readerLagMs: 0 }
  readonly pages = new Map<PageUrl, Page>()
  /** Sizes of the batches received. */
  readonly batches: number[] = []
  /** Awaited before a batch is acknowledged. */
  beforeIndex: (pages: readonly Page[]) => Promise<void> = () => Promise.resolve()

  async index(pages: readonly Page[]): Promise<void> {
    await this.beforeIndex(pages)
    this.batches.push(pages.length)
    for (const page of pages) this.pages.set(page.url, page)
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.index(pages.map(({ page }) => page))
  }

  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]> {
    return Promise.resolve(
      urls.flatMap((url) => {
        const page = this.pages.get(url)
        return page ? [{ page, vectors: null }] : []
      }),
    )
  }

  async *allPages(): AsyncGenerator<PageWithVectors> {
    for (const page of this.pages.values()) yield { page, vectors: null }
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    for (const url of urls) this.pages.delete(url)
    return Promise.resolve()
  }

  search(): Promise<{ hits: [] }> {
    return Promise.resolve({ hits: [] })
  }

  facets() {
    return Promise.resolve({ pages: 0, isExact: true, facets: [] })
  }

  suggest(): Promise<[]> {
    return Promise.resolve([])
  }

  get(url: PageUrl): Promise<Page | null> {
    return Promise.resolve(this.pages.get(url) ?? null)
  }

  holdersOf(url: PageUrl) {
    const page = this.pages.get(url)
    return Promise.resolve(page ? sourcesOf(page) : [])
  }

  coverage(url: PageUrl) {
    return Promise.resolve(this.pages.has(url) ? { passages: 1, vectors: 1 } : null)
  }

  pagesWithoutVectors() {
    return Promise.resolve(0)
  }

  pagesByReaders() {
    return Promise.resolve(
      [...this.pages.values()].map((page) => ({
        sources: sourcesOf(page),
        label: readersLabel(page.readers),
        pages: 1,
      })),
    )
  }

  languages() {
    return Promise.resolve(new Map<string, number>())
  }

  stats() {
    return Promise.resolve({
      pages: this.pages.size,
      passages: this.pages.size,
      pagesWithoutVectors: 0,
      passagesWithoutVectors: 0,
      vectorsPerSecond: null,
      embedder: "none",
      dimensions: 0,
    })
  }

  settled(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}

import {
  type Engine,
  type FacetQuery,
  type Hit,
  type Page,
  type PageUrl,
  type Query,
  sourcesOf,
  type Suggestion,
  toPageUrl,
} from "#engine"
import { readersLabel } from "#engine/index/page/readers.ts"

/** An engine that answers every search with the given hits and remembers the requests. */
export class FakeEngine implements Engine {
  readonly supports = { adapter: "fake", typoTolerance: false, exactPhrase: true, readerLagMs: 0 }
  readonly queries: Query[] = []
  /** If set, thrown by the next searches. */
  failure: Error | null = null
  readonly #hits: readonly Hit[]

  constructor(hits: readonly Hit[] = []) {
    this.#hits = hits
  }

  async search(query: Query): Promise<{ hits: readonly Hit[] }> {
    this.queries.push(query)
    if (this.failure !== null) throw this.failure
    return { hits: this.#hits.slice(0, query.limit) }
  }

  async facets({ fields }: FacetQuery) {
    return {
      pages: this.#hits.length,
      isExact: true,
      facets: fields.map((field) => ({ field, values: [] })),
    }
  }

  async suggest(): Promise<readonly Suggestion[]> {
    return this.#hits.map(({ title, url }) => ({ text: title, kind: "title", url }))
  }

  async index(): Promise<void> {
    throw new Error("The API only reads.")
  }

  async load(): Promise<void> {
    throw new Error("The API only reads.")
  }

  async *allPages(): AsyncGenerator<never> {}

  async remove(): Promise<void> {
    throw new Error("The API only reads.")
  }

  async get(url: PageUrl): Promise<Page | null> {
    return this.#hits.find((one) => one.url === url) ?? null
  }

  async withVectors(): Promise<[]> {
    return []
  }

  async holdersOf(url: PageUrl): Promise<readonly string[]> {
    const page = await this.get(url)
    return page ? [page.source] : []
  }

  async coverage(): Promise<null> {
    return null
  }

  async pagesWithoutVectors() {
    return 0
  }

  async pagesByReaders() {
    return this.#hits.map((one) => ({
      sources: sourcesOf(one),
      label: readersLabel(one.readers),
      pages: 1,
    }))
  }

  async languages() {
    return new Map([["en", 1]])
  }
  async stats() {
    return {
      pages: this.#hits.length,
      passages: 0,
      pagesWithoutVectors: 0,
      passagesWithoutVectors: 0,
      vectorsPerSecond: null,
      embedder: "fake",
      dimensions: 1,
    }
  }

  async settled(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** A hit with every field a page can have; `given` overrides the fields that a test is about. */
export function hit(given: Partial<Hit> = {}): Hit {
  return {
    url: toPageUrl("https://example.com/pumps")!,
    title: "Pumps",
    score: 0.8,
    passages: [
      { text: "A pump moves water.", headings: ["Basics"], position: 0 },
      { text: "Seals wear out first.", headings: ["Repair"], position: 3 },
    ],
    description: "All about pumps.",
    markdown: "# Pumps\n\nA **pump** moves water.",
    language: "en",
    author: null,
    publishedAt: new Date("2025-03-11T17:00:00Z"),
    topic: null,
    country: null,
    unsafe: false,
    type: "html",
    fetchedAt: new Date("2025-04-01T00:00:00Z"),
    images: [
      { url: "https://example.com/pump.png", description: "A pump, cut open" },
      { url: "https://example.com/seal.png", description: null },
    ],
    favicon: "https://example.com/favicon.ico",
    source: "example.com",
    parts: { lexical: 1, passage: 0, vector: 0.7, late: 0, rerank: 0, fused: 0.8, boost: 0 },
    ...given,
  }
}

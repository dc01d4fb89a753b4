import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crawlerSettings } from "#crawler/settings.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { defineSource } from "#crawler/source.ts"
import { PageReader } from "#crawler/fetch/visit/reader.ts"
import type { Visit, VisitOptions } from "#crawler/reading.ts"
import { crawlSite } from "#crawler/crawl/crawl-site.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { type Engine, openEngine, type PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import type { CrawlReport } from "../peers/undici-loop.ts"

/**
 * Crawls a loopback site from an empty state with the crawler's own frontier, pool, robots rules and address guard.
 * - `links`: pages are fetched and read for head and links, as a map of a site does; nothing is extracted or kept.
 * - `index`: pages are extracted and indexed by the real reader and engine; vectors are not made.
 */
export async function ownCrawl(
  mode: "links" | "index",
  start: string,
  concurrency: number,
): Promise<CrawlReport> {
  const options = { allow: [new URL(start).host] }
  const dataDir = await mkdtemp(join(tmpdir(), "fossick-crawl-"))
  try {
    const config = { ...readSettings(crawlerSettings, {}), fetchConcurrency: concurrency }
    const settings = { ...readSettings(engineSettings, {}), dataDir }
    await using engine =
      mode === "index"
        ? await openEngine(settings, { mode: "write", embedding: "off" })
        : new ForgetfulEngine()
    await using reader =
      mode === "index" ? new CountingReader(config, options) : new LinkReader(config, options)
    using db = await openStateStore(dataDir)
    const jobs = new Jobs(db)
    const { id } = await jobs.enqueue(
      defineSource({ seeds: [start], rendering: "http", limits: { depth: 100, pages: 1_000_000 } }),
    )
    const job = await jobs.start(id)
    if (!job) throw new Error(`job ${id} is not queued`)
    const began = performance.now()
    await crawlSite({ job, db, engine, reader, config, signal: new AbortController().signal })
    const seconds = (performance.now() - began) / 1000
    return { pages: reader.pages, requests: reader.requests, seconds }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

class CountingReader extends PageReader {
  requests = 0
  /** HTML documents read. */
  pages = 0

  override async visit(url: PageUrl, options: VisitOptions = {}): Promise<Visit> {
    this.requests++
    const visit = await this.readOne(url, options)
    if (visit.kind === "read" && visit.reading.contentType === "text/html") this.pages++
    return visit
  }

  protected readOne(url: PageUrl, options: VisitOptions): Promise<Visit> {
    return super.visit(url, options)
  }
}

/** Reads no more of a page than its head and links; what stands for its text is its address. */
class LinkReader extends CountingReader {
  protected override async readOne(url: PageUrl, options: VisitOptions): Promise<Visit> {
    const visit = await super.readOne(url, { ...options, linksOnly: true })
    if (visit.kind !== "read") return visit
    const { reading } = visit
    return { kind: "read", reading: { ...reading, extracted: { ...reading.extracted, markdown: url } } }
  }
}

/** Takes pages and keeps none. */
class ForgetfulEngine implements Engine {
  readonly supports = { adapter: "none", typoTolerance: false, exactPhrase: false, readerLagMs: 0 }
  async index(): Promise<void> {}
  async load(): Promise<void> {}
  async *allPages(): AsyncGenerator<never> {}
  async remove(): Promise<void> {}
  async settled(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
  async search() {
    return { hits: [] }
  }
  async facets() {
    return { pages: 0, isExact: true, facets: [] }
  }
  async suggest() {
    return []
  }
  async withVectors() {
    return []
  }
  async get() {
    return null
  }
  async holdersOf() {
    return []
  }
  async coverage() {
    return null
  }
  async pagesWithoutVectors() {
    return 0
  }
  async pagesByReaders() {
    return []
  }
  async languages() {
    return new Map()
  }
  async stats() {
    const nothing = { pagesWithoutVectors: 0, passagesWithoutVectors: 0, vectorsPerSecond: null }
    return { pages: 0, passages: 0, ...nothing, embedder: "none", dimensions: 0 }
  }
}

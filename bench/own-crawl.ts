import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Parser } from "htmlparser2"
import { decodeText } from "#crawler/charset.ts"
import { crawlerSettings } from "#crawler/config.ts"
import { charsetParameter, mediaType } from "#crawler/content-type.ts"
import type { Link } from "#crawler/extract/extracted.ts"
import { Jobs } from "#crawler/jobs.ts"
import { PageReader, type Visit, type VisitOptions } from "#crawler/reader.ts"
import { crawlSite } from "#crawler/crawl-site.ts"
import { openStateStore } from "#crawler/state-store.ts"
import { type Engine, openEngine, type PageUrl } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { readSettings } from "#engine/settings.ts"
import type { CrawlReport } from "./peers/undici-loop.ts"

/**
 * Crawls a loopback site from an empty state with the crawler's own frontier, pool, robots rules and address guard.
 * - `links`: pages are fetched and parsed for title and links on the main thread; nothing is extracted or kept.
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
    using db = openStateStore(dataDir)
    const jobs = new Jobs(db)
    const { id } = jobs.enqueue({ url: start, scope: "host", depth: 100, limit: 1_000_000 })
    const job = jobs.start(id)
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

/** Reads no more of a page than its title and links. */
class LinkReader extends CountingReader {
  protected override async readOne(url: PageUrl): Promise<Visit> {
    const fetched = await this.fetch(url, {})
    if (fetched.kind === "not-modified")
      throw new Error(`${url} answered 304 to a request without validators`)
    if (fetched.kind !== "fetched") return fetched
    const header = fetched.headers["content-type"]
    const contentType = mediaType(header)
    if (contentType !== "text/html") return { kind: "skipped", because: "unsupported-type" }
    const { title, links } = titleAndLinks(decodeText(fetched.body, charsetParameter(header)), fetched.url)
    const nothing = {
      description: null,
      language: null,
      author: null,
      publishedAt: null,
      topic: null,
      country: null,
      unsafe: false,
      favicon: null,
      canonical: null,
    }
    const extracted = { ...nothing, title, markdown: url, images: [], feeds: [], links, robots: ALLOWED }
    const bytes = fetched.body.byteLength
    return {
      kind: "read",
      reading: { url: fetched.url, status: fetched.status, contentType, bytes, extracted },
    }
  }
}

const ALLOWED = { noindex: false, nofollow: false }

function titleAndLinks(html: string, base: string): { title: string; links: Link[] } {
  const links: Link[] = []
  let title = ""
  let inTitle = false
  const parser = new Parser({
    onopentag(name, attributes) {
      inTitle = name === "title"
      const href = name === "a" ? attributes["href"] : undefined
      const url = href === undefined ? null : URL.parse(href, base)
      if (!url) return
      url.hash = ""
      links.push({ url: url.href, text: "", nofollow: false })
    },
    ontext(text) {
      if (inTitle) title += text
    },
    onclosetag() {
      inTitle = false
    },
  })
  parser.end(html)
  return { title, links }
}

/** Takes pages and keeps none. */
class ForgetfulEngine implements Engine {
  readonly supports = { adapter: "none", typoTolerance: false, exactPhrase: false, readerLagMs: 0 }
  async index(): Promise<void> {}
  async remove(): Promise<void> {}
  async settled(): Promise<void> {}
  async [Symbol.asyncDispose](): Promise<void> {}
  async search() {
    return { hits: [] }
  }
  async get() {
    return null
  }
  async stats() {
    return { pages: 0, passages: 0, pagesWithoutVectors: 0, embedder: "none", dimensions: 0 }
  }
}

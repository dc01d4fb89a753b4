import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import { toPassages } from "#engine/text/passages.ts"
import { homePage } from "../corpora/documentation-site.ts"
import { type GeneratedSite, serveGenerated } from "../corpora/generated-site.ts"
import { type OwnPage, ownHtml } from "../corpora/documentation-pages.ts"
import { serveFolder, type StaticSite } from "../corpora/static-site.ts"
import type { Filled } from "../speed/vectors/filler.ts"
import { stretchesOf } from "../questions/search-questions.ts"
import { type Run, runOnce, type Side } from "./run.ts"

const FILLER = join(import.meta.dirname, "../speed/vectors/filler.ts")
/** Number of pages in the recrawl benchmark; an unchanged page costs little. */
export const GENERATED_PAGES = 500
const GENERATED_PARAGRAPHS = 12
/** The index for questions contains only every nth page, because making vectors takes longer than anything else. */
const INDEXED = 2
const STRETCHES = 2000

/** A row of the table. */
export interface Line {
  readonly name: string
  /** Unit and meaning of its figure. */
  readonly of: string
}

/** Lines that are measured together. Both checkouts start, take turns, and stop; then they start again. */
export interface Measure {
  readonly lines: readonly Line[]
  /** Number of starts per pass. While a line is undecided and there is time, another pass follows. */
  readonly starts: number
  /** Number of turns per start. Many short turns are more informative than a few long ones, since neighbouring turns are affected by the same noise. */
  readonly turns: number
  /** Whether to drop the first start, which finds cold caches and uncompiled code. */
  readonly startsCold: boolean
  /** Starts and warms up a checkout's processes. @throws Error when the checkout lacks a part that the measuring program needs */
  open(side: Side, ground: Ground): Promise<Run>
}

/**
 * The pages and sites that both checkouts use, and an index of the pages for each. All are created on first use; pages
 * and sites are created by this checkout's code.
 */
export class Ground implements AsyncDisposable {
  readonly scratch: string
  #html: Promise<readonly OwnPage[]> | null = null
  #pages: Promise<readonly Page[]> | null = null
  #stretches: Promise<readonly string[]> | null = null
  #site: Promise<StaticSite> | null = null
  #generated: Promise<GeneratedSite> | null = null
  readonly #indexes = new Map<Side, Promise<string>>()

  constructor(scratch: string) {
    this.scratch = scratch
  }

  /** The repository's pages, as browsers would get them. */
  html(): Promise<readonly OwnPage[]> {
    return (this.#html ??= Array.fromAsync(ownHtml()))
  }

  /** Serves the repository's pages as a site. @returns the home page's address */
  async site(): Promise<string> {
    this.#site ??= this.#serve()
    return (await this.#site).url
  }

  async #serve(): Promise<StaticSite> {
    const folder = join(this.scratch, "site")
    const paths: string[] = []
    for (const { site, path, html } of await this.html()) {
      const name = `${new URL(site).hostname}/${path.replace(/\.html$/, "") || "index"}.html`
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), html)
      paths.push(name)
    }
    return await serveFolder(folder, homePage("Pages of the repository", paths))
  }

  /** Serves a site of made-up pages, which answers conditional requests. @returns the home page's address */
  async generated(): Promise<string> {
    this.#generated ??= serveGenerated({ pages: GENERATED_PAGES, paragraphs: GENERATED_PARAGRAPHS })
    return (await this.#generated).url
  }

  pages(): Promise<readonly Page[]> {
    return (this.#pages ??= this.#extract())
  }

  async #extract(): Promise<Page[]> {
    return (await this.html()).map(({ site, path, html }) => {
      const url = toPageUrl(path, site) as PageUrl
      const { canonical: _c, robots: _r, links: _l, feeds: _f, ...read } = extractHtml(html, url)
      return { ...read, url, source: "own", fetchedAt: new Date(0) }
    })
  }

  /** Questions, all different: stretches of words from the pages. */
  stretches(): Promise<readonly string[]> {
    return (this.#stretches ??= this.#cut())
  }

  async #cut(): Promise<string[]> {
    const texts = (await this.pages()).flatMap(({ markdown }) => toPassages(markdown).map(({ text }) => text))
    return stretchesOf(texts, STRETCHES)
  }

  /** Creates a data folder that the checkout's own code fills with pages and their vectors. */
  index(side: Side): Promise<string> {
    const known = this.#indexes.get(side)
    if (known) return known
    const made = this.#fill(side)
    this.#indexes.set(side, made)
    return made
  }

  async #fill(side: Side): Promise<string> {
    const dataDir = join(side.scratch, "index")
    await this.putPages(side, dataDir, INDEXED)
    await makeVectors(side, dataDir)
    return dataDir
  }

  /** Indexes one in every `share` pages in a data folder, without vectors. */
  async putPages(side: Side, dataDir: string, share: number): Promise<void> {
    const file = join(this.scratch, `pages-${share}.json`)
    if (!existsSync(file)) {
      const pages = await this.pages()
      await writeFile(file, JSON.stringify(pages.filter((_, i) => i % share === 0)))
    }
    await runOnce(side, FILLER, [side.root, dataDir, "pages", file])
  }

  async [Symbol.asyncDispose]() {
    await (await this.#site)?.[Symbol.asyncDispose]()
    await (await this.#generated)?.[Symbol.asyncDispose]()
  }
}

/** Creates the missing vectors of a data folder. @returns processor milliseconds per passage */
export async function makeVectors(side: Side, dataDir: string): Promise<number> {
  const args = [side.root, dataDir, "vectors"]
  const { cpuSeconds, passages } = await runOnce<Filled>(side, FILLER, args)
  return (cpuSeconds * 1000) / passages
}

import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import { readDocs } from "../../api/faces/handbook/read-docs.ts"
import { documentationFolder, htmlPages } from "./documentation-site.ts"

const MANUALS = join(import.meta.dirname, "../testing/pages")
const HANDBOOK = join(import.meta.dirname, "../../docs")

/** Host that stands for the documentation site when its pages are read from the disk. */
const HOST = "http://manuals.example/"

/**
 * Pages of the documentation site as the crawler's extraction reads them, without the network.
 * @param every takes each `every`-th page only, spread over all manuals.
 */
export async function* documentationPages(every = 1): AsyncGenerator<Page> {
  const folder = await documentationFolder()
  const paths = (await htmlPages(folder)).filter((_, index) => index % every === 0)
  for (const path of paths) {
    const url = toPageUrl(path, HOST) as PageUrl
    const extracted = extractHtml(await readFile(join(folder, path), "utf8"), url)
    if (extracted.markdown === "") continue
    const { canonical: _canonical, robots: _robots, links: _links, feeds: _feeds, ...read } = extracted
    yield { ...read, url, source: "manuals.example", fetchedAt: new Date() }
  }
}

/** A page of the repository, as a browser would get it. */
export interface OwnPage {
  readonly site: string
  /** Relative to `site`. */
  readonly path: string
  readonly html: string
}

/** Pages that need no network and no package: the manuals' pages beside the benches, then the handbook. */
export async function* ownHtml(): AsyncGenerator<OwnPage> {
  for (const path of await htmlPages(MANUALS)) {
    yield { site: "http://manuals.example/", path, html: await readFile(join(MANUALS, path), "utf8") }
  }
  for (const { name, title, html } of (await readDocs(HANDBOOK)).pages.values()) {
    yield {
      site: "http://handbook.example/docs/",
      path: name,
      html: `<title>${title}</title><body><main>${html}</main></body>`,
    }
  }
}

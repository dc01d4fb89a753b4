import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, type PageUrl, toPageUrl } from "#engine"
import { documentationFolder, htmlPages } from "./documentation-site.ts"

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

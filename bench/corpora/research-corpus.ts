import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { extractHtml } from "#crawler/page/extract/extract.ts"
import { type Page, toPageUrl } from "#engine"
import { htmlPages } from "./documentation-site.ts"

const HANDBOOK = join(import.meta.dirname, "../../docs")
const MANUALS = join(import.meta.dirname, "../testing/pages")
const SITE = "https://corpus.test/"

/** The address of a page of the corpus, by its path. */
export const urlOfPath = (path: string): string => `${SITE}${path}`

/** The project's handbook and the manual pages beside the benches: what tasks of research are judged on. */
export async function researchCorpus(): Promise<Page[]> {
  const handbook = readdirSync(HANDBOOK)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => {
      const markdown = readFileSync(join(HANDBOOK, file), "utf8")
      const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file
      return aPage(`docs/${file.replace(/\.md$/, "")}`, title, markdown)
    })
  const manuals = (await htmlPages(MANUALS)).map((path) => {
    const { title, markdown } = extractHtml(readFileSync(join(MANUALS, path), "utf8"), urlOfPath(path))
    return aPage(path.replace(/^\//, "").replace(/\.html$/, ""), title, markdown)
  })
  return [...handbook, ...manuals]
}

function aPage(path: string, title: string, markdown: string): Page {
  return {
    url: toPageUrl(urlOfPath(path))!,
    title,
    markdown,
    description: null,
    language: "en",
    author: null,
    publishedAt: null,
    topic: null,
    country: null,
    unsafe: false,
    images: [],
    favicon: null,
    source: path.split("/")[0]!,
    fetchedAt: new Date(0),
  }
}

import { readFile, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { renderPage } from "./render-markdown.ts"

/** One page of the handbook, ready to be put into the page template. */
export interface DocsPage {
  /** Last segment of its address: `crawl` for `crawl.md`, empty for the front page. */
  readonly name: string
  readonly title: string
  /** First paragraph as plain text, for search engines. */
  readonly description: string
  readonly html: string
  readonly modified: Date
}

/** Pages under one heading of the table of contents. */
export interface DocsSection {
  readonly title: string
  readonly entries: readonly { readonly name: string; readonly label: string }[]
}

/** The whole handbook in memory. */
export interface Docs {
  readonly pages: ReadonlyMap<string, DocsPage>
  /** As `README.md` lists them: the reading order. */
  readonly sections: readonly DocsSection[]
}

/**
 * Reads and renders every `*.md` of a folder. `README.md` is the front page; its `##` headings and the links
 * under them are the navigation.
 */
export async function readDocs(docsDir: string): Promise<Docs> {
  const files = (await readdir(docsDir)).filter((file) => file.endsWith(".md")).sort()
  const pages = new Map<string, DocsPage>()
  let sections: readonly DocsSection[] = []
  for (const file of files) {
    const path = join(docsDir, file)
    const { links, ...rendered } = renderPage(await readFile(path, "utf8"))
    const name = pageName(file)
    pages.set(name, { ...rendered, name, modified: (await stat(path)).mtime })
    if (name === "") sections = toSections(links)
  }
  return { pages, sections }
}

/** `crawl.md` → `crawl`, `README.md` → the empty name of the front page. */
function pageName(file: string): string {
  return file === "README.md" ? "" : file.slice(0, -".md".length)
}

function toSections(links: readonly { heading: string; href: string; label: string }[]): DocsSection[] {
  const byHeading = Map.groupBy(
    links.filter((link) => link.heading !== "" && /^[^/#]+\.md$/.test(link.href)),
    (link) => link.heading,
  )
  return [...byHeading].map(([title, found]) => ({
    title,
    entries: found.map((link) => ({ name: pageName(link.href), label: link.label })),
  }))
}

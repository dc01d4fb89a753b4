import { readFile, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { FIGURE, renderPage } from "./render-markdown.ts"

/** One page of the handbook, ready for the page template. */
export interface DocsPage {
  /** Last segment of the page's address: `crawl` for `crawl.md`, empty for the front page. */
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
  /** Drawings (SVG) by file name. */
  readonly figures: ReadonlyMap<string, string>
  /** The pages in the order of `README.md`, which is the reading order. */
  readonly sections: readonly DocsSection[]
}

/**
 * Reads every drawing, and reads and renders every `*.md` in a folder. `README.md` is the front page; its `##` headings
 * and the links under them are the navigation.
 */
export async function readDocs(docsDir: string): Promise<Docs> {
  const all = await readdir(docsDir)
  const figures = new Map<string, string>()
  for (const file of all.filter((name) => FIGURE.test(name))) {
    figures.set(file, await readFile(join(docsDir, file), "utf8"))
  }
  const files = all.filter((file) => file.endsWith(".md")).sort()
  const pages = new Map<string, DocsPage>()
  let sections: readonly DocsSection[] = []
  for (const file of files) {
    const path = join(docsDir, file)
    const { links, ...rendered } = renderPage(await readFile(path, "utf8"))
    const name = pageName(file)
    pages.set(name, { ...rendered, name, modified: (await stat(path)).mtime })
    if (name === "") sections = toSections(links)
  }
  return { pages, figures, sections }
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

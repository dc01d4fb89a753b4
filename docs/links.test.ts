import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Marked, type Tokens } from "marked"
import { describe, expect, test } from "vitest"
import { headingIds } from "../api/faces/handbook/render-markdown.ts"

const root = join(import.meta.dirname, "..")
/** Not checked: a running appliance's data, installed npm packages, and pages from other people's sites. */
const SKIPPED = /^(\.git|node_modules|index-data\/(?!README\.md$).*)$|\/(node_modules|testing\/pages)$/

const pages = markdownFiles(root).map((path) => relative(root, path))

describe("every page in the repository", () => {
  test("is found by this test", () => {
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/README.md", "engine/README.md"]))
  })

  test.each(pages)("%s has no dead links", (page) => {
    const dead = linksOf(page).filter((href) => !leadsSomewhere(page, href))
    expect(dead).toEqual([])
  })
})

describe("every folder in the repository", () => {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map((entry) => entry.name)
    .filter((name) => readdirSync(join(root, name)).length > 0)

  test.each([...new Set([...folders, "index-data"])])("%s has a README", (folder) => {
    expect(existsSync(join(root, folder, "README.md"))).toBe(true)
  })
})

describe("the handbook", () => {
  test("lists each of its pages once in the table of contents", () => {
    const listed = linksOf("docs/README.md").filter((href) => href.endsWith(".md"))
    const there = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md")
    expect(listed.sort()).toEqual(there.map((page) => page.slice("docs/".length)).sort())
  })

  test("answers a new user's first question in its first sentence", () => {
    const [, firstParagraph] = readFileSync(join(root, "docs/schedule-a-crawl.md"), "utf8").split("\n\n")
    expect(firstParagraph?.split(/[:.] /)[0]).toMatch(/^To schedule a crawl, .*`npx fossick sources apply`/s)
  })
})

function markdownFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (SKIPPED.test(relative(root, path))) return []
    if (entry.isDirectory()) return markdownFiles(path)
    return entry.name.endsWith(".md") ? [path] : []
  })
}

function linksOf(page: string): string[] {
  const marked = new Marked()
  const links: string[] = []
  void marked.walkTokens(marked.lexer(readFileSync(join(root, page), "utf8")), (token) => {
    if (token.type === "link" || token.type === "image") links.push((token as Tokens.Link).href)
  })
  return links
}

function leadsSomewhere(page: string, href: string): boolean {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return true
  const [path = "", fragment] = href.split("#")
  const target = path === "" ? join(root, page) : join(root, dirname(page), decodeURI(path))
  if (!existsSync(target)) return false
  if (fragment === undefined || statSync(target).isDirectory() || !target.endsWith(".md")) return true
  return headingIds(readFileSync(target, "utf8")).includes(fragment)
}

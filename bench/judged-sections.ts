import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { extractHtml } from "#crawler/extract/extract.ts"
import type { Collection } from "./collection.ts"
import { SECTION_QUESTIONS } from "./section-questions.ts"

const HANDBOOK = join(import.meta.dirname, "../docs")
const MANUALS = join(import.meta.dirname, "testing/pages")
/** Pages of the handbook that say little of their own, or will be gone. */
const LEFT_OUT = new Set(["README.md", "architecture.md"])
const MANUAL_PAGES = [
  "sqlite/faq",
  "sqlite/isolation",
  "sqlite/backup",
  "postgresql/sql-truncate",
  "postgresql/indexes-partial",
  "postgresql/backup-dump",
  "postgresql/transaction-iso",
]
/** Headings of boxes in the manuals, which begin no section. */
const BOXES = new Set(["Important", "Note", "Tip"])

/**
 * A judged collection of the project's own: the sections of its handbook and of a few manual pages, each a
 * document with the id `page#heading`, and the questions of `section-questions.ts`.
 */
export function readJudgedSections(): Collection {
  const handbook = readdirSync(HANDBOOK)
    .filter((file) => file.endsWith(".md") && !LEFT_OUT.has(file))
    .sort()
    .flatMap((file) => sections(`docs/${file}`, readFileSync(join(HANDBOOK, file), "utf8")))
  const manuals = MANUAL_PAGES.flatMap((page) => {
    const html = readFileSync(join(MANUALS, `${page}.html`), "utf8")
    return sections(page, extractHtml(html, `https://manuals.test/${page}.html`).markdown)
  })
  const queries = SECTION_QUESTIONS.map(({ text, answers }, i) => ({
    id: `q${i + 1}`,
    text,
    relevant: new Map(Object.entries(answers)),
  }))
  return { name: "sections", documents: [...handbook, ...manuals], queries }
}

function sections(page: string, markdown: string): Collection["documents"] {
  const found: { id: string; title: string; text: string }[] = []
  let title = ""
  let inCode = false
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode
    const heading = inCode ? undefined : /^#{1,3} (.+)/.exec(line)?.[1]
    if (heading !== undefined && !BOXES.has(heading)) {
      title ||= heading
      found.push({ id: `${page}#${heading}`, title, text: "" })
    }
    const section = found.at(-1)
    if (section) section.text += `${line}\n`
  }
  return found
}

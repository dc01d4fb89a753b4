import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gatherFacts } from "../../crawler/extract/metadata.ts"
import { type PageBlocks, readPageBlocks } from "../../crawler/extract/page-blocks.ts"
import { parseTree } from "../../crawler/extract/tree.ts"

/** A page with its main text as people judged it. */
export interface JudgedPage {
  readonly set: string
  readonly url: string
  /** The last two names of its host: pages of one site look alike, and must not be on both sides of a test. */
  readonly site: string
  readonly fold: number
  readonly judged: string
  readonly file: string
}

export const FOLDS = 5

/** The pages of a folder that holds one folder a set, each with `html/<id>.html` and `truth.json`. */
export function listJudgedPages(folder: string): JudgedPage[] {
  const pages: JudgedPage[] = []
  for (const set of readdirSync(folder).toSorted()) {
    const truth = join(folder, set, "truth.json")
    if (!existsSync(truth)) continue
    const entries = JSON.parse(readFileSync(truth, "utf8")) as Record<
      string,
      { articleBody: string; url?: string }
    >
    for (const [id, entry] of Object.entries(entries)) {
      const host = URL.parse(entry.url ?? "")?.hostname ?? id
      const site = host.split(".").slice(-2).join(".")
      pages.push({
        set,
        url: entry.url || "https://example.org/",
        site,
        fold: hash(site) % FOLDS,
        judged: entry.articleBody,
        file: join(folder, set, "html", `${id}.html`),
      })
    }
  }
  return pages
}

export function openJudgedPage(page: JudgedPage): PageBlocks {
  const document = parseTree(readFileSync(page.file, "utf8"))
  return readPageBlocks(document, gatherFacts(document, page.url), page.url)
}

function hash(text: string): number {
  let value = 7
  for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) % 1_000_003
  return value
}

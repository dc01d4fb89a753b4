import type { Message } from "./receiver.ts"
import { sameAddress } from "./judge.ts"
import type { Stand } from "./world.ts"

/** The result of a site's first crawl, compared with the site's content. */
export interface Harvest {
  readonly source: string
  readonly program: string
  readonly expected: number
  readonly indexed: number
  readonly missing: readonly string[]
  /** Pages that are not content. */
  readonly junk: readonly string[]
  /** How many of the expected pages that were found have the right title. */
  readonly titles: number
  readonly wrongTitles: readonly string[]
}

/** Titles of one source's pages, by address, from webhooks. */
export function pagesTold(messages: readonly Message[], source: string): Map<string, string> {
  const pages = new Map<string, string>()
  for (const { type, data } of messages) {
    if (type !== "pages.changed" || data["source"] !== source) continue
    for (const page of data["pages"] as { change: string; url: string; title: string | null }[]) {
      if (page.change === "removed") pages.delete(page.url)
      else pages.set(page.url, page.title ?? "")
    }
  }
  return pages
}

/** Compares the pages crawled from a site with the site's content. */
export function harvestOf(stand: Stand, told: ReadonlyMap<string, string>): Harvest {
  const { site } = stand
  const missing: string[] = []
  const wrongTitles: string[] = []
  let titles = 0
  for (const { path, also = [], title } of site.pages) {
    const addresses = [path, ...also].map((one) => stand.url + one)
    const found = [...told].find(([one]) => addresses.some((address) => sameAddress(one, address)))
    if (!found) missing.push(path)
    else if (isTitle(found[1], title)) titles++
    else wrongTitles.push(`${path}: ${found[1]}`)
  }
  const junk = [...told.keys()].filter((url) => site.junk?.test(url) ?? false)
  return {
    source: site.name,
    program: site.program,
    expected: site.pages.length,
    indexed: told.size,
    missing,
    junk,
    titles,
    wrongTitles,
  }
}

/** Whether a title is the page's own: the same words, regardless of case and spacing. */
function isTitle(found: string, title: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase()
  return plain(found) === plain(title)
}

export function harvestTable(harvests: readonly Harvest[]): string {
  const rows = harvests.map(
    ({ program, expected, indexed, missing, junk, titles }) =>
      `| ${program} | ${expected} | ${expected - missing.length} | ${indexed} | ${junk.length} | ${titles} |`,
  )
  return `| program | content pages | content pages indexed | indexed in total | junk | titles correct |\n|---|---|---|---|---|---|\n${rows.join("\n")}\n`
}

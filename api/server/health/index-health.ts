import { randomBytes } from "node:crypto"

import type { Engine, PageWithVectors } from "#engine"
import { EngineError } from "#engine/errors.ts"
import { delegate } from "#engine/lifecycle/generations/delegate.ts"
import { steadyNow } from "#base/steady-time.ts"

import type { Check } from "./health.ts"

/** Milliseconds until other pages are used as the sample: reading them takes tens of milliseconds. */
const SAMPLE_MS = 60_000
/** Number of pages in the sample: the words of a single page might all be stop words, or missing. */
const PAGES = 3
const WORDS = 12

export interface IndexHealthParts {
  readonly engine: Pick<Engine, "stats" | "allPages" | "search"> & { readonly problem: string | null }
  /** Number of pages that crawls have put into the index, which are lost if the index is empty. */
  readonly lostPages: () => Promise<number>
}

/**
 * Whether the index finds its own pages: a few of them, different ones each minute, are searched for by their words and
 * by their meaning. An index that has lost its pages is not the same as an empty one.
 */
export function indexCheck({ engine, lostPages }: IndexHealthParts): Check {
  let sample: { readonly pages: readonly PageWithVectors[]; readonly until: number } = { pages: [], until: 0 }
  return async () => {
    if (engine.problem !== null) return engine.problem
    const { pages } = await engine.stats()
    if (pages === 0) return lostInWords(await lostPages())
    if (sample.until < steadyNow() || sample.pages.length === 0) {
      sample = { pages: await somePages(engine), until: steadyNow() + SAMPLE_MS }
    }
    if (sample.pages.length === 0) {
      return `The index lists ${pages} pages but cannot read any. Run \`fossick index repair\` on the server: it names the damaged file and recovers what can be read.`
    }
    if (await findsNothing(engine, sample.pages, "lexical")) return NOT_FOUND
    const embedded = sample.pages.filter(({ vectors }) => vectors !== null)
    return embedded.length > 0 && (await findsNothing(engine, embedded, "vector")) ? NOT_FOUND : null
  }
}

/** The same engine, except that searching an index that has lost all its pages is refused (`INDEX_DAMAGED`) instead of returning nothing. */
export function refusingIfLost(engine: Engine, lostPages: () => Promise<number>): Engine {
  return {
    ...delegate(engine),
    async search(query, options) {
      const found = await engine.search(query, options)
      if (found.hits.length > 0 || (await engine.stats()).pages > 0) return found
      const problem = lostInWords(await lostPages())
      if (problem !== null) throw new EngineError("INDEX_DAMAGED", problem)
      return found
    },
  }
}

/** The public text about lost pages; null when none are lost. */
export const lostInWords = (lost: number): string | null =>
  lost === 0
    ? null
    : `The index has lost ${lost} ${lost === 1 ? "page" : "pages"} because its files were damaged. The next crawl of their sources reads them again (fossick crawl, fossick sources run).`

const NOT_FOUND =
  "The index does not find pages that it holds. Run `fossick index repair` on the server: it names the damaged file and rebuilds it."

async function somePages(engine: Pick<Engine, "allPages">): Promise<PageWithVectors[]> {
  // Ids are digests, so any random one is a possible starting point.
  const after = randomBytes(16).toString("base64url")
  const pages: PageWithVectors[] = []
  for (const from of [after, ""]) {
    for await (const page of engine.allPages({ after: from })) {
      if (wordsOf(page) !== "") pages.push(page)
      if (pages.length >= PAGES) return pages
    }
  }
  return pages
}

/** The first words of a page, as a question. */
const wordsOf = ({ page }: PageWithVectors): string =>
  (`${page.title} ${page.markdown.slice(0, 2000)}`.match(/[\p{L}\p{N}]{3,}/gu) ?? [])
    .slice(0, WORDS)
    .join(" ")

async function findsNothing(
  engine: Pick<Engine, "search">,
  pages: readonly PageWithVectors[],
  arms: "lexical" | "vector",
): Promise<boolean> {
  for (const page of pages) {
    const query = { text: wordsOf(page), limit: 1, arms, passagesPerPage: 0, withMarkdown: false }
    if ((await engine.search(query)).hits.length > 0) return false
  }
  return true
}

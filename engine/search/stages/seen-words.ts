import type { PageFilter } from "../../engine.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import type { AnalysedQuery } from "../../text/analysis/analyse.ts"
import { termHash } from "../../text/analysis/term-hash.ts"
import { unpackTerms } from "../../text/passage-terms.ts"
import { bestFirst } from "../likeliest.ts"

/** Maximum number of a question's terms to look up. */
const MOST_LOOKED_UP = 12
/** How many of the best pages are read: they contain nearly all words of a question. */
const PAGES_READ = 8
/** Number of pages read first: they often contain all the words. */
const PAGES_READ_FIRST = 2
/** Maximum number of times corrections are requested again, without words that turned out to be out of reach. */
const MOST_ROUNDS = 12

type Looked = Pick<SearchIndex, "corrections" | "holding" | "lexical" | "passageTerms">

/**
 * Corrections for misspelt terms. When the filter names readers, words found only on pages out of reach count neither
 * as known nor as corrections: otherwise a correction, or the lack of one, would reveal such pages.
 *
 * @param bestPages ids of pages in reach that contain most words of the question, best first
 */
export async function correctionsSeen(
  index: Looked,
  asked: Pick<AnalysedQuery, "terms" | "written">,
  filter: PageFilter | undefined,
  bestPages: () => Promise<readonly string[]>,
): ReturnType<SearchIndex["corrections"]> {
  if (filter?.readers === undefined) return await index.corrections(asked)
  const { readers, excludeSources = [] } = filter
  const inReach: readonly Condition[] = [{ readers, excludeSources }]
  // Terms beyond the limit stay as they were written.
  const terms = asked.terms.slice(0, MOST_LOOKED_UP)
  const unheld = await notHeld(index, terms, inReach, bestPages)
  for (let round = 1; ; round++) {
    const corrections = await index.corrections({ ...asked, terms }, unheld)
    const meant = [...corrections.values()].flat()
    const best = async () => bestFirst(await index.lexical(meant, PAGES_READ, inReach))
    const unseen = await notHeld(index, meant, inReach, best)
    if (unseen.size === 0) return corrections
    if (round === MOST_ROUNDS) return withoutMeant(corrections, unseen)
    for (const one of unseen) unheld.add(one)
  }
}

/** Answers recent calls from memory. Reader labels and vectors aren't compared: pass the same ones with each call. */
export function askedOnce<Asked extends readonly unknown[], Answer>(
  ask: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  let last: { readonly key: string; readonly answer: Promise<Answer> } | null = null
  return async (...asked) => {
    const key = JSON.stringify(asked, (name, value: unknown) =>
      name === "readers" || value instanceof Float32Array ? true : value,
    )
    if (last?.key !== key) last = { key, answer: ask(...asked) }
    return await last.answer
  }
}

const withoutMeant = (
  corrections: ReadonlyMap<string, readonly string[]>,
  unseen: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Array.from(
      corrections,
      ([term, meant]) => [term, meant.filter((one) => !unseen.has(one))] as const,
    ).filter(([, meant]) => meant.length > 0),
  )

/** The terms that are on no page within reach. Reads the best pages first, then looks up each term that isn't on any of them. */
async function notHeld(
  index: Looked,
  asked: readonly string[],
  inReach: readonly Condition[],
  bestPages: () => Promise<readonly string[]>,
): Promise<Set<string>> {
  const terms = new Set(asked)
  if (terms.size === 0) return terms
  const unread = new Map([...terms].map((term) => [termHash(term), term]))
  const best = (await bestPages()).slice(0, PAGES_READ)
  for (const pages of [best.slice(0, PAGES_READ_FIRST), best.slice(PAGES_READ_FIRST)]) {
    for await (const [, packed] of index.passageTerms(pages)) {
      const { title, passages } = unpackTerms(packed)
      for (const hash of unread.keys())
        if (title.includes(hash) || passages.hashes.includes(hash)) unread.delete(hash)
      if (unread.size === 0) return new Set()
    }
  }
  const looked = [...unread.values()].slice(0, MOST_LOOKED_UP)
  const held = await Promise.all(
    looked.map(async (term) => (await index.holding([term], "all", 1, inReach)).length > 0),
  )
  return new Set(looked.filter((_, i) => !held[i]))
}

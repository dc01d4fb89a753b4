import { setImmediate } from "node:timers/promises"
import { breather } from "#base/flow/breather.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { WorkError } from "#base/process/threads/work-threads.ts"
import { wordsOf } from "../text/analysis/analyse.ts"
import { looksForPhrases } from "../text/phrase-match.ts"
import { PHRASE_TERMS } from "../text/sections.ts"
import type { Condition, SearchIndex } from "../index/search-index.ts"

/** Number of pages whose text is read to verify phrases: in steps, until there are enough, up to this total. */
const PHRASE_STEP = 25
const PHRASE_CANDIDATES = 2000
/** The same total for phrases without a term ("++"), which no index finds: any page may contain them. */
const TERMLESS_CANDIDATES = 100_000

export interface PhraseSearch {
  readonly phrases: readonly string[]
  /** Number of pages wanted; slightly more may be returned. */
  readonly limit: number
  readonly conditions: readonly Condition[]
  readonly languages: readonly string[]
  readonly signal: AbortSignal | undefined
}

/** Ids of pages that contain every phrase: enough to reach the limit, if there are that many. */
export async function pagesWithPhrases(
  index: SearchIndex,
  { phrases, limit, conditions, languages, signal }: PhraseSearch,
): Promise<string[]> {
  const enough = Math.max(100, limit * 3)
  const verified = new Set<string>()
  for (const language of languages.length > 0 ? languages : [null]) {
    const candidates = await candidatesFor(index, phrases, language, conditions)
    for (let at = 0; at < candidates.length && verified.size < enough; at += PHRASE_STEP) {
      for (const id of await pagesHolding(index, candidates.slice(at, at + PHRASE_STEP), phrases, signal))
        verified.add(id)
      await setImmediate()
      signal?.throwIfAborted()
    }
  }
  return [...verified]
}

/** Pages that contain the words of each phrase; the words of one phrase must be in one section. */
async function candidatesFor(
  index: SearchIndex,
  phrases: readonly string[],
  language: string | null,
  conditions: readonly Condition[],
): Promise<readonly string[]> {
  const wanted = phrases.map((phrase) => phraseTerms(phrase, language)).filter((terms) => terms.length > 0)
  if (wanted.length === 0) return await index.holding([], "all", TERMLESS_CANDIDATES, conditions)
  // The longest phrase is likely to be in the fewest pages.
  const [first, ...others] = wanted.toSorted((a, b) => b.length - a.length)
  let ids = await index.holding(first!, "all", PHRASE_CANDIDATES, conditions)
  for (const terms of others) {
    if (ids.length === 0) break
    const among = new Set(await index.holding(terms, "all", ids.length, [{ ids }]))
    ids = ids.filter((id) => among.has(id))
  }
  return ids
}

/** The part of a phrase to look for in a section: its first words, each once. */
export const phraseTerms = (phrase: string, language: string | null): string[] => [
  ...new Set(wordsOf(phrase, language).slice(0, PHRASE_TERMS)),
]

/** The pages, among the given few, that contain every phrase. */
export async function pagesHolding(
  index: SearchIndex,
  ids: readonly string[],
  phrases: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const breathe = breather()
  const holding: string[] = []
  for (const { id, title, markdown, passages } of await index.texts(ids)) {
    await breathe()
    const options = { chars: markdown.length, signal }
    if (await looksForPhrases(options, { title, markdown, passages }, phrases).catch(unreadable))
      holding.push(id)
  }
  return holding
}

/** A page that can't be read counts as not containing the phrases: it must not make the search fail. */
function unreadable(error: unknown): boolean {
  if (!(error instanceof WorkError)) throw error
  leaveOut("pages")
  return false
}

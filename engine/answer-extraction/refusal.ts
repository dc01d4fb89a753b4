import { chanceOf, isHeld, type Source } from "./candidates.ts"
import { neighbours, type Valued } from "./values.ts"

/** The inverse document frequencies of the question's terms in the whole index. Terms that are not in it count nothing. */
export type Rarity = ReadonlyMap<string, number>

/** That of a term which one page of a thousand has: none counts as rarer. */
const RAREST = 7

/**
 * What it takes to answer at all, in one number: the nearness in meaning of the best statement (0..1), the chance that the best
 * page answers (its score), less something for a name that was asked for and is not in its page, less the rarity of the rarest term that stands neither in the statement nor around it, and something for a number
 * that was asked for and is not there. Below `least` nothing is said.
 *
 * On the half for tuning of `bench/questions/judged`, 18 of 19 questions that no page answers lie below, 3 of the 75 others.
 * Without vectors the share of the words stands for the meaning. Below `floor` no score of a page helps.
 */
const BAR = {
  meaning: { weight: 1, least: 0.97, floor: 0.3 },
  words: { weight: 0.5, least: 0.7, floor: 0.2 },
  page: 1.5,
  rarest: 0.2,
  name: 0.2,
  number: 0.5,
}

/**
 * Whether statements answer at all. "Nothing here answers this" is better than a near miss.
 *
 * @param best the best of `candidates`
 * @param named terms that are looked for in statements of their own
 */
export function isAnswered(
  best: Valued,
  candidates: readonly Valued[],
  {
    question,
    hits,
    rarity,
    named = new Set(),
  }: {
    readonly question: string
    readonly hits: readonly Source[]
    readonly rarity: Rarity
    readonly named?: ReadonlySet<string>
  },
): boolean {
  const { meaning, words, statement, asked } = best
  const { url = "", title, markdown, language } = hits[statement.source]!
  const address = `${title} ${decoded(url)}`.toLowerCase()
  const near = neighbours(candidates)(best)
  const isThere = (term: string) =>
    named.has(term) || isHeld(best, term) || near.some(({ own }) => own.has(term)) || address.includes(term)
  const missing = asked.filter((term) => !isThere(term))
  const rarest = Math.max(0, ...missing.map((term) => Math.min(1, (rarity.get(term) ?? 0) / RAREST)))
  const page = Math.max(...hits.map(chanceOf))
  const { weight, least, floor } = meaning === null ? BAR.words : BAR.meaning
  const sum =
    weight * (meaning ?? words) +
    BAR.page * page -
    BAR.rarest * rarest -
    (lacksName(question, `${title}\n${markdown}`, language) ? BAR.name : 0) -
    (missing.some((term) => /^\d/.test(term)) ? BAR.number : 0)
  return sum >= least && (meaning ?? words) >= floor
}

/** A word with a capital letter where none has to stand; in other languages nouns may have one. */
const NAME = /(?<=[^\s.?!:]\s+)\p{Lu}[\p{L}\p{N}_-]+/gu

/** Whether a question has a name that a page has not. English only. */
function lacksName(question: string, page: string, language: string | null): boolean {
  if (language !== "en") return false
  const names = question.match(NAME) ?? []
  if (names.length === 0) return false
  const text = page.toLowerCase()
  return names.some((name) => !text.includes(name.toLowerCase()))
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

import type { Query } from "../engine.ts"
import type { Reads } from "./ranking/languages.ts"
import { functionWords } from "../text/analysis/stop-words.ts"
import { isWrittenIn, SCRIPTS } from "../text/scripts.ts"

const LETTERS: readonly (readonly [script: string, letter: RegExp])[] = [
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ...Object.keys(SCRIPTS)
    .filter((script) => script !== "Kana")
    .map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const),
]
const OTHER_SCRIPTS = new Set(Object.values(SCRIPTS).flat())
/** How many times as many function words of one language a question must contain as of any other. */
const CLEARLY = 1.5

/**
 * The languages that the asker probably reads, judged by the question: the language of its function words if that is
 * clear, otherwise all languages written in its script. A question in Latin letters can be a name that Russian pages
 * spell the same: the asker may read other languages in Latin letters, and rarely wants the Russian page.
 */
export function readBy(question: string): Reads {
  const script = LETTERS.find(([, letter]) => letter.test(question))?.[0]
  if (script !== undefined) return (language) => SCRIPTS[script]!.includes(language)
  const language = languageOf(question)
  if (language !== null) return (other) => other === language
  return /\p{Script=Latin}/u.test(question) ? (other) => !OTHER_SCRIPTS.has(other) : () => true
}

/** The languages that the caller names, or else those inferred from the question. */
export function readsOf(
  { filter, preference }: Pick<Query, "filter" | "preference">,
  question: string,
  indexed: readonly string[],
): Reads {
  if (indexed.length < 2 || filter?.languages?.length) return () => true
  const named = preference?.languages
  return named?.length ? (language) => named.includes(language) : readBy(question)
}

/**
 * The minimum share of pages for a language to count. Of 1,853 English manual pages, 3 in 100 are mistaken for one of
 * eleven other languages, and at most 1.2 in 100 for any single one. When those languages counted too, nDCG@10 of
 * misspelt questions was 0.02 lower, because the misspelling is a word in one of them.
 */
export const REAL_SHARE = 0.02

/**
 * The languages that a question's words are read in: of the languages in its script, those with a significant share of
 * the pages, and the language of its function words if any page is in it. A question in two scripts, such as Russian
 * with English names, can be in any language.
 *
 * @param shares share of the pages in each language
 * @returns all languages if none has a significant share
 */
export function languagesAsked(question: string, shares: ReadonlyMap<string, number>): string[] {
  const all = [...shares.keys()]
  const script = LETTERS.find(([, letter]) => letter.test(question))?.[0]
  const ofScript = script === undefined ? [] : SCRIPTS[script]!
  const told = script === undefined ? [languageOf(question)] : ofScript
  const real = all.filter((one) => shares.get(one)! >= REAL_SHARE || told.includes(one))
  const isLatin = /\p{Script=Latin}/u.test(question)
  const own = real.filter((one) =>
    isLatin ? ofScript.length > 0 || !OTHER_SCRIPTS.has(one) : ofScript.includes(one),
  )
  return [own, real].find(({ length }) => length > 0) ?? all
}

/** Function words that also occur in names, as in "Museo del Prado de Madrid": a question with no other function words may be a name. */
const IN_NAMES = new Set(
  `a al am an and au aux d da das de dei del della delle dem den der des di die do dos du dal e ei el et i ii il in im l la las
    le les lo los na och of og on op or ou sur the u und van von vor y z zu zum zur`.split(/\s+/),
)
/** Question words and similar words missing from {@link functionWords}. They are kept separate, since that list also affects ranking. */
const ASKING: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(
    "hatte hatten viele wann welche welchem welchen welcher welches wem wen wessen wurde wurden".split(" "),
  ),
  es: new Set("cuáles cuánta cuántas cuánto cuántos quiénes".split(" ")),
  fr: new Set(["combien", "quand"]),
  it: new Set(["quanti", "quanto"]),
  nl: new Set(["hoeveel", "wanneer", "welke"]),
  pt: new Set(["quais", "quantas", "quanto", "quantos"]),
  ro: new Set(["căror", "cărei", "câtă"]),
  sv: new Set(["vilka", "vilket"]),
}
/** Japanese also uses Chinese characters. */
const WRITTEN_IN: Readonly<Record<string, readonly string[]>> = { Kana: ["Hiragana", "Katakana", "Han"] }

/**
 * The languages that a question is clearly in: all that are written in the script of most of its letters, or else the
 * language of its function words. Of 5,950 questions of XQuAD in German, Spanish, Romanian, Turkish and Vietnamese, 90%
 * are recognised, and 3 in 1,000 are mistaken for another language; of 2,010 English questions, none is.
 *
 * @returns ISO 639-1; empty if unclear, as for a question made of names
 */
export function clearlyIn(question: string): readonly string[] {
  const script = LETTERS.find(
    ([one, letter]) => letter.test(question) && isWrittenIn(WRITTEN_IN[one] ?? [one], question),
  )?.[0]
  if (script !== undefined) return SCRIPTS[script]!
  const words = wordsIn(question)
  const weights = new Map<string, number>()
  const known = words.map((word) => {
    const languages = functionWords([word]).flatMap(({ language, count }) =>
      count > 0 || ASKING[language]?.has(word) ? language : [],
    )
    // A word shared by several languages counts proportionally less for each.
    for (const one of languages) weights.set(one, (weights.get(one) ?? 0) + 1 / languages.length)
    return { word, languages }
  })
  const [[language, weight] = ["", 0], [, next] = ["", 0]] = [...weights].toSorted((a, b) => b[1] - a[1])
  if (weight < 1 || weight < CLEARLY * next) return []
  const own = known.filter(({ languages }) => languages.includes(language)).map(({ word }) => word)
  if (own.every((word) => IN_NAMES.has(word))) return []
  // A single function word can occur by chance, but not in a text with a letter that English lacks.
  const isBackedUp = words.some((word) => !own.includes(word) && OTHER_THAN_ENGLISH.test(word))
  return own.length > 1 || isBackedUp ? [language] : []
}

/** Whether any of these languages has a real share of the pages. */
export const areSpoken = (languages: readonly string[], shares: ReadonlyMap<string, number>): boolean =>
  languages.some((one) => (shares.get(one) ?? 0) >= REAL_SHARE)

const OTHER_THAN_ENGLISH = /[^a-z'’]/

const wordsIn = (question: string): readonly string[] =>
  question.toLowerCase().match(/[\p{L}\p{M}'’]+/gu) ?? []

/** ISO 639-1, or null if the function words match no language, or several. */
function languageOf(question: string): string | null {
  const words = wordsIn(question)
  const [first, second] = functionWords(words).toSorted((a, b) => b.count - a.count)
  if (!first || first.count === 0) return null
  return first.count >= CLEARLY * (second?.count ?? 0) ? first.language : null
}

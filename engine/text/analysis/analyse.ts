import { type QueryText, parseQueryText } from "../query-text.ts"
import { CHUNK, findChunks } from "./chunks.ts"
import { type Term, type Terms, knownTerms, termOf } from "./known-chunks.ts"
import { oneSpelling } from "./letters.ts"
import { type Stem, lowerCase, stemmerOf } from "./stem.ts"
import { isStopWord } from "./stop-words.ts"

/** The terms of a query, as {@link analyse} produces them. */
export interface AnalysedQuery {
  /** Terms to look for, each once. */
  readonly terms: readonly string[]
  /** For each word, its forms in the languages that the question might be in. */
  readonly forms: readonly (readonly string[])[]
  /** How often each term occurs in the question. */
  readonly times: ReadonlyMap<string, number>
  /** The word that each term comes from, in lower case, and the language it was read in; names have no language. */
  readonly written: ReadonlyMap<string, { readonly word: string; readonly language: string | null }>
  /** The quoted phrases as written. */
  readonly quoted: readonly string[]
}

/** Maximum length of a term. A longer chunk isn't a word but encoded data or a minified line: its parts are indexed, but not the whole. */
const LONGEST_TERM = 64

/** Scripts written without spaces, and Korean, whose words carry their particles: indexed by bigrams. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}"
const PLAIN_WORD = /^[A-Z]?[a-z]+$/
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u")
const UNSPACED_RUN = new RegExp(`[${UNSPACED}][${UNSPACED}\\p{M}]*`, "gu")
/** The words within a name: `useEffect`, `HTTPServer`, `foo_bar`, `utf8`. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+|\p{Lu}+/gu

/**
 * The terms of a text, in order, for the index and for queries alike.
 *
 * Text is lower-cased and written in one spelling per script, words are stemmed by the language's Snowball algorithm
 * (English if unknown), and accents are folded after stemming. A name such as `node:sqlite`, `useEffect`, `foo_bar` or
 * `3.11` yields the whole name and then its parts; scripts without spaces yield single characters and bigrams. No term
 * contains white space.
 *
 * @param language ISO 639-1, or null if unknown.
 */
export const analyse = (text: string, language: string | null): string[] =>
  findTerms(text, language).map((term) => term.text)

/** {@link analyse} for the index: returns the terms with their hashes, and the terms joined into one text. */
export function termsIn(text: string, language: string | null): Terms {
  const terms = findTerms(text, language)
  return { terms, text: terms.map((term) => term.text).join(" ") }
}

function findTerms(text: string, language: string | null): Term[] {
  const terms: Term[] = []
  const stem = stemmerOf(language)
  const plain = oneSpelling(text)
  findChunks(plain, (from, to, hash) => {
    const isWhole = to - from <= LONGEST_TERM
    const found = isWhole
      ? knownTerms(plain, from, to, hash, stem, termsOfChunk)
      : termsOfChunk(plain.slice(from, to), stem).map(termOf)
    for (const term of found) terms.push(term)
  })
  return terms
}

function termsOfChunk(chunk: string, stem: Stem): string[] {
  const terms: string[] = []
  addTerms(chunk, stem, terms, true)
  return terms
}

/**
 * The terms of a question's text, without its operators. Function words (`how do I …`) are left out unless the question
 * has no others or they are in a quoted phrase.
 *
 * @param question as asked, or as {@link parseQueryText} read it.
 */
export function analyseQuery(question: string | QueryText, language: string | null): AnalysedQuery {
  const { text, phrases } = typeof question === "string" ? parseQueryText(question) : question
  const all = wordsOf(text, language)
  const telling = wordsOf(text, language, (chunk) => !isStopWord(chunk, language))
  const quoted = phrases.flatMap((phrase) => wordsOf(phrase, language))
  const asked = telling.length > 0 ? telling : all
  const terms = [...new Set([...asked, ...quoted])]
  const forms = terms.map((term) => [term])
  return { terms, forms, times: timesOf(asked), written: writtenWords(text, language), quoted: phrases }
}

/** How often each of these terms occurs. */
export function timesOf(terms: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1)
  return times
}

function writtenWords(text: string, language: string | null): AnalysedQuery["written"] {
  const stem = stemmerOf(language)
  const words = oneSpelling(text).match(/[\p{L}\p{M}]+/gu) ?? []
  return new Map(
    words.map((one) => {
      const word = lowerCase(one, stem)
      return [stem(word), { word, language }]
    }),
  )
}

/** The terms that find a text: those of {@link analyse}, but only bigrams for scripts without spaces. */
export function wordsOf(
  text: string,
  language: string | null,
  keep: (chunk: string) => boolean = () => true,
): string[] {
  const terms: string[] = []
  const stem = stemmerOf(language)
  for (const [chunk] of oneSpelling(text).matchAll(CHUNK)) {
    if (keep(lowerCase(chunk, stem))) addTerms(chunk, stem, terms, false)
  }
  return terms
}

/**
 * The one term that a text contains exactly when it contains this word or name; null for several words, no word, or a
 * word in a script without spaces.
 */
export function wholeTerm(word: string, language: string | null): string | null {
  const chunks = oneSpelling(word).match(CHUNK) ?? []
  const [chunk] = chunks
  if (chunk === undefined || chunks.length > 1 || HAS_UNSPACED.test(chunk)) return null
  if (chunk.length > LONGEST_TERM) return null
  return wordsOf(chunk, language)[0] ?? null
}

function addTerms(chunk: string, stem: Stem, terms: string[], singles: boolean): void {
  if (PLAIN_WORD.test(chunk)) {
    terms.push(stem(lowerCase(chunk, stem)))
    return
  }
  if (HAS_UNSPACED.test(chunk)) {
    addUnspaced(chunk, stem, terms, singles)
    return
  }
  const clitic = /^(.+)['’]\p{L}{1,2}$/u.exec(chunk)
  if (clitic) {
    addTerms(clitic[1]!, stem, terms, singles)
    return
  }
  const lower = lowerCase(chunk, stem)
  const parts = chunk.match(PART) ?? []
  if (parts.length < 2) {
    terms.push(parts[0] === chunk ? stem(lower) : lower)
    if (parts[0] !== undefined && parts[0] !== chunk) terms.push(stem(lowerCase(parts[0], stem)))
    return
  }
  if (lower.length <= LONGEST_TERM) terms.push(lower)
  for (const part of parts) terms.push(stem(lowerCase(part, stem)))
}

function addUnspaced(chunk: string, stem: Stem, terms: string[], singles: boolean): void {
  let end = 0
  for (const match of chunk.matchAll(UNSPACED_RUN)) {
    const between = chunk.slice(end, match.index)
    for (const [word] of between.matchAll(CHUNK)) addTerms(word, stem, terms, singles)
    const run = Array.from(match[0].toLowerCase())
    for (let i = 0; i < run.length; i++) {
      if (singles || run.length === 1) terms.push(run[i]!)
      if (i + 1 < run.length) terms.push(run[i]! + run[i + 1]!)
    }
    end = match.index + match[0].length
  }
  for (const [word] of chunk.slice(end).matchAll(CHUNK)) addTerms(word, stem, terms, singles)
}

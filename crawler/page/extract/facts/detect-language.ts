import { createRequire } from "node:module"
import { lazily } from "#base/process/lazily.ts"
import { LETTERS_PER_CHARACTER, eastAsianIn } from "#base/text/east-asian.ts"
import { functionWords } from "#engine/text/analysis/stop-words.ts"
import { isWrittenIn, scriptOf } from "#engine/text/scripts.ts"
import { toPlainText } from "../markdown/plain-text.ts"

/** Loaded on the first text, because it takes up 8 MB and the process that answers searches rarely needs it. */
const tinyld = lazily(() => createRequire(import.meta.url)("tinyld") as typeof import("tinyld"))

const LATIN = /\p{Script=Latin}/gu
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu
const HANGUL = /\p{Script=Hangul}/gu
/** Minimum share of kana. In a Japanese text about half of the characters are kana; a Chinese text has kana only in a few names. */
const KANA_SHARE = 0.1
const WORD = /\p{L}[\p{L}\p{M}'’]*/gu

/** Minimum share of a language's function words in its prose, even among the names and commands of a manual. */
const PROSE = 0.12
/** How many times as frequent these words must be as those of any other language, because related languages share some. */
const CLEARLY = 1.5
/**
 * Minimum share of English function words at which a text is English even if tinyld would guess a language whose
 * function words are not known here. {@link PROSE} would be too low: a half-translated manual has as many English
 * function words, and Polish has words such as `do`, `to` and `on`.
 */
const ENGLISH_PROSE = 0.25
/** Minimum certainty of a guess, from 0 to 1. If a guess is less certain, the text is a list of names or code. */
const SURE = 0.1

/** Maximum number of characters of a page, and of its text, that are examined. */
const MARKDOWN_CHARS = 8_000
const SAMPLE_CHARS = 2_000
/** Minimum length of a text that can be judged. */
const LEAST_CHARS = 40
const CODE = /^(`{3,})[^]*?(?:^\1|$(?![^]))|`[^`\n]+`/gm

/** The language of a page, judged by its text without code if there is enough of it. */
export function languageOfMarkdown(markdown: string): string | null {
  const page = markdown.slice(0, MARKDOWN_CHARS)
  const sampleOf = (text: string) => toPlainText(text).slice(0, SAMPLE_CHARS)
  const prose = sampleOf(page.replace(CODE, " "))
  const sample = prose.length < LEAST_CHARS ? sampleOf(page) : prose
  return sample.length < LEAST_CHARS ? null : detectLanguage(sample)
}

/**
 * ISO 639-1 code of the most likely language of a text; null when it is unknown.
 *
 * Determined by its script, then by its function words, and otherwise by tinyld, which counts groups of letters. For an
 * English manual full of names and commands, tinyld suggests Hindi, Czech or Irish, and where the manual explains
 * savepoints it is fully certain of Portuguese.
 */
export function detectLanguage(text: string): string | null {
  const eastAsian = eastAsianLanguage(text)
  if (eastAsian !== null) return eastAsian
  const words = text.toLowerCase().match(WORD) ?? []
  const told = functionWords(words).toSorted((a, b) => b.count - a.count)
  const [most, second] = told
  const isEnglish = most!.language === "en" && most!.count >= ENGLISH_PROSE * words.length
  const isProse =
    words.length > 0 && most!.count >= PROSE * words.length && most!.count >= CLEARLY * second!.count
  // A guess could not change this result, and guessing would take a quarter of the time for reading a page.
  if (isProse && isEnglish) return most!.language
  // tinyld also knows languages that have only three-letter codes, and mistakes English manuals for them.
  const guess = tinyld()
    .detectAll(text)
    .find(({ lang }) => lang.length === 2 && isWrittenIn([scriptOf(lang)], text))
  const isKnown = guess === undefined || told.some(({ language }) => language === guess.lang)
  if (isProse && isKnown) return most!.language
  return guess && guess.accuracy >= SURE ? guess.lang : null
}

/** The language of the prose in code. If its function words don't decide, the language stays unknown, because names look like Latin or Czech. */
export function languageOfProse(text: string): string | null {
  // Addresses are removed because `com` is a Portuguese word.
  const sample = text.replace(/\bhttps?:\/\/\S{1,2000}/g, "").slice(0, SAMPLE_CHARS)
  if (sample.length < LEAST_CHARS) return null
  const eastAsian = eastAsianLanguage(sample)
  if (eastAsian !== null) return eastAsian
  const words = sample.toLowerCase().match(WORD) ?? []
  const [most, second] = functionWords(words).toSorted((a, b) => b.count - a.count)
  const isProse = most!.count >= PROSE * words.length && most!.count >= CLEARLY * second!.count
  return words.length > 0 && isProse ? most!.language : null
}

/** The language according to its script: tinyld mistakes most pages of a Chinese manual for English, since they are full of commands in Latin letters. */
function eastAsianLanguage(text: string): string | null {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0
  const characters = eastAsianIn(text)
  if (characters === 0 || characters * LETTERS_PER_CHARACTER < count(LATIN)) return null
  if (count(HANGUL) > characters / 2) return "ko"
  return count(KANA) >= KANA_SHARE * characters ? "ja" : "zh"
}

import { stemmer as greek } from "@orama/stemmers/greek"
import { stemmer as hindi } from "@orama/stemmers/indian"
import { stemmer as indonesian } from "@orama/stemmers/indonesian"
import { stemmer as lithuanian } from "@orama/stemmers/lithuanian"
import { stemmer as nepali } from "@orama/stemmers/nepali"
import { stemmer as serbian } from "@orama/stemmers/serbian"
import snowball from "snowball-stemmers"
import { noteCache } from "#base/flow/memory/cache-memory.ts"
import { isAscii } from "#base/text/ascii.ts"
import { ownCopy } from "#base/text/own-copy.ts"
import { polish } from "./polish.ts"

/** Snowball algorithm by ISO 639-1 code. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nb: "norwegian",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
}

/** `ולספר`, and to the book: Hebrew writes its conjunctions, prepositions and article as letters of the word that follows. */
const withoutPrefixes = (word: string) => word.replace(/^[ושכ]{0,2}[בלמה]?(?=\p{Script=Hebrew}{3})/u, "")

/** Languages that `snowball-stemmers` lacks. */
const LATER: Readonly<Record<string, (word: string) => string>> = {
  el: greek,
  he: withoutPrefixes,
  hi: hindi,
  id: indonesian,
  lt: lithuanian,
  ne: nepali,
  pl: polish,
  sr: serbian,
}

/** Returns the stem of a lower-case word. */
export type Stem = (word: string) => string

/** Number of words kept with their stems, for all languages together; a page's words repeat, and so do those of its site. */
const KNOWN_WORDS = 100_000
/** Size of a word with its stem: 74 bytes were measured for words of seven letters. */
const BYTES_OF_WORD = 100
/** Longest text that is stemmed. Snowball rules only look at suffixes; a longer text isn't a word in a natural language. */
const LONGEST_WORD = 40

/** Stemmers, by algorithm or language. */
const stems = new Map<string, Stem>()
/** The words with their stems, one map for each language. */
const known: Map<string, string>[] = []
let words = 0

noteCache("words", {
  get held() {
    return words * BYTES_OF_WORD
  },
  total: KNOWN_WORDS * BYTES_OF_WORD,
})

/** The stemmer of a language given as ISO 639-1; English if the language is unknown or has no stemmer. */
export function stemmerOf(language: string | null): Stem {
  const key = language !== null && language in LATER ? language : (ALGORITHMS[language ?? "en"] ?? "english")
  let stem = stems.get(key)
  if (!stem) stems.set(key, (stem = remembering(key)))
  return stem
}

/** Puts a word in lower case by the rules of the stemmer's language: Turkish has an i with a dot and one without. */
export const lowerCase = (word: string, stem: Stem): string =>
  stem === stems.get("turkish") ? word.toLocaleLowerCase("tr") : word.toLowerCase().replaceAll("i\u0307", "i")

function remembering(key: string): Stem {
  const spelt = SPELT[key] ?? ((word: string) => word)
  const cut = LATER[key] ?? stemmerNamed(key)
  const ofLanguage = new Map<string, string>()
  known.push(ofLanguage)
  return (word) => {
    if (word.length > LONGEST_WORD) return word
    let stem = ofLanguage.get(word)
    if (stem === undefined) {
      const own = ownCopy(word)
      stem = withoutAccents(cut(spelt(own)))
      if (words === KNOWN_WORDS) forgetAll()
      ofLanguage.set(own, stem)
      words++
    }
    return stem
  }
}

function stemmerNamed(algorithm: string): Stem {
  const stemmer = snowball.newStemmer(algorithm)
  return (word) => stemmer.stem(word)
}

function forgetAll(): void {
  for (const ofLanguage of known) ofLanguage.clear()
  words = 0
}

/**
 * `mueller` becomes `müller`, as in Snowball's german2. Words such as `neue` become `neü` too, in pages and questions
 * alike, and so stay one term.
 */
const withUmlauts = (word: string) =>
  word
    .replaceAll("ae", "ä")
    .replaceAll("oe", "ö")
    .replace(/(?<!q)ue/g, "ü")

/** `والكتاب`, and the book: Snowball strips the article, but not a conjunction before it. */
const withoutConjunction = (word: string) => word.replace(/^[وف](?=ال.{2})/u, "")

/** Changes to a word before it is stemmed, by algorithm. */
const SPELT: Readonly<Record<string, (word: string) => string>> = {
  arabic: withoutConjunction,
  german: withUmlauts,
}

/** Latin, Greek and Cyrillic letters without their marks: `café` and `cafe` are one term. */
function withoutAccents(word: string): string {
  if (isAscii(word)) return word
  return word
    .normalize("NFD")
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu, "")
    .normalize("NFC")
    .replace(/[ßøłđıæ]/g, (letter) => FOLDED[letter]!)
}

/** Letters that Unicode doesn't decompose into a letter and a mark. */
const FOLDED: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", đ: "d", ı: "i", æ: "ae" }

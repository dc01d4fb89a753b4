import { offLoop } from "#base/process/threads/off-loop.ts"
import type { Passage } from "../index/page/passage.ts"

/** The text of a page, in which phrases are looked for. */
export interface PhraseText {
  readonly title: string
  readonly markdown: string
  readonly passages: readonly Passage[]
}

/**
 * Whether every phrase is in the page's title, a heading or the text, word by word as written: stop words and
 * punctuation count, and a phrase may continue from one passage into the next. Case, white space, markdown's marks,
 * compatibility forms (NFKC), the shapes of quotes and hyphens, and invisible characters are ignored.
 */
export function holdsPhrases({ title, markdown, passages }: PhraseText, phrases: readonly string[]): boolean {
  const plain = passages.map(({ text }) => text).join("\n")
  const texts = [title, ...headingsOf(passages), plain].map(comparable)
  let whole: string | undefined
  return phrases
    .map(comparable)
    .every(
      (phrase) =>
        texts.some((text) => standsIn(text, phrase)) || standsIn((whole ??= comparable(markdown)), phrase),
    )
}

/** {@link holdsPhrases} without blocking the event loop. */
export const looksForPhrases = offLoop(import.meta.url, holdsPhrases)

const headingsOf = (passages: readonly Passage[]): Set<string> =>
  new Set(passages.flatMap(({ headings }) => headings))

function comparable(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/[\u2018\u2019\u201a\u201b\u2032\u00b4`]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/\s+/g, " ")
    .trim()
}

const LETTER = /[\p{L}\p{M}\p{N}_]/u
/** A phrase in a script without spaces may begin and end anywhere. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

function standsIn(text: string, phrase: string): boolean {
  const opensWord = isSpacedLetter(characterAt(phrase, 0))
  const endsInWord = isSpacedLetter(characterBefore(phrase, phrase.length))
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const cutBefore = opensWord && isSpacedLetter(characterBefore(text, at))
    const cutAfter = endsInWord && isSpacedLetter(characterAt(text, at + phrase.length))
    if (!cutBefore && !cutAfter) return true
  }
  return false
}

const isSpacedLetter = (character: string) => LETTER.test(character) && !UNSPACED.test(character)

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? "" : String.fromCodePoint(code)
}

function characterBefore(text: string, at: number): string {
  const surrogate = at > 1 && /[\uDC00-\uDFFF]/.test(text[at - 1]!)
  return text.slice(Math.max(0, at - (surrogate ? 2 : 1)), at)
}

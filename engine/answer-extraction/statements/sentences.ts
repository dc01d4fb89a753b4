/** An ending after which the sentence continues in the next piece, whatever letter that piece begins with. */
const ABBREVIATION =
  /(?:^|[\s([„“"'])(?:\p{Lu}|e\.\s?g|i\.\s?e|etc|vs|cf|al|approx|resp|incl|esp|viz|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Ltd|Corp|Co|No|Nr|Nos|Fig|Figs|Sec|Sect|Ch|Chap|Vol|pp?|Eq|Ref|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|z\.\s?B|d\.\s?h|u\.\s?a|bzw|ca|usw|ggf|vgl|Abb|p\.\s?ex|env|art|Bd|Hr|Fr|Sra?|Dra?|Ud|Uds)\.$/u
/** A punctuation mark that isn't followed by a space: `/search?q=pumps`, `what?!`. Scripts without spaces have marks of their own. */
const WITHIN_A_WORD = /[.!?]$/
/** Maximum number of pieces that an open bracket can join: an unclosed bracket must not swallow a page. */
const MAX_JOINED = 4

const segmenters = new Map<string, Intl.Segmenter>()

/**
 * The sentences of one line of plain text, trimmed, in order; together they contain all of its words.
 *
 * Intl.Segmenter (UAX 29) splits the text; where it splits too often, the pieces are joined again: after abbreviations
 * and initials, within brackets, and after a number that is only a list marker (`1. Stop it.`).
 *
 * @param language ISO 639-1, or null when unknown.
 */
export function splitSentences(line: string, language: string | null): string[] {
  const sentences: string[] = []
  let open = ""
  let joined = 0
  for (const { segment } of segmenterOf(language).segment(line)) {
    open += segment
    joined++
    if (joined < MAX_JOINED && (WITHIN_A_WORD.test(open) || goesOn(open.trim()))) continue
    if (open.trim() !== "") sentences.push(open.trim())
    open = ""
    joined = 0
  }
  if (open.trim() !== "") sentences.push(open.trim())
  return sentences
}

function goesOn(text: string): boolean {
  // `the .conf files`: the dot begins a name.
  if (/(?:^|[\s([„“"'])\.$/u.test(text)) return true
  if (/^[([]?(?:\d{1,3}|\p{L})[.)\]]$/u.test(text) || ABBREVIATION.test(text)) return true
  return count(text, /[([{（「『]/g) > count(text, /[)\]}）」』]/g)
}

/** Whether a text has a run of words without spaces between them, as in Chinese or Thai. */
export const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{6}/u.test(text)

/** The number of words separated by spaces and punctuation marks. */
export const spacedWords = (text: string): number => count(text, /[\p{L}\p{N}]+/gu)

function segmenterOf(language: string | null): Intl.Segmenter {
  const locale = language ?? "en"
  let segmenter = segmenters.get(locale)
  if (!segmenter) segmenters.set(locale, (segmenter = open(locale)))
  return segmenter
}

function open(locale: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(locale, { granularity: "sentence" })
  } catch {
    return new Intl.Segmenter("en", { granularity: "sentence" })
  }
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

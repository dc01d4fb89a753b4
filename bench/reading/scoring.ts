import type { Mark, Row } from "./suite.ts"

/** Recall is the share of the expected text that was read, precision the share of the text read that was expected; 0 to 1. */
export interface Overlap extends Mark {
  readonly precision: number
  readonly recall: number
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** Scripts that write no spaces between words. */
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}"
const UNITS = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, "gu")

/**
 * Every three words in a row, so that order matters; a shorter text is one piece. Each letter of a script without
 * spaces is a word, since a space beside a link would change how longer words are split.
 */
const trigrams = (text: string): string[] => {
  const all = text.toLowerCase().match(UNITS) ?? []
  if (all.length < 3) return all.length === 0 ? [] : [all.join(" ")]
  return all.slice(2).map((word, i) => `${all[i]} ${all[i + 1]} ${word}`)
}

/** Compares letters and digits rather than words, for scripts without spaces. */
const letters = (text: string): string[] => text.normalize("NFKC").match(/[\p{L}\p{N}]/gu) ?? []

/** Compares by the multiset of letters. */
export const letterOverlap = (read: string, wanted: string): Overlap =>
  overlap(letters(read), letters(wanted))

/** Compares by the multiset of words. */
export const wordOverlap = (read: string, wanted: string): Overlap => overlap(words(read), words(wanted))

/** Compares by the multiset of word trigrams. */
export const trigramOverlap = (read: string, wanted: string): Overlap =>
  overlap(trigrams(read), trigrams(wanted))

function overlap(read: readonly string[], wanted: readonly string[]): Overlap {
  const left = new Map<string, number>()
  for (const one of wanted) left.set(one, (left.get(one) ?? 0) + 1)
  let common = 0
  for (const one of read) {
    const n = left.get(one) ?? 0
    if (n > 0) common += 1
    left.set(one, n - 1)
  }
  const empty = read.length === wanted.length ? 1 : 0
  const precision = read.length === 0 || wanted.length === 0 ? empty : common / read.length
  const recall = read.length === 0 || wanted.length === 0 ? empty : common / wanted.length
  const score = f1({ precision, recall })
  return {
    precision,
    recall,
    score,
    said: `F1 ${score.toFixed(3)}, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`,
  }
}

const f1 = ({ precision, recall }: Pick<Overlap, "precision" | "recall">): number =>
  precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** Means over the cases. */
export function overlapRow(of: string, marks: readonly Overlap[]): Row {
  const figure = (key: "score" | "precision" | "recall") => mean(marks.map((one) => one[key])).toFixed(4)
  return {
    of,
    cases: marks.length,
    figures: { F1: figure("score"), precision: figure("precision"), recall: figure("recall") },
  }
}

/** Scores a result as right or wrong, with nothing in between. */
export const rightOrWrong = (isRight: boolean, said: string): Mark => ({ score: isRight ? 1 : 0, said })

export const rightRow = (of: string, marks: readonly Mark[]): Row => ({
  of,
  cases: marks.length,
  figures: { right: String(marks.filter(({ score }) => score === 1).length) },
})

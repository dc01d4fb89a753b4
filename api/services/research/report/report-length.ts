import type { OutputLength } from "../request.ts"

/** About how many words the text has at most, without headings and sources. */
export const WORDS: Readonly<Record<OutputLength, number>> = { short: 250, standard: 800, long: 1600 }

/** The most findings on a part and on the whole task, and the most pages that the findings on a part come from. */
export const FINDINGS: Readonly<Record<OutputLength, { ofPart: number; ofWhole: number; pages: number }>> = {
  short: { ofPart: 2, ofWhole: 5, pages: 1 },
  standard: { ofPart: 3, ofWhole: 9, pages: 2 },
  long: { ofPart: 6, ofWhole: 16, pages: 3 },
}

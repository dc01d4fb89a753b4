import type { OutputLength } from "../request.ts"

/** About how many words the text has at most, without headings and sources. */
export const WORDS: Readonly<Record<OutputLength, number>> = { short: 250, standard: 800, long: 1600 }

/** How many findings are said on a part and on the task as a whole, and from how many pages those of a part come. */
export const FINDINGS: Readonly<Record<OutputLength, { ofPart: number; ofWhole: number; pages: number }>> = {
  short: { ofPart: 2, ofWhole: 5, pages: 1 },
  standard: { ofPart: 3, ofWhole: 9, pages: 2 },
  long: { ofPart: 6, ofWhole: 16, pages: 3 },
}

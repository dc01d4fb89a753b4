import type { OutputLength } from "../request.ts"

/** The length of a report. */
export interface ReportLength {
  /** Approximate maximum number of words in the text, without headings and sources. */
  readonly words: number
  /** Maximum number of units for each part of the task. */
  readonly units: number
  /** How far the scores of the other units may be below the score of the first; scores are logits. */
  readonly margin: number
}

export const LENGTHS: Readonly<Record<OutputLength, ReportLength>> = {
  short: { words: 250, units: 2, margin: 0.5 },
  standard: { words: 800, units: 3, margin: 1.5 },
  long: { words: 1600, units: 6, margin: 3 },
}

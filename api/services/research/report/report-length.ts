import type { OutputLength } from "../request.ts"

/** How long a report is. */
export interface ReportLength {
  /** About how many words the text has at most, without headings and sources. */
  readonly words: number
  /** The most units on a part of the task. */
  readonly units: number
  /** How far the value of each but the first may be below the first's; values are logits. */
  readonly margin: number
}

export const LENGTHS: Readonly<Record<OutputLength, ReportLength>> = {
  short: { words: 250, units: 2, margin: 0.5 },
  standard: { words: 800, units: 3, margin: 1.5 },
  long: { words: 1600, units: 6, margin: 3 },
}

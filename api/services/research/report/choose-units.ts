import { overlap } from "#engine/text/analysis/likeness.ts"

import type { Part } from "../plan/parts.ts"
import { type Evidence, type Finding, numbersIn, termsOf } from "../sources/evidence.ts"
import type { ReportLength } from "./report-length.ts"

/** A part of the task, and the units that the report includes for it, best first; none if no page answers it. */
export interface Answered {
  readonly part: Part
  readonly units: readonly Finding[]
}

/** Units that share more than this portion of the smaller one's terms say the same thing. */
const REPETITION = 0.6

/** Chooses the report's content: for each part the unit that answers it best, and others that answer it nearly as well. */
export function choose(
  parts: readonly Part[],
  evidence: Evidence,
  { words, units: most, margin }: ReportLength,
): Answered[] {
  const near = parts.map((part) => {
    const answers = evidence.answersTo(part)
    const least = (answers[0]?.value ?? 0) - margin
    return { part, answers: answers.filter(({ value }) => value >= least) }
  })
  return near.map(({ part, answers }) => {
    // A unit that answers another part better is left to that part, unless this part would then have no units.
    const own = answers.filter(
      ({ finding, value }) =>
        !near.some(({ answers: others }) =>
          others.some((one) => one.finding === finding && one.value > value),
        ),
    )
    const units: Finding[] = []
    let left = words / parts.length
    for (const { finding } of own.length > 0 ? own : answers) {
      if (units.length === most) break
      if (units.some((other) => repeats(finding, other))) continue
      left -= finding.text.match(/\S+/g)?.length ?? 0
      if (units.length > 0 && left < 0) break
      units.push(finding)
    }
    return { part, units }
  })
}

/** Whether a unit says the same thing as another; a unit with other numbers, or one that contradicts the other, does not. */
export const repeats = (one: Finding, other: Finding): boolean =>
  one.text.includes(other.text) ||
  other.text.includes(one.text) ||
  (one.disagrees === null &&
    numbersIn(one.text).isSubsetOf(numbersIn(other.text)) &&
    overlap(termsOf(one.text), termsOf(other.text)) > REPETITION)

import type { Evidence, Finding } from "../sources/evidence.ts"
import type { Answered } from "./choose-units.ts"

const MOST_DISPUTED = 3

/** Pairs of contradicting findings, at least one of which would be in the report; the two findings of a pair are adjacent. */
export function disagreements(answered: readonly Answered[], { findings }: Evidence): Finding[] {
  const pairs: Finding[] = []
  for (const finding of answered.flatMap(({ units }) => units)) {
    if (finding.disagrees === null || pairs.length >= 2 * MOST_DISPUTED) continue
    const other = findings[finding.disagrees]!
    if (!pairs.includes(finding) && !pairs.includes(other)) pairs.push(other, finding)
  }
  return pairs
}

import { overlap } from "../text/analysis/likeness.ts"
import { LEAST } from "./asked-question.ts"
import type { Source } from "./found-units.ts"
import type { ValuedUnit } from "./values.ts"

/** Units that have more than this share of their words in common say the same thing, or state a different value for it. */
const SAME_SUBJECT = 0.6
/** If pages were published closer together than this, neither counts as out of date. */
const APART_MS = 30 * 24 * 3600 * 1000
/** A unit whose value is lower than the best unit's by more than this is about something else. */
const MARGIN = 2
const NUMBER = /^\d/

/** A unit used in an answer, and the date of its page if a newer page disagrees. */
export interface DatedUnit extends ValuedUnit {
  readonly outdated?: Date
}

/**
 * If a page with another date says the same as the best unit but with different numbers, the newer of the two comes
 * first, and the older one is marked with its date. Returns `null` if there is no such page.
 *
 * @param units best first
 */
export function newestFirst(
  units: readonly ValuedUnit[],
  hits: readonly Source[],
): readonly [ValuedUnit, DatedUnit] | null {
  const [best] = units
  const dateOf = ({ unit }: ValuedUnit) => hits[unit.source]!.publishedAt ?? null
  const date = best && dateOf(best)
  if (!date) return null
  for (const other of units.slice(1)) {
    if (other.value < Math.max(LEAST.answer, best.value - MARGIN)) return null
    const theirs = dateOf(other)
    const gap = theirs === null ? 0 : theirs.getTime() - date.getTime()
    if (Math.abs(gap) < APART_MS || !disagree(best, other) || lacksNumber(best, other)) continue
    return gap > 0 ? [other, { ...best, outdated: date }] : [best, { ...other, outdated: theirs! }]
  }
  return null
}

/** Whether the question has a number, such as a year, that only the best unit has. */
const lacksNumber = (best: ValuedUnit, other: ValuedUnit): boolean =>
  best.asked.some((term) => NUMBER.test(term) && best.own.has(term) && !other.own.has(term))

/** Whether two units from different pages have the same words, and each has a number that the other lacks. */
function disagree(one: ValuedUnit, other: ValuedUnit): boolean {
  if (one.unit.source === other.unit.source) return false
  const words = ({ own }: ValuedUnit) => new Set([...own].filter((term) => !NUMBER.test(term)))
  const numbers = ({ own }: ValuedUnit) => new Set([...own].filter((term) => NUMBER.test(term)))
  const [a, b] = [numbers(one), numbers(other)]
  return (
    overlap(words(one), words(other)) > SAME_SUBJECT && a.difference(b).size > 0 && b.difference(a).size > 0
  )
}

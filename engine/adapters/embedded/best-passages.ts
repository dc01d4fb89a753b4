import type { HitPassage } from "../../engine.ts"
import type { Passage } from "../../page.ts"

/** How much nearness weighs beside the share of the query's terms that a passage holds. */
const NEARNESS_WEIGHT = 0.6

/** The passages of a page, read when they are asked for. */
export interface PagePassages {
  all(): readonly Passage[]
  at(positions: readonly number[]): ReadonlyMap<number, Passage>
}

/**
 * The passages of a page that say most about the query, best first.
 *
 * @param cosines of the passages that the vector arm found, by position.
 */
export function bestPassages(
  passages: PagePassages,
  terms: readonly string[],
  cosines: ReadonlyMap<number, number>,
  count: number,
): HitPassage[] {
  if (count < 1) return []
  const nearest = Math.max(0, ...cosines.values())
  const nearness = (position: number) =>
    nearest > 0 ? (NEARNESS_WEIGHT * Math.max(0, cosines.get(position) ?? 0)) / nearest : 0
  const positions = possibleBest([...cosines.keys()], nearness, count)
  const scored = [...(positions ? passages.at(positions) : passages.all().entries())].map(
    ([position, passage]) => {
      const score = (1 - NEARNESS_WEIGHT) * coverage(passage, terms) + nearness(position)
      return { passage, position, score }
    },
  )
  return scored
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, count)
    .map(({ passage, position }) => ({ text: passage.text, headings: passage.headings, position }))
}

/**
 * The positions whose passages can be among the best whatever they say, when no other passage can be: in long
 * pages a few of hundreds. Null when any passage can.
 */
function possibleBest(
  known: readonly number[],
  nearness: (position: number) => number,
  count: number,
): number[] | null {
  const least = known.map(nearness).toSorted((a, b) => b - a)[count - 1]
  const gain = 1 - NEARNESS_WEIGHT
  if (least === undefined || least <= gain) return null
  return known.filter((position) => nearness(position) + gain >= least)
}

/**
 * The share of terms that stand in the passage or its headings. Terms are stems, so a word that begins with
 * one counts: a hundred passages take well under a millisecond, where analysing them would take tens.
 */
function coverage({ headings, text }: Passage, terms: readonly string[]): number {
  if (terms.length === 0) return 0
  const body = text.toLowerCase()
  const above = headings.join(" ").toLowerCase()
  let found = 0
  for (const term of terms) {
    const stem = term.length > 4 && term.endsWith("i") ? term.slice(0, -1) : term
    if (startsWord(body, stem)) found += 1
    else if (startsWord(above, stem)) found += 0.7
  }
  return found / terms.length
}

function startsWord(text: string, stem: string): boolean {
  for (let at = text.indexOf(stem); at !== -1; at = text.indexOf(stem, at + 1)) {
    if (at === 0 || !/[a-z\d]/.test(text[at - 1]!) || !/[a-z\d]/.test(stem[0]!)) return true
  }
  return false
}

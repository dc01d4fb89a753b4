import type { HitPassage } from "../../engine.ts"
import type { Passage } from "../../page.ts"

/** How much nearness weighs beside the share of the query's terms that a passage holds. */
const NEARNESS_WEIGHT = 0.6

/**
 * The passages of a page that say most about the query, best first.
 *
 * @param cosines of the passages that the vector arm found, by position.
 */
export function bestPassages(
  passages: readonly Passage[],
  terms: readonly string[],
  cosines: ReadonlyMap<number, number>,
  count: number,
): HitPassage[] {
  const nearest = Math.max(0, ...cosines.values())
  const scored = passages.map((passage, position) => {
    const near = nearest > 0 ? Math.max(0, cosines.get(position) ?? 0) / nearest : 0
    const score = (1 - NEARNESS_WEIGHT) * coverage(passage, terms) + NEARNESS_WEIGHT * near
    return { passage, position, score }
  })
  return scored
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, count)
    .map(({ passage, position }) => ({ text: passage.text, headings: passage.headings, position }))
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

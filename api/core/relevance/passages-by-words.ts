import { offLoop } from "#base/process/threads/off-loop.ts"
import type { HitPassage, PageAnchor } from "#engine"
import { analyse } from "#engine/text/analysis/analyse.ts"
import { toPassages } from "#engine/text/passages.ts"

/** A passage, with the share of the terms that occur in it or its headings. */
export interface PassageByWords {
  readonly passage: HitPassage
  readonly words: number
}

/** The passages of a page that contain the most terms, best first, at most `count`. */
export function passagesByWords(
  { markdown, anchors }: { readonly markdown: string; readonly anchors?: readonly PageAnchor[] },
  terms: readonly string[],
  count: number,
): PassageByWords[] {
  const wanted = new Set(terms)
  const passages = toPassages(markdown, anchors)
  const known = new Map<string, ReadonlySet<string>>()
  const termsOf = (heading: string) => {
    let found = known.get(heading)
    if (!found) known.set(heading, (found = wanted.intersection(new Set(analyse(heading, null)))))
    return found
  }
  const sets = passages.map(({ text, headings }) =>
    headings.reduce(
      (all, heading) => all.union(termsOf(heading)),
      wanted.intersection(new Set(analyse(text, null))) as ReadonlySet<string>,
    ),
  )
  const words = sharesOf(terms, sets)
  return passages
    .map((passage, position) => ({ passage: { ...passage, position }, words: words[position]! }))
    .sort((a, b) => b.words - a.words)
    .slice(0, count)
}

/** {@link passagesByWords} without blocking the event loop. */
export const findByWords = offLoop(import.meta.url, passagesByWords)

/** For each set, its share of all terms, each term weighted by its rarity among the sets. */
export function sharesOf(terms: readonly string[], sets: readonly ReadonlySet<string>[]): number[] {
  const having = new Map(terms.map((term) => [term, 0]))
  for (const set of sets) for (const term of set) having.set(term, having.get(term)! + 1)
  const weights = new Map(
    [...having].map(([term, many]) => [term, Math.log(1 + (sets.length + 1) / (many + 1))]),
  )
  const sum = (some: Iterable<string>) => [...some].reduce((all, term) => all + weights.get(term)!, 0)
  const whole = sum(weights.keys())
  return sets.map((set) => (whole === 0 ? 0 : sum(set) / whole))
}

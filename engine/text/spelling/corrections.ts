import { breather } from "#base/flow/breather.ts"
import type { AnalysedQuery } from "../analysis/analyse.ts"
import { stemmerOf } from "../analysis/stem.ts"
import { isWord } from "./dictionary.ts"
import { isSlipOf, nearestTerms, usualSpelling } from "./typos.ts"

/** Maximum number of words in a question to correct: each takes up to a few milliseconds. */
const MOST_CORRECTED = 4

/** How many pages of an index contain each term. */
export interface KnownTermCounts {
  /** Number of pages in the index. */
  readonly pages: number
  /** Approximate number of pages that contain a term; 0 for an unknown term. */
  readonly pagesWith: (term: string) => number
  /** Whether any page contains the term: the known terms may lag behind the index. */
  readonly isHeld: (term: string) => Promise<boolean>
}

/**
 * Possible corrections of misspelt terms, by term. A term counts as misspelt if no page contains it or any other form
 * of its word: the stem may differ in another language. For a likely misspelling that is on some page, the corrections
 * include the term itself.
 */
export async function correctionsOf(
  { terms, written }: Pick<AnalysedQuery, "terms" | "written">,
  { pages, pagesWith, isHeld }: KnownTermCounts,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const corrections = new Map<string, readonly string[]>()
  const suspects = terms.filter((term) => pagesWith(term) === 0).slice(0, MOST_CORRECTED)
  const held = await Promise.all(suspects.map(isHeld))
  const unknown = suspects.filter((_, i) => !held[i])
  const known = terms.filter((term) => !unknown.includes(term))
  const breathe = breather()
  for (const term of unknown) {
    if (known.some((other) => isFormOf(term, other))) continue
    const { word, language } = written.get(term) ?? { word: term, language: null }
    const near = await nearestTerms(word, stemmerOf(language), pagesWith, breathe)
    if (near.length > 0) corrections.set(term, near)
  }
  for (const term of await rareTerms({ terms: known, written }, { pages, pagesWith })) {
    const usual = usualSpelling(term, pagesWith, MORE_USUAL * pagesWith(term))
    if (usual !== undefined) corrections.set(term, [usual, term])
  }
  return corrections
}

/** How many times more pages must contain the word than its misspelling. */
const MORE_USUAL = 20

/** Terms that might be misspellings, because few pages and no dictionary contain them. */
export async function rareTerms(
  { terms, written }: Pick<AnalysedQuery, "terms" | "written">,
  { pages, pagesWith }: Pick<KnownTermCounts, "pages" | "pagesWith">,
): Promise<string[]> {
  const rare: string[] = []
  for (const term of terms) {
    const held = pagesWith(term)
    const read = written.get(term)
    if (held === 0 || MORE_USUAL * held > pages || read === undefined) continue
    if (!(await isWord(term, read.language)) && rare.push(term) === MOST_CORRECTED) break
  }
  return rare
}

/**
 * The corrections that are right for several indexes together: a word found in another index isn't misspelt, unless it
 * counts as a misspelling there as well.
 *
 * @param pagesWith number of pages in all indexes that contain a term
 */
export async function correctionsAmong(
  corrections: ReadonlyMap<string, readonly string[]>,
  { written }: Pick<AnalysedQuery, "written">,
  pagesWith: (term: string) => number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const kept = new Map<string, readonly string[]>()
  for (const [term, meant] of corrections) {
    const held = pagesWith(term)
    const usual = meant.find((other) => isSlipOf(term, other) && pagesWith(other) >= MORE_USUAL * held)
    if (held === 0) kept.set(term, meant)
    else if (usual !== undefined && !(await isWord(term, written.get(term)?.language ?? null)))
      kept.set(term, [usual, term])
  }
  return kept
}

/** Whether two stems differ in their last letters only. */
export function isFormOf(a: string, b: string): boolean {
  const shared = Math.max(3, Math.min(a.length, b.length) - 2)
  return b.length >= shared && a.slice(0, shared) === b.slice(0, shared)
}

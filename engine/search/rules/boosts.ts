import { domainRules, matchesDomains, placeOf } from "../../index/page/domains.ts"
import type { PageType } from "../../index/page/page-type.ts"
import {
  type AppliedRule,
  type BoostRule,
  type BoostWhere,
  LEAST_FACTOR,
  MOST_FACTOR,
  type Rule,
} from "./rule.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** The facts about a page that boosts need. */
export interface BoostedPage {
  readonly url: string
  readonly sources: readonly string[]
  readonly language: string | null
  readonly type: PageType
  readonly publishedAt: Date | null
}

/** The factor on a page's score, and the rules behind it; the product of all factors stays within the bounds of a single factor. */
export function factorsBy(
  rules: readonly Rule[],
  now: number,
): ((page: BoostedPage) => { readonly factor: number; readonly applied: readonly AppliedRule[] }) | null {
  const boosts = rules.filter((rule) => rule.kind === "boost")
  if (boosts.length === 0) return null
  const tests = boosts.map((rule) => ({ rule, holds: testOf(rule.where, now) }))
  return (page) => {
    const applied: AppliedRule[] = []
    let factor = 1
    for (const { rule, holds } of tests) {
      if (!holds(page)) continue
      factor *= rule.factor
      applied.push(appliedBoost(rule))
    }
    return { factor: Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor)), applied }
  }
}

const appliedBoost = ({ id, kind, factor }: BoostRule): AppliedRule => ({ id, kind, factor })

function testOf(where: BoostWhere, now: number): (page: BoostedPage) => boolean {
  const { sources, domains, paths, languages, types, youngerThanDays, olderThanDays } = where
  const rules = domains && domainRules(domains)
  const ageOf = ({ publishedAt }: BoostedPage) =>
    publishedAt === null ? null : (now - publishedAt.getTime()) / DAY_MS
  return (page) => {
    if (sources && !page.sources.some((name) => sources.includes(name))) return false
    if (rules && !matchesDomains(placeOf(page.url), rules)) return false
    if (paths && !paths.some((pattern) => fitsPath(pattern, new URL(page.url).pathname))) return false
    if (languages && !languages.some((one) => one === page.language)) return false
    if (types && !types.includes(page.type)) return false
    const age = ageOf(page)
    if (youngerThanDays !== undefined && (age === null || age >= youngerThanDays)) return false
    return olderThanDays === undefined || (age !== null && age > olderThanDays)
  }
}

/** Whether a path matches the pattern, in time linear in both: the pieces between the stars must occur in order. */
export function fitsPath(pattern: string, path: string): boolean {
  const pieces = pattern.split("*")
  const first = pieces[0]!
  if (pieces.length === 1) return path === pattern
  const last = pieces.at(-1)!
  if (!path.startsWith(first) || path.length < first.length + last.length || !path.endsWith(last))
    return false
  let at = first.length
  const end = path.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = path.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

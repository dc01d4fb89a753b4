import { RECENT_MS, isPreference } from "./ranking/preferences.ts"
import type { PagePreference } from "../engine.ts"
import type { ArmsFound } from "./exclusions.ts"
import type { Condition } from "../index/search-index.ts"

/** Number of pages that each preference adds to the results of the arms, and number of passages per page. */
const PREFERRED_PAGES = 20
const PASSAGES_PER_PAGE = 1.5

export interface Preferred {
  readonly preference: PagePreference | undefined
  /** Ids of pages that contain the quoted phrases. */
  readonly holders: ReadonlySet<string>
  readonly limit: number
}

/**
 * The results of the arms, plus the best pages for each preference and the best pages with the quoted phrases: the
 * boost can move these up, so they need not be among the best without the boost.
 *
 * @param ask runs the arms with one more condition
 */
export async function withPreferred(
  { preference, holders, limit }: Preferred,
  ask: (preferred: readonly Condition[]) => Promise<ArmsFound>,
): Promise<ArmsFound> {
  const wanted = [
    ...conditionsOf(preference).map((condition) => ({ condition, pages: PREFERRED_PAGES })),
    // Pages with the quoted phrases come first, so as many are requested as are shown.
    ...(holders.size > 0
      ? [{ condition: { ids: [...holders] }, pages: Math.max(limit, PREFERRED_PAGES) }]
      : []),
  ]
  const [found, ...more] = await Promise.all([ask([]), ...wanted.map(({ condition }) => ask([condition]))])
  const lexical = new Map(found.lexical)
  const nearest = [...found.nearest]
  const known = new Set(nearest.map(({ page, position }) => `${page} ${position}`))
  const near = new Set(nearest.map(({ page }) => page))
  const aside = new Set<string>()
  for (const [i, preferred] of more.entries()) {
    const { pages } = wanted[i]!
    for (const [id, score] of [...preferred.lexical].slice(0, pages))
      if (!lexical.has(id)) lexical.set(id, score)
    for (const one of preferred.nearest.slice(0, pages * PASSAGES_PER_PAGE)) {
      const passage = `${one.page} ${one.position}`
      if (known.has(passage)) continue
      known.add(passage)
      nearest.push(one)
      if (!near.has(one.page)) aside.add(one.page)
    }
  }
  return { lexical, nearest, aside }
}

/** A condition for each preference. */
function conditionsOf(preference: PagePreference | undefined): Condition[] {
  if (!isPreference(preference)) return []
  const { domains = [], languages = [], countries = [], topic, recentAt } = preference
  const conditions: (Condition | undefined)[] = [
    domains.length > 0 ? { includeDomains: domains } : undefined,
    languages.length > 0 ? { languages } : undefined,
    countries.length > 0 ? { countries } : undefined,
    topic === undefined ? undefined : { topics: [topic] },
    recentAt === undefined
      ? undefined
      : { publishedFrom: new Date(recentAt.getTime() - RECENT_MS), requirePublished: true },
  ]
  return conditions.filter((condition) => condition !== undefined)
}

import { RECENT_MS, isPreference } from "../ranking/boosts.ts"
import type { PagePreference } from "../engine.ts"
import type { ArmsFound } from "./exclusions.ts"
import type { Condition } from "../index/search-index.ts"

/** Pages and passages that each preference adds to what the arms found. */
const PREFERRED_PAGES = 20
const PREFERRED_PASSAGES = 30

/**
 * What the arms find, and the best pages of each preference besides: they gain by their boost, so they need not
 * be among the best without it.
 *
 * @param ask what the arms find under one more condition
 */
export async function withPreferred(
  preference: PagePreference | undefined,
  ask: (preferred: readonly Condition[]) => Promise<ArmsFound>,
): Promise<ArmsFound> {
  const [found, ...more] = await Promise.all([ask([]), ...conditionsOf(preference).map((one) => ask([one]))])
  const lexical = new Map(found.lexical)
  const nearest = [...found.nearest]
  const known = new Set(nearest.map(({ page, position }) => `${page} ${position}`))
  const near = new Set(nearest.map(({ page }) => page))
  const aside = new Set<string>()
  // Whoever is not in the list scores less than all that are; how much less cannot be told, for under a condition an
  // index may count words otherwise. So the best of them counts as the last of the list.
  const least = Math.min(...found.lexical.values())
  for (const preferred of more) {
    const pages = [...preferred.lexical].slice(0, PREFERRED_PAGES)
    const best = Math.max(...pages.map(([, score]) => score))
    const raised = Math.max(1, least / best)
    for (const [id, score] of pages) if (!lexical.has(id)) lexical.set(id, Math.min(score * raised, least))
    for (const one of preferred.nearest.slice(0, PREFERRED_PASSAGES)) {
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

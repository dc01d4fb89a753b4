import { RECENT_MS, isPreference } from "../../boosts.ts"
import type { PagePreference } from "../../engine.ts"
import type { ArmsFound } from "./exclusions.ts"
import { filterText, isIn } from "./filter.ts"

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
  ask: (preferred: string | undefined) => Promise<ArmsFound>,
): Promise<ArmsFound> {
  const [found, ...more] = await Promise.all([ask(undefined), ...conditionsOf(preference).map(ask)])
  const lexical = new Map(found.lexical)
  const nearest = [...found.nearest]
  const known = new Set(nearest.map(({ page, position }) => `${page} ${position}`))
  const near = new Set(nearest.map(({ page }) => page))
  const aside = new Set<string>()
  // Whoever is not in the list scores less than all that are: under a condition LanceDB counts words otherwise.
  const least = Math.min(...found.lexical.values())
  for (const preferred of more) {
    for (const [id, score] of [...preferred.lexical].slice(0, PREFERRED_PAGES)) {
      if (!lexical.has(id)) lexical.set(id, Math.min(score, least))
    }
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

/** A condition for each preference, over the columns that pages and vectors share. */
function conditionsOf(preference: PagePreference | undefined): string[] {
  if (!isPreference(preference)) return []
  const { domains = [], languages = [], countries = [], topic, recentAt } = preference
  const conditions = [
    filterText({ includeDomains: domains }),
    filterText({ languages }),
    countries.length > 0 ? isIn("country", countries) : undefined,
    topic === undefined ? undefined : isIn("topic", [topic]),
    recentAt === undefined
      ? undefined
      : filterText({ publishedFrom: new Date(recentAt.getTime() - RECENT_MS), requirePublished: true }),
  ]
  return conditions.filter((condition) => condition !== undefined)
}

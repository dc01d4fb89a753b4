import { type Boosted, boosted, isPreference } from "./boosts.ts"
import { spreadHosts } from "./crowding.ts"
import { collapse } from "./duplicates.ts"
import type { PagePreference } from "./engine.ts"
import type { Ranked } from "./fusion.ts"
import type { FactsOf, PageFacts } from "./page-facts.ts"

export interface Arrangement {
  readonly limit: number
  readonly preference: PagePreference | undefined
  readonly factsOf: FactsOf
}

/** Pages looked at for each that is wanted: duplicates fall away, and other hosts need somebody to move up. */
const LOOKED_AT = 3
const LOOKED_AT_LEAST = 30

/**
 * What is shown of a ranking: preferences heeded, one page of each text, no host crowding out others that
 * match as well. Scores never rise from one hit to the next.
 *
 * @param ranked best first, neither `fused` nor `score` rising
 */
export function arrange(ranked: readonly Ranked[], { limit, preference, factsOf }: Arrangement): Boosted[] {
  const facts = new Map<string, PageFacts>()
  const learn = (pages: readonly Ranked[]) => {
    const unknown = pages.map(({ id }) => id).filter((id) => !facts.has(id))
    for (const [id, page] of factsOf(unknown)) facts.set(id, page)
  }
  if (isPreference(preference)) learn(ranked)
  const all = boosted(ranked, preference, facts)
  for (let count = Math.max(LOOKED_AT_LEAST, limit * LOOKED_AT); ; count *= 2) {
    const some = all.slice(0, count)
    learn(some)
    const different = collapse(some, facts)
    if (different.length >= limit || count >= all.length) {
      return neverRising(spreadHosts(different, limit, facts))
    }
  }
}

function neverRising(hits: readonly Boosted[]): Boosted[] {
  let least = 1
  return hits.map((hit) => ({ ...hit, score: (least = Math.min(least, hit.score)) }))
}

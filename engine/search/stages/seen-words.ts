import type { PageFilter } from "../../engine.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import type { AnalysedQuery } from "../../text/analysis/analyse.ts"

/** Terms of a question that are looked up; each takes about a millisecond. */
const MOST_LOOKED_UP = 12

/**
 * What misspelt terms may stand for. Where not everybody may read every page, words that stand only in pages out of reach count neither
 * as known nor as what was meant: otherwise a correction, or its lack, would say that there are such pages.
 */
export async function correctionsSeen(
  index: Pick<SearchIndex, "corrections" | "holding">,
  asked: Pick<AnalysedQuery, "terms" | "written">,
  filter: PageFilter | undefined,
): ReturnType<SearchIndex["corrections"]> {
  if (filter?.readers === undefined) return await index.corrections(asked)
  const { readers, excludeSources = [] } = filter
  const inReach: Condition[] = [{ readers, excludeSources }]
  const heldAmong = async (terms: readonly string[]): Promise<Set<string>> => {
    const looked = [...new Set(terms)].slice(0, MOST_LOOKED_UP)
    const held = await Promise.all(
      looked.map(async (term) => (await index.holding([term], "all", 1, inReach)).length > 0),
    )
    return new Set(looked.filter((_, i) => held[i]))
  }
  // Terms beyond those that are looked up are taken as they were written.
  const terms = asked.terms.slice(0, MOST_LOOKED_UP)
  const held = await heldAmong(terms)
  const unheld = new Set(terms.filter((term) => !held.has(term)))
  const corrections = await index.corrections({ ...asked, terms }, unheld)
  const seen = await heldAmong([...corrections.values()].flat())
  const inSight = Array.from(
    corrections,
    ([term, meant]) => [term, meant.filter((one) => seen.has(one))] as const,
  )
  return new Map(inSight.filter(([, meant]) => meant.length > 0))
}

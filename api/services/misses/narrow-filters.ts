import type { Engine, PageFilter, Query } from "#engine"
import type { QueryText } from "#engine/text/query-text.ts"

import { DOUBTFUL } from "./miss-threshold.ts"

/** A search whose question has been parsed. */
export interface AskedQuery extends Query {
  readonly text: QueryText
}

/** One restriction of a request, and the search without it. */
interface Restriction {
  /** The parameter, or the operator in the question. */
  readonly name: string
  readonly without: (query: AskedQuery) => AskedQuery
}

const ofFilter = (name: string, ...fields: readonly (keyof PageFilter)[]): Restriction => ({
  name,
  without: (query) => {
    const left = Object.entries(query.filter ?? {}).filter(
      ([field]) => !(fields as readonly string[]).includes(field),
    )
    return { ...query, filter: Object.fromEntries(left) }
  },
})

const ofQuestion = (name: string, ...fields: readonly (keyof QueryText)[]): Restriction => ({
  name,
  without: (query) => ({
    ...query,
    text: { ...query.text, ...Object.fromEntries(fields.map((field) => [field, []])) },
  }),
})

const RESTRICTIONS: readonly Restriction[] = [
  ofFilter("include_domains", "includeDomains"),
  ofFilter("exclude_domains", "excludeDomains"),
  ofFilter("sources", "sources"),
  ofFilter("dates", "publishedFrom", "publishedBefore", "requirePublished"),
  ofFilter("language", "languages"),
  ofFilter("types", "types"),
  ofFilter("topics", "topics"),
  ofFilter("paths", "paths"),
  ofFilter("versions", "versions"),
  ofFilter("safe_search", "safe"),
  ofFilter("exact_match", "phrases"),
  ofQuestion("site:", "includeDomains"),
  ofQuestion("-site:", "excludeDomains"),
  ofQuestion("-word", "excludedWords", "excludedPhrases"),
]

const restricts = (query: AskedQuery, { without }: Restriction): boolean =>
  JSON.stringify(without(query)) !== JSON.stringify(query)

/**
 * The restrictions that a search must drop to find a likely answer: the first that suffices alone, otherwise all of
 * them together; empty if that finds nothing either.
 */
export async function narrowFilters(
  query: AskedQuery,
  engine: Pick<Engine, "search">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const present = RESTRICTIONS.filter((one) => restricts(query, one))
  const finds = async (asked: AskedQuery): Promise<boolean> => {
    const { hits } = await engine.search(
      { ...asked, limit: 1, passagesPerPage: 1, withMarkdown: false },
      { signal },
    )
    return (hits[0]?.score ?? 0) >= DOUBTFUL
  }
  if (present.length === 0) return []
  const all = present.reduce((left, { without }) => without(left), query)
  if (!(await finds(all))) return []
  for (const one of present) {
    if (present.length === 1 || (await finds(one.without(query)))) return [one.name]
  }
  return present.map(({ name }) => name)
}

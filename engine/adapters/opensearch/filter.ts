import { domainRules } from "../../index/page/domains.ts"
import type { Condition } from "../../index/search-index.ts"

/** A query in OpenSearch's query language. */
export type QueryClause = Readonly<Record<string, unknown>>

export const isIn = (field: string, values: readonly (string | number)[]): QueryClause =>
  values.length === 0 ? { match_none: {} } : { terms: { [field]: values } }

export const not = (clause: QueryClause): QueryClause => ({ bool: { must_not: [clause] } })

const any = (clauses: readonly QueryClause[]): QueryClause => ({
  bool: { should: clauses, minimum_should_match: 1 },
})

/** Combines all conditions into filters over the fields that both indexes share; empty if everything passes. */
export function filtersOf(conditions: readonly Condition[]): QueryClause[] {
  return conditions.flatMap(rulesOf)
}

function rulesOf(condition: Condition): QueryClause[] {
  const { includeDomains = [], excludeDomains = [], languages = [], sources = [] } = condition
  const { countries = [], topics = [], types = [], ids, safe, excludeSources = [], readers } = condition
  return [
    ...(includeDomains.length > 0 ? [onDomains(includeDomains)] : []),
    ...(excludeDomains.length > 0 ? [not(onDomains(excludeDomains))] : []),
    ...published(condition),
    ...(languages.length > 0 ? [isIn("language", languages)] : []),
    ...(sources.length > 0 ? [isIn("source", sources)] : []),
    ...(excludeSources.length > 0 ? [not(isIn("source", excludeSources))] : []),
    ...(countries.length > 0 ? [isIn("country", countries)] : []),
    ...(topics.length > 0 ? [isIn("topic", topics)] : []),
    ...(types.length > 0 ? [isIn("type", types)] : []),
    ...(safe === true ? [{ term: { unsafe: false } }] : []),
    ...(ids ? [isIn("id", ids)] : []),
    ...(readers ? [any([not({ exists: { field: "readers" } }), isIn("readers", readers)])] : []),
  ]
}

function onDomains(listed: readonly string[]): QueryClause {
  return any(
    domainRules(listed).map(({ domains, hosts, port }) => {
      const names = any([isIn("domain", domains), isIn("host", hosts)])
      return port === null ? names : { bool: { filter: [{ term: { port } }, names] } }
    }),
  )
}

function published({ publishedFrom, publishedBefore, requirePublished }: Condition): QueryClause[] {
  if (!publishedFrom && !publishedBefore) return []
  const within = {
    range: {
      published: {
        ...(publishedFrom && { gte: milliseconds(publishedFrom) }),
        ...(publishedBefore && { lt: milliseconds(publishedBefore) }),
      },
    },
  }
  return [requirePublished ? within : any([not({ exists: { field: "published" } }), within])]
}

function milliseconds(date: Date): number {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new TypeError("A date in the filter is not a valid date.")
  return time
}

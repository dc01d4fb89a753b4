import type { FacetCounts, FacetField, FacetQuery, Hit, PageFilter } from "#engine"

import type { AskedQuery } from "../../services/misses/narrow-filters.ts"

/** The filters for counting each field: a field is counted without its own filter, so that its other values stay visible. */
const FILTERS: Readonly<Record<FacetField, readonly (keyof PageFilter)[]>> = {
  source: ["sources"],
  domain: ["includeDomains"],
  path: ["paths"],
  version: ["versions"],
  language: ["languages"],
  type: ["types"],
  topic: ["topics"],
  published: ["publishedFrom", "publishedBefore", "requirePublished"],
}

/** A facet in wire format. */
export interface ShownFacet {
  readonly field: FacetField
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly pages: number
  readonly exact: boolean
}

/**
 * For each value of each field, the number of pages with this value that match the question, in the order of the
 * fields.
 * @param hits the hits of the search: they are always counted, whichever words they contain
 */
export async function facetsFor(
  fields: readonly FacetField[],
  { text, filter = {} }: Pick<AskedQuery, "text" | "filter">,
  hits: readonly Hit[],
  count: (query: FacetQuery) => Promise<FacetCounts>,
): Promise<ShownFacet[]> {
  const wanted = [...new Set(fields)]
  const isFiltered = (field: FacetField) => FILTERS[field].some((name) => filter[name] !== undefined)
  const also = hits.map(({ url }) => url)
  const together = wanted.filter((field) => !isFiltered(field))
  const asked: FacetQuery[] = [
    ...(together.length > 0 ? [{ text, filter, also, fields: together }] : []),
    ...wanted
      .filter(isFiltered)
      .map((field) => ({ text, filter: without(filter, field), also, fields: [field] })),
  ]
  const counts = await Promise.all(asked.map(count))
  const shown = counts.flatMap(({ facets, pages, isExact }) =>
    facets.map((facet): ShownFacet => ({ ...facet, pages, exact: isExact })),
  )
  return wanted.flatMap((field) => shown.find((one) => one.field === field) ?? [])
}

function without(filter: PageFilter, field: FacetField): PageFilter {
  const others = Object.entries(filter).filter(([name]) => !FILTERS[field].some((one) => one === name))
  return Object.fromEntries(others)
}

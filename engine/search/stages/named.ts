import type { PageFilter } from "../../engine.ts"
import type { Condition } from "../../index/search-index.ts"
import type { QueryText } from "../../text/query-text.ts"

/** Conditions of the filter and the question on pages, without phrases and places. */
export const conditionsNamed = (
  filter: PageFilter | undefined,
  { includeDomains, excludeDomains }: Pick<QueryText, "includeDomains" | "excludeDomains">,
): Condition[] => [conditionOf(filter), { includeDomains, excludeDomains }]

/** The part of a filter that an index knows of. Phrases are verified on the text of a page, places on its address. */
function conditionOf({ phrases, paths, versions, ...condition }: PageFilter = {}): Condition {
  return condition
}

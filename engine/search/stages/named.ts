import type { PageFilter } from "../../engine.ts"
import type { Condition } from "../../index/search-index.ts"
import type { QueryText } from "../../text/query-text.ts"

/** Page conditions from the filter and the question, without phrases, paths and versions. */
export const conditionsNamed = (
  filter: PageFilter | undefined,
  { includeDomains, excludeDomains }: Pick<QueryText, "includeDomains" | "excludeDomains">,
): Condition[] => [conditionOf(filter), { includeDomains, excludeDomains }]

/** The part of a filter that an index supports. Phrases are verified against a page's text, paths and versions against its address. */
function conditionOf({ phrases, paths, versions, ...condition }: PageFilter = {}): Condition {
  return condition
}

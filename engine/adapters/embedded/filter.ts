import { domainRules } from "../../index/page/domains.ts"
import { sourcesIn } from "../../index/page-record.ts"
import type { Condition } from "../../index/search-index.ts"

/** A string as an SQL literal. The only escape in DataFusion's literals is the doubled quote. */
export const quote = (text: string): string => `'${text.replaceAll("\0", "").replaceAll("'", "''")}'`

/** `column IN (…)`; false if there are no values. */
export function isIn(column: string, values: Iterable<string | number>): string {
  const list = [...values].map((value) => (typeof value === "number" ? String(value) : quote(value)))
  return list.length === 0 ? "false" : `${column} IN (${list.join(", ")})`
}

/**
 * The conditions over the columns that pages and vectors share. `undefined` if every page passes.
 *
 * @param id column with the page's id
 * @param sharings values of the column `source` that stand for several sources
 */
export function whereOf(
  conditions: readonly Condition[],
  id: "id" | "page",
  sharings: readonly string[] = [],
): string | undefined {
  return all(...conditions.map((condition) => oneOf(condition, id, sharings)))
}

function oneOf(condition: Condition, id: string, sharings: readonly string[]): string | undefined {
  const { includeDomains = [], excludeDomains = [], languages = [], sources = [] } = condition
  const { countries = [], topics = [], types = [], ids, excludeSources = [] } = condition
  return all(
    ids && isIn(id, ids),
    includeDomains.length > 0 ? onDomains(includeDomains) : undefined,
    excludeDomains.length > 0 ? `NOT (${onDomains(excludeDomains)})` : undefined,
    published(condition),
    languages.length > 0 ? isIn("language", languages) : undefined,
    countries.length > 0 ? isIn("country", countries) : undefined,
    topics.length > 0 ? isIn("topic", topics) : undefined,
    sources.length > 0 ? isIn("source", [...sources, ...sharings.filter(holdsAny(sources))]) : undefined,
    excludeSources.length > 0
      ? `NOT (${isIn("source", [...excludeSources, ...sharings.filter(holdsAny(excludeSources))])})`
      : undefined,
    types.length > 0 ? isIn("type", types) : undefined,
    condition.safe ? "NOT unsafe" : undefined,
    condition.readers ? `readers IS NULL OR ${isIn("readers", condition.readers)}` : undefined,
  )
}

const holdsAny = (names: readonly string[]) => (sharing: string) =>
  sourcesIn(sharing).some((name) => names.includes(name))

/** The given conditions combined, or `undefined` if there are none. */
function all(...given: readonly (string | undefined)[]): string | undefined {
  const parts = given.filter((one) => one !== undefined)
  return parts.length === 0 ? undefined : parts.map((one) => `(${one})`).join(" AND ")
}

function onDomains(listed: readonly string[]): string {
  const rules = domainRules(listed).map(({ domains, hosts, port }) => {
    const names = []
    if (domains.length > 0) names.push(isIn("domain", domains))
    if (hosts.length > 0) names.push(isIn("host", hosts))
    return port === null ? names.join(" OR ") : `(port = ${port} AND (${names.join(" OR ")}))`
  })
  return rules.join(" OR ")
}

function published({ publishedFrom, publishedBefore, requirePublished }: Condition): string | undefined {
  const bounds = all(
    publishedFrom ? `published >= ${milliseconds(publishedFrom)}` : undefined,
    publishedBefore ? `published < ${milliseconds(publishedBefore)}` : undefined,
  )
  if (bounds === undefined) return undefined
  return requirePublished ? bounds : `published IS NULL OR (${bounds})`
}

function milliseconds(date: Date): string {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new TypeError("A date in the filter is not a valid date.")
  return `CAST(${time} AS DOUBLE)`
}

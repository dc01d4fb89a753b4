import { domainRules } from "../../domains.ts"
import type { PageFilter } from "../../engine.ts"

/** A string as SQL text. The only escape that DataFusion's literals know is the doubled quote. */
export const quote = (text: string): string => `'${text.replaceAll("\0", "").replaceAll("'", "''")}'`

/** `column IN (…)`; of no values: false. */
export function isIn(column: string, values: Iterable<string | number>): string {
  const list = [...values].map((value) => (typeof value === "number" ? String(value) : quote(value)))
  return list.length === 0 ? "false" : `${column} IN (${list.join(", ")})`
}

/** All conditions that are given, or undefined when none is. */
export function all(...conditions: readonly (string | undefined)[]): string | undefined {
  const given = conditions.filter((one) => one !== undefined)
  return given.length === 0 ? undefined : given.map((one) => `(${one})`).join(" AND ")
}

/**
 * The filter over the columns that pages and vectors share, without the phrases: those are verified on the
 * text of a page. Undefined when every page passes.
 */
export function filterText(filter: PageFilter | undefined): string | undefined {
  if (!filter) return undefined
  const { includeDomains = [], excludeDomains = [], languages = [], sources = [] } = filter
  return all(
    includeDomains.length > 0 ? onDomains(includeDomains) : undefined,
    excludeDomains.length > 0 ? `NOT (${onDomains(excludeDomains)})` : undefined,
    published(filter),
    languages.length > 0 ? isIn("language", languages) : undefined,
    sources.length > 0 ? isIn("source", sources) : undefined,
    filter.safe ? "NOT unsafe" : undefined,
  )
}

function onDomains(listed: readonly string[]): string {
  const { domains, hosts } = domainRules(listed)
  const rules = []
  if (domains.length > 0) rules.push(isIn("domain", domains))
  if (hosts.length > 0) rules.push(isIn("host", hosts))
  return rules.join(" OR ")
}

function published({ publishedFrom, publishedBefore, requirePublished }: PageFilter): string | undefined {
  const bounds = all(
    publishedFrom ? `published >= ${milliseconds(publishedFrom)}` : undefined,
    publishedBefore ? `published < ${milliseconds(publishedBefore)}` : undefined,
  )
  if (bounds === undefined) return undefined
  return requirePublished ? bounds : `published IS NULL OR (${bounds})`
}

function milliseconds(date: Date): string {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new TypeError("A date of the filter is no valid date.")
  return `CAST(${time} AS DOUBLE)`
}

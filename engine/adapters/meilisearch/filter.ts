import { createHash } from "node:crypto"
import { domainRules } from "../../index/page/domains.ts"
import type { Condition } from "../../index/search-index.ts"
import { pageKey } from "./server/page-key.ts"

/** Values that the server compares unchanged; it folds the case and accents of other values, trims them, and truncates long ones. */
const PLAIN = /^[a-z0-9.:_[\]-]{1,200}$/
const LONGEST = 100

/**
 * Encodes a string as a value to filter by: different strings become different values. Both documents and filters
 * contain the encoded value.
 */
export function facetValue(text: string): string {
  if (PLAIN.test(text)) return text
  if (text.length <= LONGEST) return `~${Buffer.from(text, "utf16le").toString("hex")}`
  return `~~${createHash("sha256").update(text, "utf16le").digest("hex")}`
}

/** The original text of a value; for a long value, the value itself. */
export function textOfFacet(value: string): string {
  if (!value.startsWith("~") || value.startsWith("~~")) return value
  return Buffer.from(value.slice(1), "hex").toString("utf16le")
}

/** `field IN […]`; matches nothing if there are no values. */
export function isIn(field: string, values: Iterable<string | number>): string {
  const list = [...values].map((value) => (typeof value === "number" ? String(value) : quoted(value)))
  return `${field} IN [${list.join(", ")}]`
}

export const arePages = (ids: Iterable<string>): string => isIn("key", [...ids].map(pageKey))

/** Combines all conditions into a filter over the fields that pages and passages share; `undefined` if everything passes. */
export function filterOf(conditions: readonly Condition[]): string | undefined {
  return all(conditions.flatMap(rulesOf))
}

/** The given rules combined, or `undefined` if there are none. */
export function all(rules: readonly string[]): string | undefined {
  return rules.length === 0 ? undefined : rules.map((rule) => `(${rule})`).join(" AND ")
}

function rulesOf(condition: Condition): string[] {
  const { includeDomains = [], excludeDomains = [], languages = [], sources = [] } = condition
  const { countries = [], topics = [], types = [], ids, safe, excludeSources = [], readers } = condition
  const given = [
    includeDomains.length > 0 && onDomains(includeDomains),
    excludeDomains.length > 0 && `NOT (${onDomains(excludeDomains)})`,
    published(condition),
    languages.length > 0 && isIn("language", languages.map(facetValue)),
    sources.length > 0 && isIn("source", sources.map(facetValue)),
    excludeSources.length > 0 && `NOT (${isIn("source", excludeSources.map(facetValue))})`,
    countries.length > 0 && isIn("country", countries.map(facetValue)),
    topics.length > 0 && isIn("topic", topics.map(facetValue)),
    types.length > 0 && isIn("type", types),
    safe === true && "unsafe = false",
    ids && arePages(ids),
    readers && `readers NOT EXISTS OR ${isIn("readers", readers.map(facetValue))}`,
  ]
  return given.filter((rule) => typeof rule === "string")
}

function onDomains(listed: readonly string[]): string {
  const rules = domainRules(listed).map(({ domains, hosts, port }) => {
    const names = `${isIn("domain", domains.map(facetValue))} OR ${isIn("host", hosts.map(facetValue))}`
    return port === null ? names : `(port = ${port} AND (${names}))`
  })
  return rules.join(" OR ")
}

function published({ publishedFrom, publishedBefore, requirePublished }: Condition): string | false {
  const bounds = all([
    ...(publishedFrom ? [`published >= ${milliseconds(publishedFrom)}`] : []),
    ...(publishedBefore ? [`published < ${milliseconds(publishedBefore)}`] : []),
  ])
  if (bounds === undefined) return false
  return requirePublished ? bounds : `published NOT EXISTS OR (${bounds})`
}

function milliseconds(date: Date): number {
  const time = date.getTime()
  if (Number.isNaN(time)) throw new TypeError("A date in the filter is not a valid date.")
  return time
}

const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

import type { Hit, PageFilter, Query } from "#engine"
import { isAmong, versionOf } from "#engine/index/page/address-parts.ts"
import { domainRules, matchesDomains, placeOf } from "#engine/index/page/domains.ts"

/** Whether a page matches the query's filters, according to all its metadata. Words and phrases are not checked. */
export function fitsQuery({ text, filter = {} }: Query): (hit: Hit) => boolean {
  const question: Pick<PageFilter, "includeDomains" | "excludeDomains"> = typeof text === "string" ? {} : text
  const included = [filter.includeDomains, question.includeDomains]
    .filter((list) => list?.length)
    .map((list) => domainRules(list!))
  const excluded = domainRules([...(filter.excludeDomains ?? []), ...(question.excludeDomains ?? [])])
  const { publishedFrom, publishedBefore, requirePublished, languages, types, topics, paths, versions } =
    filter
  const isIn = (hit: Hit) =>
    hit.publishedAt === null
      ? !requirePublished
      : (!publishedFrom || hit.publishedAt >= publishedFrom) &&
        (!publishedBefore || hit.publishedAt < publishedBefore)
  return (hit) => {
    const place = placeOf(hit.url)
    return (
      included.every((rules) => matchesDomains(place, rules)) &&
      !matchesDomains(place, excluded) &&
      isIn(hit) &&
      (!languages?.length || (hit.language !== null && languages.includes(hit.language))) &&
      (!types?.length || types.includes(hit.type)) &&
      (!topics?.length || (hit.topic !== null && topics.includes(hit.topic))) &&
      !(filter.safe && hit.unsafe) &&
      (!paths?.length || isAmong(hit.url, paths)) &&
      (!versions?.length || versions.includes(versionOf(hit.url)?.toLowerCase() ?? ""))
    )
  }
}

import { type HitParts, sourcesOf } from "#engine"
import { HANDBOOK_SOURCE } from "../../handbook-source.ts"
import type { Step, Subject } from "./step.ts"

/** The number of results in which the page is searched for. */
const RANKS = 100
/** The number of results from the page's host that are searched if the page is not among the first results. */
const OF_HOST = 1000

/** The page's rank among the results of a query, and why. */
export async function rankStep({ url, parts: { engine } }: Subject, query: string): Promise<Step> {
  const search = { text: query, withMarkdown: false, passagesPerPage: 1, depth: "basic" } as const
  const { hits } = await engine.search({ ...search, limit: RANKS })
  const at = hits.findIndex((hit) => hit.url === url)
  const shown = JSON.stringify(query)
  const hit = hits[at]
  if (hit) {
    const rank = at + 1
    const first = hits[0]
    const above = rank === 1 || !first ? "" : `; the first is ${first.url} with ${first.score.toFixed(2)}`
    return {
      name: "rank",
      verdict: "yes",
      text: `it is number ${rank} for ${shown}, score ${hit.score.toFixed(2)} (${partsText(hit.parts)})${above}`,
      facts: { query, rank, score: hit.score, parts: hit.parts, looked_through: RANKS },
    }
  }
  const { host } = new URL(url)
  const near = await engine.search({
    ...search,
    limit: OF_HOST,
    filter: { includeDomains: [host.replace(/:\d+$/, "")] },
  })
  const own = near.hits.find((one) => one.url === url)
  const last = hits.at(-1)
  const beyond =
    hits.length === 0
      ? `nothing was found for ${shown}`
      : `it is not among the first ${hits.length < RANKS ? hits.length : RANKS} results for ${shown}`
  const isApart =
    own !== undefined &&
    sourcesOf(own).includes(HANDBOOK_SOURCE) &&
    (hits.length < RANKS || own.score > (last?.score ?? 0))
  const text = isApart
    ? `it is a page of the appliance's own handbook, which appears in results only if its host is named (include_domains, site:), see FOSSICK_HANDBOOK. Score ${own.score.toFixed(2)} (${partsText(own.parts)}) for ${shown}`
    : own
      ? `${beyond}: score ${own.score.toFixed(2)} (${partsText(own.parts)})${last ? `, and the last of them has ${last.score.toFixed(2)}` : ""}`
      : `${beyond}: neither its words nor its meaning match the query`
  return {
    name: "rank",
    verdict: "no",
    text,
    facts: {
      query,
      rank: null,
      score: own?.score ?? null,
      parts: own?.parts ?? null,
      looked_through: RANKS,
    },
  }
}

function partsText({ lexical, vector, boost }: HitParts): string {
  const boosted = boost === 0 ? "" : `, preferences ${boost.toFixed(2)}`
  return `words ${lexical.toFixed(2)}, meaning ${vector.toFixed(2)}${boosted}`
}

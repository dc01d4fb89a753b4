import type { Hit, Query, SearchDepth, SearchResult } from "../../engine.ts"
import { placeOf } from "../../index/page/domains.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"
import { sourcesOf } from "../../index/page/page.ts"
import { pageId, type PageUrl } from "../../index/page/page-url.ts"
import { arrange } from "../ranking/arrange.ts"
import type { Arranged } from "../ranking/duplicates.ts"
import { DEPTHS } from "../ranking/depths.ts"
import { type Candidate, fuse, type Ranked, toRerank, withReranker } from "../ranking/fusion.ts"
import { toReadAgain, withLateInteraction } from "../ranking/late-order.ts"
import { factorsBy } from "../rules/boosts.ts"
import type { AppliedRule } from "../rules/rule.ts"
import { readsOf } from "../reader-language.ts"
import { parseQueryText } from "../../text/query-text.ts"

/** The results of one index, with the evidence for its hits. */
export type Found = Pick<SearchResult, "hits" | "reach" | "nowhere">

interface Known {
  readonly hit: Hit
  readonly facts: PageFacts
}

/**
 * Merges the hits of several indexes as if they came from one: pages are ranked anew by their evidence, because each
 * index calibrates its scores by its own best page, so scores from different indexes can't be compared. Preferences,
 * the operator's boosts, duplicates, translations and the limits for crowding hosts work as in one index; pins keep the
 * places that they have in their index.
 *
 * @param found results with evidence, this appliance's index first: if an address occurs several times, that index's
 * page is kept; a hit without evidence is left out
 */
export async function merged(
  query: Pick<Query, "text" | "limit" | "depth" | "preference" | "rules" | "filter">,
  found: readonly Found[],
): Promise<readonly Hit[]> {
  const pages = pagesOf(found)
  const ids = [...pages.keys()]
  const factsOf = async (some: readonly string[]) =>
    new Map(some.flatMap((id) => (pages.has(id) ? [[id, pages.get(id)!.facts] as const] : [])))
  const { text } = typeof query.text === "string" ? parseQueryText(query.text) : query.text
  const languages = new Set([...pages.values()].flatMap(({ hit }) => hit.language ?? []))
  const holders = new Set(ids.filter((id) => pages.get(id)!.hit.evidence!.holdsPhrases))
  const applied = new Map<string, readonly AppliedRule[]>()
  const ranked = withFactors(rankedAnew(pages, found, query.depth ?? "basic"), pages, query, applied)
  const best = await arrange(ranked, {
    limit: Math.floor(query.limit),
    preference: query.preference,
    holders,
    reads: readsOf(query, text, [...languages]),
    factsOf,
  })
  return withPins(
    best.map((one) => shown(one, pages, applied)),
    found[0]?.hits ?? [],
    query.limit,
  )
}

/** Pages by page id; if an address occurs several times, the first page is kept. */
function pagesOf(found: readonly Found[]): ReadonlyMap<string, Known> {
  const pages = new Map<string, Known>()
  for (const { hits } of found) {
    for (const hit of hits) {
      const id = pageId(hit.url)
      if (hit.evidence !== undefined && !pages.has(id)) pages.set(id, { hit, facts: factsOfHit(hit) })
    }
  }
  return pages
}

const factsOfHit = (hit: Hit): PageFacts => ({
  ...placeOf(hit.url),
  url: hit.url,
  title: hit.title,
  language: hit.language,
  country: hit.country,
  topic: hit.topic,
  published: hit.publishedAt?.getTime() ?? null,
  ...(hit.isListing && { isListing: true as const }),
  fingerprint: hit.evidence!.fingerprint,
})

/** Ranks the pages in the same way as each index did, but using the evidence from all of them. */
function rankedAnew(
  pages: ReadonlyMap<string, Known>,
  found: readonly Found[],
  depth: SearchDepth,
): readonly Ranked[] {
  const candidates = Array.from(pages, ([id, { hit }]): Candidate => ({
    id,
    words: hit.parts.lexical,
    cosine: hit.parts.vector > 0 ? hit.parts.vector : hit.evidence!.hasVectors ? undefined : null,
    lacksNumbers: hit.evidence!.lacksNumbers,
  }))
  const reach = Math.max(...found.map((one) => one.reach ?? 1))
  // An index that wasn't asked doesn't contribute.
  const lacking = found.flatMap((one) => one.nowhere ?? [])
  const nowhere = lacking.length > 0 ? Math.min(...lacking) : 0
  const fused = fuse(candidates, { hasWords: true, reach, nowhere })
  // Each index reads this many of its own pages word by word; the scores of the same number of pages are used here.
  const again = new Set(toReadAgain(fused, DEPTHS[depth].latePages).map(({ id }) => id))
  const late = new Map(valuesOf(pages, "late").filter(([id]) => again.has(id)))
  const read = withLateInteraction(fused, late)
  const said = new Map(valuesOf(pages, "rerank"))
  const first = toRerank(read)
  // A reranker's scores for some pages don't apply to others.
  return first.length > 0 && first.every(({ id }) => said.has(id)) ? withReranker(read, said) : read
}

const valuesOf = (pages: ReadonlyMap<string, Known>, part: "late" | "rerank"): [string, number][] =>
  Array.from(pages, ([id, { hit }]): [string, number] => [id, hit.parts[part]]).filter(
    ([, value]) => value > 0,
  )

/** Like `withFactors` in a single-index search, for pages of any index. */
function withFactors(
  ranked: readonly Ranked[],
  pages: ReadonlyMap<string, Known>,
  { rules = [] }: Pick<Query, "rules">,
  applied: Map<string, readonly AppliedRule[]>,
): readonly Ranked[] {
  const factorOf = factorsBy(rules, Date.now())
  if (factorOf === null) return ranked
  const scaled = ranked.map((one) => {
    const { hit } = pages.get(one.id)!
    const { factor, applied: by } = factorOf({ ...hit, sources: sourcesOf(hit) })
    if (by.length > 0) applied.set(one.id, by)
    return { ...one, fused: one.fused * factor, score: Math.min(1, one.score * factor) }
  })
  const scores = scaled.map(({ score }) => score).sort((a, b) => b - a)
  return scaled
    .sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
    .map((one, i) => ({ ...one, score: scores[i]! }))
}

function shown(
  one: Arranged,
  pages: ReadonlyMap<string, Known>,
  applied: ReadonlyMap<string, readonly AppliedRule[]>,
): Hit {
  const { hit } = pages.get(one.id)!
  const behind = (one.folded ?? []).map(({ id, kind }) => {
    const { url, title, language } = pages.get(id)!.hit
    return { url, title, language, kind }
  })
  const known = new Set<PageUrl>(behind.map(({ url }) => url))
  const folded = [...behind, ...(hit.folded ?? []).filter(({ url }) => !known.has(url))]
  const rules = [...(hit.rules ?? []).filter(({ kind }) => kind !== "boost"), ...(applied.get(one.id) ?? [])]
  const { rules: _rules, folded: _folded, ...page } = hit
  return {
    ...page,
    score: one.score,
    ...(one.match !== undefined && { match: one.match }),
    parts: { ...hit.parts, late: one.late, rerank: one.rerank, fused: one.fused, boost: one.boost },
    ...(folded.length > 0 && { folded }),
    ...(rules.length > 0 && { rules }),
  }
}

/** The pins set by this appliance's operator, in their places. */
function withPins(hits: readonly Hit[], own: readonly Hit[], limit: number): readonly Hit[] {
  const pinned = own.flatMap((hit) => {
    const pin = hit.rules?.find((rule) => rule.kind === "pin")
    return pin?.position === undefined ? [] : [{ hit, place: pin.position - 1 }]
  })
  if (pinned.length === 0) return hits
  const urls = new Set(pinned.map(({ hit }) => hit.url))
  const placed = hits.filter(({ url }) => !urls.has(url))
  for (const { hit, place } of pinned.toSorted((a, b) => a.place - b.place)) {
    const at = Math.min(place, placed.length)
    const before = placed[at - 1]?.score ?? 1
    placed.splice(at, 0, { ...hit, score: Math.min(before, Math.max(hit.score, placed[at]?.score ?? 0)) })
  }
  return placed.slice(0, Math.floor(limit))
}

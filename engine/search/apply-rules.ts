import { type BoostedPage, factorsBy } from "./rules/boosts.ts"
import { pinsFor, placeOf } from "./rules/pins.ts"
import type { AppliedRule, Rule, SynonymRule } from "./rules/rule.ts"
import type { Arranged } from "./ranking/duplicates.ts"
import type { Ranked } from "./ranking/fusion.ts"
import { type PageHead, toPage } from "../index/page-record.ts"
import type { Condition, SearchIndex } from "../index/search-index.ts"
import { sourcesOf } from "../index/page/page.ts"
import { typeOf } from "../index/page/page-type.ts"
import { pageId, toPageUrl } from "../index/page/page-url.ts"
import type { QueryText } from "../text/query-text.ts"
import { type Exclusions, withoutExcluded } from "./exclusions.ts"

/** Number of top pages to which boosts apply: scores further down are so low that even multiplying them by four changes little. */
const MOST_BOOSTED = 100

/** The rules that affected each page, by page id. */
export type AppliedRules = Map<string, AppliedRule[]>

export function note(applied: AppliedRules, id: string, rules: readonly AppliedRule[]): void {
  const known = applied.get(id) ?? []
  applied.set(id, [...known, ...rules.filter((one) => !known.some((other) => other.id === one.id))])
}

/** The synonym rules that were used, as reported with results. */
export const synonymsApplied = (rules: readonly SynonymRule[], question: string): AppliedRule[] =>
  rules.map(({ id, kind }) => ({ id, kind, question }))

/** Multiplies the scores by the operator's factors and sorts again, best first; neither `fused` nor `score` ever rises from one page to the next. */
export async function withFactors(
  index: Pick<SearchIndex, "heads">,
  ranked: readonly Ranked[],
  rules: readonly Rule[],
  applied: AppliedRules,
): Promise<readonly Ranked[]> {
  const factorOf = factorsBy(rules, Date.now())
  if (factorOf === null) return ranked
  const first = ranked.slice(0, MOST_BOOSTED)
  const heads = new Map((await index.heads(first.map(({ id }) => id))).map((head) => [head.id, head]))
  const scaled = ranked.map((one) => {
    const head = heads.get(one.id)
    if (!head) return one
    const { factor, applied: rules } = factorOf(boostedPage(head))
    if (rules.length === 0) return one
    note(applied, one.id, rules)
    return { ...one, fused: one.fused * factor, score: Math.min(1, one.score * factor) }
  })
  const scores = scaled.map(({ score }) => score).sort((a, b) => b - a)
  return scaled
    .sort((a, b) => b.fused - a.fused || (a.id < b.id ? -1 : 1))
    .map((one, i) => ({ ...one, score: scores[i]! }))
}

function boostedPage(head: PageHead): BoostedPage {
  const page = toPage({ ...head, markdown: "" })
  const { url, language, publishedAt } = page
  return { url, language, publishedAt, sources: sourcesOf(page), type: typeOf(page) }
}

interface Placed {
  readonly page: PageHead
  readonly ranked: Arranged
  readonly cosines: ReadonlyMap<number, number>
}

export interface Pinning {
  readonly question: QueryText
  readonly rules: readonly Rule[]
  readonly languages: readonly string[]
  readonly conditions: readonly Condition[]
  readonly exclusions: Exclusions | null
  readonly limit: number
  readonly applied: AppliedRules
}

/** Inserts the operator's pins into the results, where conditions and exclusions permit them. */
export async function withPins(
  index: SearchIndex,
  found: readonly Placed[],
  { question, rules, languages, conditions, exclusions, limit, applied }: Pinning,
): Promise<readonly Placed[]> {
  const pins = pinsFor(question, rules, languages).flatMap((pin) => {
    const url = toPageUrl(pin.url)
    return url === null || placeOf(pin) > limit ? [] : [{ pin, id: pageId(url) }]
  })
  if (pins.length === 0) return found
  const ids = pins.map(({ id }) => id)
  const { lexical: admitted } = await withoutExcluded(index, exclusions, 1, async () => ({
    lexical: new Map(
      (await index.holding([], "any", ids.length, [...conditions, { ids }])).map((id) => [id, 1]),
    ),
    nearest: [],
    aside: new Set(),
  }))
  const heads = new Map((await index.heads([...admitted.keys()])).map((head) => [head.id, head]))
  const placed = found.filter(({ page }) => !heads.has(page.id))
  for (const { pin, id } of pins) {
    const head = heads.get(id)
    if (!head) continue
    const place = Math.min(placeOf(pin) - 1, placed.length)
    const known = found.find(({ page }) => page.id === id)
    // Scores never rise from one hit to the next, so a page that the operator puts first counts as at least as good as
    // those behind it.
    const before = placed[place - 1]?.ranked.score ?? 1
    const score = Math.min(before, Math.max(known?.ranked.score ?? 0, placed[place]?.ranked.score ?? before))
    const ranked: Arranged = { ...(known?.ranked ?? { ...UNRANKED, id }), score }
    placed.splice(place, 0, { page: head, ranked, cosines: known?.cosines ?? new Map<number, number>() })
    note(applied, id, [{ id: pin.id, kind: pin.kind, position: placeOf(pin) }])
  }
  return placed.slice(0, limit)
}

const UNRANKED = { lexical: 0, vector: 0, late: 0, rerank: 0, fused: 0, boost: 0 }

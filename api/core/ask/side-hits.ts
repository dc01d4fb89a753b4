import type { Engine, Hit } from "#engine"
import { searchedApart } from "#engine/answer-extraction/sides.ts"
import type { AskedQuery } from "../../services/misses/narrow-filters.ts"

/**
 * The hits, including the best page for each side of a comparison, or for each of several questions: a page about both
 * sides may outrank the only page about one. A page that is added this way takes the place of the lowest hit that it
 * outscores.
 *
 * @returns best first, not more than the query's limit
 */
export async function withSides(
  hits: readonly Hit[],
  query: AskedQuery,
  engine: Pick<Engine, "search">,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const texts = searchedApart(query.text.text)
  if (texts.length === 0) return hits
  const found = await Promise.all(
    texts.map((text) =>
      engine.search(
        { ...query, text: { ...query.text, text, phrases: [] }, depth: "basic", limit: 1 },
        { signal },
      ),
    ),
  )
  const best = found.flatMap((one) => one.hits)
  const isBest = ({ url }: Hit) => best.some((hit) => hit.url === url)
  const all = [...hits]
  for (const hit of best) {
    if (all.some(({ url }) => url === hit.url)) continue
    const lowest = all.length < query.limit ? -1 : all.findLastIndex((other) => !isBest(other))
    if (all.length >= query.limit && (lowest === -1 || all[lowest]!.score > hit.score)) continue
    if (lowest !== -1) all.splice(lowest, 1)
    // The other hits keep their order, which may come from the operator's rules.
    all.splice(all.findLastIndex(({ score }) => score >= hit.score) + 1, 0, hit)
  }
  return all
}

import type { Engine, Hit } from "#engine"
import { searchedApart } from "#engine/answer-extraction/sides.ts"
import type { AskedQuery } from "../../services/misses/narrow-filters.ts"

/**
 * The hits with the best page for each side of a comparison, or for each question of several, among them: a page about both sides may
 * outrank the only page about one. Such a page takes the place of the lowest hit that it outscores.
 *
 * @returns best first, not more than the query's limit
 */
export async function withSides(
  hits: readonly Hit[],
  query: AskedQuery,
  engine: Pick<Engine, "search">,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const found = await Promise.all(
    searchedApart(query.text.text).map((text) =>
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
    all.push(hit)
  }
  return all.sort((a, b) => b.score - a.score)
}

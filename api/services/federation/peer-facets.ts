import type { FacetField } from "#engine"

import type { PeerFacet } from "./answer-schema.ts"
import { sourceOfPeer } from "./peers-file.ts"

/** A facet in wire format. */
interface Counted {
  readonly field: FacetField
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly pages: number
  readonly exact: boolean
}

/** Maximum number of values for one field, the same as in the engine. */
const MOST_VALUES = 50

/**
 * The counts of our own index plus those of the peers. For sources, all of a peer's pages are counted under the peer
 * itself, because its source names are internal. Folders without their site are left out, because they could belong to
 * any site.
 */
export function withPeerFacets<F extends Counted>(
  own: readonly F[],
  peers: ReadonlyMap<string, readonly PeerFacet[]> = new Map(),
): F[] {
  return own.map((facet) => {
    const counts = new Map(facet.values.map(({ value, count }) => [value, count]))
    let { pages, exact } = facet
    for (const [peer, facets] of peers) {
      const told = facets.find(({ field }) => field === facet.field)
      if (told === undefined) continue
      pages += told.pages
      exact &&= told.exact
      const values =
        facet.field === "source"
          ? [{ value: sourceOfPeer(peer), count: told.pages }]
          : told.values.filter(({ value }) => facet.field !== "path" || value.startsWith("//"))
      for (const { value, count } of values) counts.set(value, (counts.get(value) ?? 0) + count)
    }
    const values = Array.from(counts, ([value, count]) => ({ value, count }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MOST_VALUES)
    return { ...facet, values, pages, exact }
  })
}

import { toPageUrl } from "#engine"

import type { AddressTest, Reach } from "../../identity/accounts/reach/reach.ts"
import { namesLeft } from "../../identity/accounts/reach/scoped-pages.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

/** The sources that the key may see. Fields that are unknown, or that the key may not know, are null. */
export async function sourcesWithin(
  reach: Pick<Reach, "limits" | "addresses">,
  knowledge: Pick<PageKnowledge, "sources">,
) {
  const limits = await reach.limits()
  const admits = await reach.addresses()
  // A key limited only to domains cannot see source names, as in searches.
  const onDomains = limits !== null && limits.domains !== null
  const isPartly = (name: string) => onDomains || limits?.readable?.partly.has(name) === true
  const sources = await knowledge.sources()
  const named = new Set(
    namesLeft(
      limits,
      sources.map(({ name }) => name),
    ),
  )
  return (
    sources
      .filter(({ name }) => named.has(name))
      .map(({ name, pages, seeds, checkedAt }) => ({
        name,
        // Counts exist only for all pages, not for the pages that the key may see.
        pages: isPartly(name) ? null : pages,
        starts: seeds.flatMap((seed) => startOf(seed, onDomains ? admits : () => true)),
        checkedAt: isPartly(name) ? null : checkedAt,
      }))
      // The existence of a source without visible start addresses would reveal something outside the domains.
      .filter(({ starts }) => !onDomains || starts.length > 0)
  )
}

/** The seed without its parameters, which may contain secrets; empty if the seed may not be shown. */
function startOf(seed: string, admits: AddressTest): string[] {
  const url = toPageUrl(seed)
  return url === null || !admits(url) ? [] : [url.replace(/[?#].*$/s, "")]
}

import { toPageUrl } from "#engine"

import type { AddressTest, Reach } from "../../identity/accounts/reach/reach.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

/** The sources that the key may see. Fields that are unknown, or that the key may not know, are null. */
export async function sourcesWithin(
  reach: Pick<Reach, "limits" | "addresses">,
  knowledge: Pick<PageKnowledge, "sources">,
) {
  const limits = await reach.limits()
  const admits = await reach.addresses()
  // Who is limited to domains alone knows no source by name, as in searches.
  const named = limits === null ? null : new Set(limits.sources ?? [])
  const onDomains = limits !== null && limits.domains !== null
  return (
    (await knowledge.sources())
      .filter(({ name }) => named === null || named.has(name))
      .map(({ name, pages, seeds, checkedAt }) => ({
        name,
        // How many of them are on the domains of the key, nobody has counted.
        pages: onDomains ? null : pages,
        starts: seeds.flatMap((seed) => startOf(seed, onDomains ? admits : () => true)),
        checkedAt: onDomains ? null : checkedAt,
      }))
      // That there is a source tells something of what lies outside the domains.
      .filter(({ starts }) => !onDomains || starts.length > 0)
  )
}

/** Without parameters, which may be secrets. */
function startOf(seed: string, admits: AddressTest): string[] {
  const url = toPageUrl(seed)
  return url === null || !admits(url) ? [] : [url.replace(/[?#].*$/s, "")]
}

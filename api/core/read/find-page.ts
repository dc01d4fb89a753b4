import type { Page, PageUrl } from "#engine"

import type { Reach } from "../../identity/accounts/reach/reach.ts"

/** Information from crawls about addresses. */
export interface AddressKnowledge {
  /**
   * The pages that replace an address, because of identical text, a redirect or a canonical link, according to any of
   * these sources; if `sources` is null, according to any source.
   */
  standingFor(url: PageUrl, sources: readonly string[] | null): Promise<readonly PageUrl[]>
  /** Other spellings of an address that name the same page, likeliest first. */
  spellingsOf(url: PageUrl): Promise<readonly PageUrl[]>
}

/** Maximum number of addresses looked up, so that an address that is unknown in every spelling costs no more than a search. */
const MOST_ASKED = 32

/**
 * The stored page for an address: under the address itself, under the address that a crawl found to replace it (because
 * of identical text, a redirect or a canonical link), or under another spelling (https, `www.`, slash, parameters that
 * select nothing). Null if there is no such page that the caller may see: pages outside the caller's reach look as if
 * they were missing.
 */
export async function findPage(
  url: PageUrl,
  {
    reach,
    knowledge,
    signal,
  }: {
    readonly reach: Pick<Reach, "page" | "limits">
    readonly knowledge: AddressKnowledge
    readonly signal?: AbortSignal
  },
): Promise<Page | null> {
  const sources = (await reach.limits())?.sources ?? null
  const asked = new Set<PageUrl>()
  const firstOf = async (addresses: readonly PageUrl[]): Promise<Page | null> => {
    for (const address of addresses) {
      if (asked.has(address) || asked.size >= MOST_ASKED) continue
      asked.add(address)
      const page =
        (await reach.page(address, signal)) ?? (await firstOf(await knowledge.standingFor(address, sources)))
      if (page !== null) return page
    }
    return null
  }
  return (await firstOf([url])) ?? (await firstOf(await knowledge.spellingsOf(url)))
}

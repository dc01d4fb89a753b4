import type { PageUrl } from "#engine"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { type Miss, missOf } from "./miss.ts"
import type { MissKnowledge, View } from "./miss-knowledge.ts"

/** The limits on what an explanation may reveal to a key. */
export async function viewOf(
  { limits, addresses, page }: Pick<Reach, "limits" | "addresses" | "page">,
  signal?: AbortSignal,
): Promise<View> {
  return {
    sources: (await limits())?.sources ?? null,
    admits: await addresses(),
    page: (url) => page(url, signal),
  }
}

/**
 * Why the index has no page for an address, limited to what the key may know; `null` if the index has a page, or
 * nothing is known. For an address out of reach the answer is the same whether there is a page or not.
 */
export async function addressMiss(
  url: PageUrl,
  {
    reach,
    key,
    knowledge,
    signal,
  }: {
    readonly reach: Pick<Reach, "limits" | "addresses" | "page">
    readonly key: Pick<ApiKey, "role">
    readonly knowledge: MissKnowledge
    readonly signal?: AbortSignal
  },
): Promise<Miss | null> {
  const view = await viewOf(reach, signal)
  if (!view.admits(url)) {
    const text = `${url} doesn't exist, or this key may not see it.`
    return { cause: "reach", text, url }
  }
  const found = await knowledge.missing(url, view)
  if (found === null) return null
  const { missing, summary } = found
  // The target may be outside the key's reach.
  const heldAs = missing.heldAs !== null && (await view.page(missing.heldAs)) ? missing.heldAs : null
  return missOf(url, { ...missing, heldAs }, key.role === "admin" ? { detail: summary } : {})
}

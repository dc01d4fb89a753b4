import type { OtherForm } from "#crawler/crawl/duplicates/other-forms.ts"
import { type Hit, type PageUrl, sourcesOf } from "#engine"

import type { Reach } from "../../identity/accounts/reach/reach.ts"

/** Knows which documents exist in several formats. */
export interface FormKnowledge {
  of(page: PageUrl, sources: readonly string[]): Promise<readonly OtherForm[]>
}

/**
 * The other formats of each hit, keyed by the hit's address, limited to names the caller may see; hits without other
 * formats have no entry.
 */
export async function otherForms(
  hits: readonly Hit[],
  knowledge: FormKnowledge,
  reach: Pick<Reach, "addresses">,
): Promise<ReadonlyMap<PageUrl, readonly OtherForm[]>> {
  const found = new Map<PageUrl, readonly OtherForm[]>()
  const formsOf = async (hit: Hit) => [hit.url, await knowledge.of(hit.url, sourcesOf(hit))] as const
  for (const [url, forms] of await Promise.all(hits.map(formsOf))) if (forms.length > 0) found.set(url, forms)
  if (found.size === 0) return found
  const admits = await reach.addresses()
  for (const [url, forms] of found) {
    const named = forms.filter((form) => admits(form.url))
    if (named.length > 0) found.set(url, named)
    else found.delete(url)
  }
  return found
}

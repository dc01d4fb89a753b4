import { type Hit, type PageUrl, sourcesOf } from "#engine"

/** Knows when some sources last visited a page. */
export interface VisitKnowledge {
  visits(url: PageUrl, sources: readonly string[]): Promise<{ readonly checkedAt: Date | null }>
}

/**
 * When a crawl last found a page, changed or not.
 * @param named sources whose visits may be shown; null for all
 */
export async function lastCheck(
  page: Pick<Hit, "url" | "source" | "sharedWith" | "fetchedAt">,
  knowledge: VisitKnowledge,
  named: readonly string[] | null = null,
): Promise<Date> {
  const sources = sourcesOf(page).filter((name) => named === null || named.includes(name))
  const { checkedAt } = await knowledge.visits(page.url, sources)
  return lastOf(page, checkedAt)
}

/** The last visit, or the time the text was read if that was later. Imported pages have no visit. */
export const lastOf = ({ fetchedAt }: Pick<Hit, "fetchedAt">, checkedAt: Date | null): Date =>
  checkedAt !== null && checkedAt > fetchedAt ? checkedAt : fetchedAt

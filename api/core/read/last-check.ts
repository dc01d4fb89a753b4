import { type Hit, type PageUrl, sourcesOf } from "#engine"

/** When visits of some sources saw a page. */
export interface VisitKnowledge {
  visits(url: PageUrl, sources: readonly string[]): Promise<{ readonly checkedAt: Date | null }>
}

/**
 * When a crawl last found a page, changed or not: at least when its text was read, which is all that is known of a page that was
 * imported.
 * @param named sources whose visits may be told of; null: all
 */
export async function lastCheck(
  page: Pick<Hit, "url" | "source" | "sharedWith" | "fetchedAt">,
  knowledge: VisitKnowledge,
  named: readonly string[] | null = null,
): Promise<Date> {
  const sources = sourcesOf(page).filter((name) => named === null || named.includes(name))
  const { checkedAt } = await knowledge.visits(page.url, sources)
  return checkedAt !== null && checkedAt > page.fetchedAt ? checkedAt : page.fetchedAt
}

import type { PageUrl } from "#engine"
import type { Content } from "../../fetch/content/content.ts"
import type { Job } from "../../job.ts"
import { type Frontier, IN_CONTENT } from "../frontier/frontier.ts"
import type { KnownAddress, KnownAddresses, ListedFacts } from "../frontier/known-addresses.ts"

export interface ListContentOptions {
  readonly job: Pick<Job, "id" | "source">
  readonly frontier: Frontier
  readonly known: KnownAddresses
  readonly inScope: (url: PageUrl) => boolean
  readonly onTrouble: (note: string) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Makes a run visit the new, changed and missing parts of its source's content. Each missing page is confirmed by its
 * own visit, so a list that lacks some pages removes nothing.
 * @throws KnownError when nothing can be listed
 */
export async function listContent(content: Content, options: ListContentOptions): Promise<void> {
  const { job, frontier, known, inScope, signal } = options
  const { name } = job.source
  for await (const entries of content.list(options)) {
    if (signal.aborted || frontier.isFull) return
    const changed: PageUrl[] = []
    const isDue = (before: KnownAddress, { modifiedAt }: ListedFacts): boolean => {
      // `visitedAt` is a time on this machine's clock and `modifiedAt` one on the content's clock; the clocks may
      // differ.
      const isChanged = modifiedAt !== before.modifiedAt || (modifiedAt ?? 0) > before.visitedAt
      if (isChanged) changed.push(before.url)
      return isChanged || before.dueAt <= known.now()
    }
    const listed = entries
      .filter(({ url }) => inScope(url))
      .map(({ url, changedAt }) => ({ url, modifiedAt: changedAt, publishedAt: null, isNews: false }))
    await frontier.list(listed, { how: "content", on: content.place, isDue })
    // If a run is cancelled before visiting these addresses, the next run visits them.
    for (const url of changed) await known.makeDue(url, name)
  }
  if (signal.aborted || frontier.isFull) return
  const gone = await known.unlisted(name, IN_CONTENT, job.id)
  await frontier.revisit(gone.filter(({ url }) => inScope(url)))
}

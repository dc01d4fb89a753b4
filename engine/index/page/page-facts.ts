import type { Place } from "./domains.ts"
import type { Fingerprint } from "./fingerprint.ts"
import type { PageTopic } from "./page.ts"

/** The facts about a page that ranking uses in addition to how well it matches. */
export interface PageFacts extends Place {
  readonly url: string
  readonly title: string
  readonly language: string | null
  readonly country: string | null
  readonly topic: PageTopic | null
  /** Milliseconds since the epoch. */
  readonly published: number | null
  /** As in `Page`; omitted if false. */
  readonly isListing?: true
  readonly fingerprint: Fingerprint
}

/** Facts by page id; pages that no longer exist are missing. */
export type FactsOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, PageFacts>>

/** The same as `factsOf`, but for a single question: reads each page only once, since several steps look at the same pages. */
export function factsOnce(factsOf: FactsOf): FactsOf {
  const known = new Map<string, PageFacts | null>()
  return async (ids) => {
    const unknown = ids.filter((id) => !known.has(id))
    const read = unknown.length > 0 ? await factsOf(unknown) : new Map<string, PageFacts>()
    for (const id of unknown) known.set(id, read.get(id) ?? null)
    return new Map(
      ids.flatMap((id) => {
        const facts = known.get(id)
        return facts ? [[id, facts] as const] : []
      }),
    )
  }
}

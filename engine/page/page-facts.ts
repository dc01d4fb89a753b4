import type { Place } from "./domains.ts"
import type { Fingerprint } from "./fingerprint.ts"
import type { PageTopic } from "./page.ts"

/** What ranking asks of a page besides how well it matches. */
export interface PageFacts extends Place {
  readonly url: string
  readonly title: string
  readonly language: string | null
  readonly country: string | null
  readonly topic: PageTopic | null
  /** Milliseconds since the epoch. */
  readonly published: number | null
  /** As in `Page`; left out when not. */
  readonly isListing?: true
  readonly fingerprint: Fingerprint
}

/** Facts by page id; a page that is gone has none. */
export type FactsOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, PageFacts>>

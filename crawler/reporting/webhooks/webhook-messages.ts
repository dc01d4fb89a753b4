import { concealedCounts } from "../../fetch/concealed.ts"
import type { Job } from "../../job.ts"

// The messages sent to receivers, in their wire format.

/** One page that was added, changed or removed. */
export interface PageChange {
  readonly change: "new" | "changed" | "removed"
  readonly url: string
  /** The page's title as last indexed. */
  readonly title: string | null
  /** Changes with anything that search shows about the page; null for a removed page. */
  readonly hash: string | null
  readonly at: Date
}

/** The maximum number of pages in one message. */
export const MAX_PAGES = 100
/** The maximum length of the addresses and titles in one message, not counting those of its first page. */
export const MAX_CHARS = 100_000
const MAX_TITLE_CHARS = 300

/** How many of the {@link MAX_CHARS} characters a page uses. */
export function charsOf({ url, title }: Pick<PageChange, "url" | "title">): number {
  return url.length + Math.min(title?.length ?? 0, MAX_TITLE_CHARS)
}

/** Pages that changed in one run; for a run with many changes, there are several messages. */
export function changedMessage(
  job: Pick<Job, "id" | "source">,
  pages: readonly PageChange[],
  at: Date,
): string {
  return webhookMessage("pages.changed", at, {
    source: job.source.name,
    job_id: job.id,
    pages: pages.map((page) => ({
      change: page.change,
      url: page.url,
      title: page.title === null ? null : page.title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
      hash: page.hash,
      at: page.at,
    })),
  })
}

/** A message about a run that has ended, with any result. */
export function finishedMessage(job: Job, at: Date): string {
  return webhookMessage("crawl.finished", at, {
    source: job.source.name,
    job_id: job.id,
    state: job.state,
    result: job.result,
    reason: job.reason,
    trigger: job.trigger,
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    outcomes: job.author === "api" ? concealedCounts(job.outcomes) : job.outcomes,
    changes: job.changes,
    note: job.note,
    error: job.error,
  })
}

/** The payload format of Standard Webhooks. */
export function webhookMessage(
  type: string,
  timestamp: Date,
  data: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({ type, timestamp, data })
}

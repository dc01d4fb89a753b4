import type { StateStore } from "#base/store/state-store.ts"
import { pageTriggers } from "../crawl/frontier/source-pages.ts"
import type { PageChanges } from "../job.ts"

/**
 * Counts the changes of pages with the run that made them, in the transaction that records them. What changes while the
 * job does not run, such as by a restore, is none of its doing.
 */
export const CHANGE_TRIGGERS = pageTriggers(
  "job_change",
  "exists (select 1 from job where job.id = new.job and job.state = 'running')",
  (change) =>
    `insert into job_change values (new.job, '${change}', 1) on conflict (job, change) do update set count = count + 1`,
)

/** What a job changed in the index. */
export async function changesOf(db: StateStore, job: number): Promise<PageChanges> {
  const counts: Record<string, number> = {}
  for (const { change, count } of await db
    .prepare("select change, count from job_change where job = ?")
    .all(job)) {
    counts[String(change)] = Number(count)
  }
  return { new: counts["new"] ?? 0, changed: counts["changed"] ?? 0, gone: counts["removed"] ?? 0 }
}

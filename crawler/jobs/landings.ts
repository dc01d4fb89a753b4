import type { PageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"

/** Where the seeds of a source led the last time. */
export function landingsOf(db: StateStore, name: string): Map<string, PageUrl> {
  return new Map(
    db
      .prepare("select seed, landed from job_landing join job on job.id = job where source = ? order by job")
      .all(name)
      .map(({ seed, landed }) => [String(seed), landed as PageUrl]),
  )
}

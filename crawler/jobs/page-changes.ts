import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { PageChanges } from "../job.ts"
import type { JobTables } from "./job-schema.ts"

/** A job's changes to the index. */
export async function changesOf(db: StateStore, job: number): Promise<PageChanges> {
  const rows = await queriesOf<JobTables>(db)
    .selectFrom("job_change")
    .select(["change", "count"])
    .where("job", "=", job)
    .execute()
  const counts: Partial<Record<JobTables["job_change"]["change"], number>> = Object.fromEntries(
    rows.map(({ change, count }) => [change, count]),
  )
  return { new: counts.new ?? 0, changed: counts.changed ?? 0, gone: counts.removed ?? 0 }
}

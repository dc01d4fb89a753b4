import type { Engine } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import { pageCount } from "../crawl/frontier/source-pages.ts"
import { countPagesForNobody } from "./readers/pages-for-nobody.ts"
import type { Job, JobResult, PageChanges } from "../job.ts"
import type { JobRecords } from "../jobs/job-records.ts"
import { entriesOf, isFailure, isSkip, type OutcomeName } from "../outcome-name.ts"

/** The result of a source's last finished run. */
export interface LastResult extends PageChanges {
  readonly job: number
  readonly result: JobResult
  readonly reason: string | null
  readonly endedAt: Date | null
  /** The number of visits that failed. */
  readonly failed: number
  /** The number of visits to addresses that the index must not contain. */
  readonly skipped: number
}

/** A source's state at a glance, for an operator. */
export interface SourceStatus {
  /** The number of the source's pages in the index. */
  readonly pages: number
  /** How many of the source's pages have vectors; `null` if the index can't be queried. */
  readonly pagesWithVectors: number | null
  /** Number of pages that no one may read. */
  readonly pagesForNobody: number
  readonly lastResult: LastResult | null
  /** The newest job, in any state. */
  readonly lastJob: Job | null
}

export interface StatusParts {
  readonly db: StateStore
  readonly jobs: Pick<JobRecords, "list" | "lastJudged">
  /** `null` if the index can't be opened. */
  readonly engine: Pick<Engine, "stats" | "pagesWithoutVectors"> | null
}

/** The status of sources by name. */
export async function sourceStatus(
  { db, jobs, engine }: StatusParts,
  names: readonly string[],
): Promise<ReadonlyMap<string, SourceStatus>> {
  const without = await withoutVectors(engine, names)
  const forNobody = await countPagesForNobody(db)
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, SourceStatus]> => {
        const pages = await pageCount(db, name)
        const waiting = without?.get(name) ?? 0
        const judged = await jobs.lastJudged(name)
        return [
          name,
          {
            pages,
            pagesWithVectors: without === null ? null : Math.max(0, pages - waiting),
            pagesForNobody: forNobody.get(name) ?? 0,
            lastResult: judged && resultOf(judged),
            lastJob: (await jobs.list({ source: name, limit: 1 }))[0] ?? null,
          },
        ]
      }),
    ),
  )
}

/** The result of a job, if it has one. */
export function resultOf({ id, result, reason, endedAt, changes, outcomes }: Job): LastResult | null {
  if (result === null) return null
  const visits = (are: (name: OutcomeName) => boolean) =>
    entriesOf(outcomes).reduce((sum, [name, count]) => sum + (are(name) ? count : 0), 0)
  return { job: id, result, reason, endedAt, ...changes, failed: visits(isFailure), skipped: visits(isSkip) }
}

async function withoutVectors(
  engine: StatusParts["engine"],
  names: readonly string[],
): Promise<ReadonlyMap<string, number> | null> {
  if (engine === null) return null
  try {
    // Usually all pages have vectors, and this one query is enough.
    if ((await engine.stats()).pagesWithoutVectors === 0) return new Map()
    const found = new Map<string, number>()
    for (const name of names) found.set(name, await engine.pagesWithoutVectors(name))
    return found
  } catch {
    return null
  }
}

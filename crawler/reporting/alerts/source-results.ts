import type { StateStore } from "#base/store/state-store.ts"
import type { JobResult } from "../../job.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { AlertBook } from "./alert-book.ts"

/** How the last finished run of a declared source ended. */
export interface SourceResult {
  readonly source: string
  readonly result: JobResult
  readonly endedAt: Date | null
  /** The number of consecutive bad runs, including this one. */
  readonly badRuns: number
}

/** The results of the declared sources that have ever run, sorted by name, at most `limit`. */
export async function sourceResults(db: StateStore, jobs: Jobs, limit: number): Promise<SourceResult[]> {
  const names = (await new SourceTable(db, jobs).list()).map(({ source }) => source.name)
  const bad = new Map(
    (await new AlertBook(db).list()).flatMap(({ about, name, badRuns }) =>
      about === "source" ? [[name, badRuns]] : [],
    ),
  )
  return (
    await Promise.all(
      names
        .toSorted()
        .slice(0, limit)
        .map(async (source) => {
          const job = await jobs.lastJudged(source)
          if (job === null || job.result === null) return []
          return [{ source, result: job.result, endedAt: job.endedAt, badRuns: bad.get(source) ?? 0 }]
        }),
    )
  ).flat()
}

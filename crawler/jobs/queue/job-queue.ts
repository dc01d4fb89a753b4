import type { JobWish } from "../jobs.ts"

/**
 * Hands out waiting jobs to the processes that work on them, one per source at a time. The table of jobs stays the
 * source of truth: a process that takes a job asks `Jobs.start` whether it may run it, and code that requests jobs
 * writes only to the table.
 */
export interface JobQueue extends AsyncDisposable {
  /** The next job to work on, or null. The job belongs to this process until it is {@link done} or the process is lost. */
  take(wish?: JobWish): Promise<number | null>
  /** Must be called when a taken job has ended, was put back, or could not be started. */
  done(id: number): Promise<void>
}

import type { JobWish } from "../jobs.ts"

/**
 * Hands out waiting jobs to the processes that work on them, one of a source at a time. The table of jobs stays the
 * truth: a process that takes a job asks `Jobs.start` whether it may run it, and code that requests jobs writes to
 * the table alone.
 */
export interface JobQueue extends AsyncDisposable {
  /** The next job to work on, or null. It is this process's until it is {@link done}, or the process is lost. */
  take(wish?: JobWish): Promise<number | null>
  /** A job that was taken is over, was put down, or could not be started. */
  done(id: number): Promise<void>
}

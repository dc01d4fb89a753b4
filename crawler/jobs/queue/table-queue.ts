import type { Jobs, JobWish } from "../jobs.ts"
import type { JobQueue } from "./job-queue.ts"

/** Hands out jobs in the order of their table. If two processes take the same one, `Jobs.start` decides between them. */
export class TableQueue implements JobQueue {
  readonly #jobs: Jobs

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  async take(wish: JobWish = {}): Promise<number | null> {
    return (await this.#jobs.nextQueued(wish))?.id ?? null
  }

  done(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}

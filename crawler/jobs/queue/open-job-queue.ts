import { stateServer } from "#base/store/postgres/state-location.ts"
import { isOnServer, type StateStore } from "#base/store/state-store.ts"
import type { Jobs } from "../jobs.ts"
import { BossQueue } from "./boss-queue.ts"
import type { JobQueue } from "./job-queue.ts"
import { TableQueue } from "./table-queue.ts"

export interface JobQueueOptions {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly dataDir: string
  /** Called once with the reason why no job can be taken; the queue tries again. */
  readonly onProblem: (error: Error) => void
}

/** The job queue of a state: pg-boss if the state is on a server, or the table alone if it is a file. */
export function openJobQueue({ db, jobs, dataDir, onProblem }: JobQueueOptions): JobQueue {
  const location = isOnServer(db) ? stateServer(dataDir) : null
  return location === null ? new TableQueue(jobs) : new BossQueue({ jobs, location, onProblem })
}

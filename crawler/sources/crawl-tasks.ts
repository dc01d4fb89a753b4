import { BY_HAND, type Job } from "../job.ts"
import type { Jobs } from "../jobs/jobs.ts"
import type { Task, TaskKind, TaskTimes } from "../jobs/tasks/task.ts"
import { authorOf, type ScheduledSource, type SourceTable } from "./source-table.ts"

/** The crawls of sources that have a schedule. Each run is a job. */
export class CrawlTasks implements TaskKind<Job> {
  readonly kind = "crawl"
  readonly #sources: SourceTable
  readonly #jobs: Jobs

  constructor(sources: SourceTable, jobs: Jobs) {
    this.#sources = sources
    this.#jobs = jobs
  }

  async dueBy(time: number): Promise<Task<Job>[]> {
    return (await this.#sources.dueBy(time)).flatMap((one) => this.#task(one))
  }

  async dueAfter(time: number): Promise<Task<Job>[]> {
    return (await this.#sources.dueAfter(time)).flatMap((one) => this.#task(one))
  }

  async keepTimes(all: readonly TaskTimes[]): Promise<void> {
    if (all.length > 0) await this.#sources.keepTimes(all)
  }

  #task({ entry, lastRun }: ScheduledSource): Task<Job>[] {
    const { source, nextRun } = entry
    const { name, schedule } = source
    if (schedule === null || nextRun === null) return []
    const jobs = this.#jobs
    return [
      {
        name,
        schedule,
        nextRun: nextRun.getTime(),
        lastRun,
        // An interrupted run that was started by hand is not an obstacle: the scheduled run resumes it if possible.
        unfinished: async () =>
          (await jobs.open(name)).find(
            ({ state, trigger }) => state !== "paused" || !BY_HAND.includes(trigger),
          ) ?? null,
        start: () => jobs.enqueue(source, { trigger: "schedule", visits: "due", author: authorOf(entry) }),
        leaveOut: async ({ id }, due) => {
          await jobs.log(
            id,
            "warn",
            `the run due at ${due.toISOString()} was skipped, because this one is still running`,
          )
        },
      },
    ]
  }
}

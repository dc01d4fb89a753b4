import type { Schedule } from "./schedule.ts"

/** One requested run of a task. */
export interface TaskRun {
  readonly id: number
}

/**
 * Something that runs on a schedule, such as crawling a source or making the backup. A task requests its run and
 * returns at once; the process that does the work finds the run, can outlive this process, and sends a heartbeat. A new
 * kind of task is passed to the `Ticker` in `crawler/main.ts`.
 */
export interface Task<Run extends TaskRun = TaskRun> {
  /** Unique among the tasks of its kind. */
  readonly name: string
  readonly schedule: Schedule
  /** When the task is due, jitter included; milliseconds since 1970. */
  readonly nextRun: number
  /** When its schedule last started a run; null: never. */
  readonly lastRun: number | null
  /** The run that delays the next one because it is still waiting, or because a process is working on it. */
  unfinished(): Promise<Run | null>
  /** Requests a run. */
  start(): Promise<Run>
  /** Called when the run due at `due` is skipped because the previous one has not ended. */
  leaveOut(run: Run, due: Date): Promise<void>
}

/** All tasks of one kind. Their times are stored, so that they outlive the process. */
export interface TaskKind<Run extends TaskRun = TaskRun> {
  /** `crawl`, `backup`. */
  readonly kind: string
  /** Tasks whose next run is at or before `time`, ordered by time. Must be cheap, because it is called every second. */
  dueBy(time: number): Promise<readonly Task<Run>[]>
  /** Tasks whose next run is after `time`. */
  dueAfter(time: number): Promise<readonly Task<Run>[]>
  /** Stores when tasks run next (null: only when requested) and when they last ran, either for all or for none. */
  keepTimes(all: readonly TaskTimes[]): Promise<void>
}

export interface TaskTimes extends Pick<Task, "name" | "lastRun"> {
  readonly nextRun: number | null
}

import type { Clock } from "#base/clock.ts"
import { StepWatch } from "#base/steady-time.ts"
import { jitterMs, nextRun, nextTimes } from "./schedule.ts"
import type { Task, TaskKind, TaskTimes } from "./task.ts"

/** The result of processing a due task. */
export interface Ticked {
  readonly kind: string
  readonly name: string
  /** Id of the run that was requested, or of the previous run if that has not ended. */
  readonly run: number
  /** Whether the run was skipped because the previous one has not ended. */
  readonly isLeftOut: boolean
}

/** Starts the tasks that are due. The timing rules are here, the same for every kind of task. */
export class Ticker {
  readonly #kinds: readonly TaskKind[]
  readonly #clock: Clock
  readonly #random: () => number
  readonly #watch: StepWatch
  #isJudged = false

  /** `random`: from 0 to 1, for jitter. */
  constructor(
    kinds: readonly TaskKind[],
    clock: Clock = Date.now,
    random: () => number = Math.random,
    watch = new StepWatch(clock),
  ) {
    this.#kinds = kinds
    this.#clock = clock
    this.#random = random
    this.#watch = watch
  }

  /**
   * Requests the runs that are due: one for each task, however many were missed meanwhile. A task whose run has not
   * ended is skipped this time, and its `leaveOut` is called.
   */
  async tick(): Promise<Ticked[]> {
    // The first tick checks too, because another process may have stored wrong times.
    if (this.#watch.hasStepped() || !this.#isJudged) await this.#judge()
    const ticked: Ticked[] = []
    for (const kind of this.#kinds)
      for (const task of await kind.dueBy(this.#clock())) ticked.push(await this.#run(kind, task))
    return ticked
  }

  async #run(kind: TaskKind, task: Task): Promise<Ticked> {
    const { name, schedule } = task
    const unfinished = await task.unfinished()
    if (unfinished) await task.leaveOut(unfinished, new Date(task.nextRun))
    const run = unfinished ?? (await task.start())
    const now = this.#clock()
    await kind.keepTimes([{ name, nextRun: nextRun(schedule, now, now, this.#random), lastRun: now }])
    return { kind: kind.kind, name, run: run.id, isLeftOut: unfinished !== null }
  }

  /**
   * Checks all schedules against the current clock, because runs may have been put off for years while the clock was
   * ahead. No run may be later than the schedule's next one, and no last run may be in the future.
   */
  async #judge(): Promise<void> {
    const now = this.#clock()
    for (const kind of this.#kinds) {
      await kind.keepTimes((await kind.dueAfter(now)).flatMap((task) => this.#judged(task, now)))
    }
    this.#isJudged = true
  }

  /** The corrected times of a task; empty when they need no correction. */
  #judged({ name, schedule, nextRun: planned, lastRun: last }: Task, now: number): TaskTimes[] {
    const lastRun = last === null ? null : Math.min(last, now)
    const [next] = nextTimes(schedule, 1, now, lastRun)
    const isFar = next !== undefined && planned > next + jitterMs(schedule)
    if (!isFar && lastRun === last) return []
    return [{ name, nextRun: isFar ? nextRun(schedule, now, lastRun, this.#random) : planned, lastRun }]
  }
}

import { setInterval } from "node:timers"
import type { Logger } from "pino"
import type { DiskRoom } from "../disk-space.ts"
import { actingFor } from "../flow/caller.ts"
import { pause } from "../flow/pause.ts"
import { Serial } from "../flow/serial.ts"
import type { TimeGuard } from "../store/clock/trusted-time.ts"
import { SIGN_MS } from "../store/processes/own-process.ts"
import type { KeyTurns } from "./key-turns.ts"

/** Work that a key requested, kept in the state until it is done and for a while after that. */
export interface Task {
  readonly id: string
  readonly owner: { readonly keyId: string }
}

/** The table of tasks. */
export interface Tasks<T extends Task> {
  /** Whether other processes may work on tasks of the same state. */
  readonly isShared: boolean
  readonly turns: Pick<KeyTurns, "isOwed">
  /** Begins the task whose turn it is; null if no task is waiting. */
  begin(now: Date): Promise<T | null>
  /** Takes over tasks from lost processes. @returns whether any can begin now */
  recover(now: Date): Promise<boolean>
  /** Deletes tasks that ended before a time. */
  forget(before: Date): Promise<void>
}

/** A task's turn to be worked on. */
export interface Turn {
  /** Aborts when the work has to end, because the process is stopping or the task was cancelled. */
  readonly signal: AbortSignal
  /** Aborts when the process is stopping. */
  readonly stopped: AbortSignal
  readonly cancelled: AbortSignal
  /** Whether it is time to give way to a task of another key; called between steps. Once true, it stays true. */
  readonly isOver: () => Promise<boolean>
}

export interface TaskRunnerOptions<T extends Task> {
  readonly tasks: Tasks<T>
  /** Names for the log, such as "research tasks" and "old reports". */
  readonly called: { readonly tasks: string; readonly old: string }
  /** Maximum number of tasks running at the same time; the others wait. */
  readonly places: number
  /** Works on a task until it has ended or is waiting for its next turn. Never rejects. */
  readonly work: (task: T, turn: Turn) => Promise<void>
  /** Called whenever this process looks for tasks of lost processes. */
  readonly onLook?: () => Promise<void>
  /** Milliseconds that tasks are kept after they have ended. */
  readonly keptMs: number
  /** The disk on which results are kept: no task begins while it has too little room. */
  readonly room?: Pick<DiskRoom, "isLow"> | undefined
  readonly guard: Pick<TimeGuard, "mayDelete">
  readonly log: Logger
  /** Milliseconds that a task is worked on before it gives way to a task of another key. Default: half a minute. */
  readonly turnMs?: number | undefined
}

/** Long enough for a few steps of any task, and to make a restart worthwhile; short enough for other tasks to wait. */
const TURN_MS = 30_000
const TIDY_MS = 3_600_000
/** How long to wait before checking the disk again. */
const ROOM_MS = 1000

/**
 * Works on the tasks of a table, a few at a time, until it is closed. Keys take turns: a task of the key with the
 * fewest running tasks is next, and while such a key is waiting, another key's task gives way after {@link TURN_MS}.
 */
export class TaskRunner<T extends Task> implements AsyncDisposable {
  readonly #options: TaskRunnerOptions<T>
  readonly #stop = new AbortController()
  readonly #running = new Map<string, { readonly cancel: AbortController; readonly done: Promise<void> }>()
  readonly #beginning = new Serial()
  #started: Promise<void> = Promise.resolve()
  #timers: readonly NodeJS.Timeout[] = []
  /** Id of the task that is giving way. Tasks do so one at a time, since only one task might be waiting. */
  #givingWay: string | null = null
  #waitsForRoom = false

  constructor(options: TaskRunnerOptions<T>) {
    this.#options = options
  }

  /** Resumes the tasks that an earlier process left unfinished, and begins others from now on. */
  async start(): Promise<void> {
    this.#started = this.#start()
    await this.#started
  }

  async #start(): Promise<void> {
    const { tasks } = this.#options
    await tasks.recover(new Date())
    if (this.#stop.signal.aborted) return
    const look = async () => {
      const isLeft = await tasks.recover(new Date())
      await this.#options.onLook?.()
      if (isLeft) this.wake()
    }
    await this.#tidy()
    this.#timers = [
      setInterval(() => void this.#tidy(), TIDY_MS).unref(),
      // An unreachable store is reported elsewhere.
      ...(tasks.isShared ? [setInterval(() => void look().catch(() => undefined), SIGN_MS).unref()] : []),
    ]
    this.wake()
  }

  /** Ids of the running tasks. */
  get running(): readonly string[] {
    return [...this.#running.keys()]
  }

  /** Begins tasks that are waiting, as long as there are free places. */
  wake(): void {
    const { called, log } = this.#options
    this.#beginning
      .run(() => this.#begin())
      .catch(
        (err: unknown) =>
          this.#stop.signal.aborted || log.error({ err }, `${called.tasks} could not be started`),
      )
  }

  /** Cancels a running task. @returns a promise that resolves when its work has ended; null if it is not running here. */
  cancel(id: string): Promise<void> | null {
    const running = this.#running.get(id)
    running?.cancel.abort()
    return running?.done ?? null
  }

  /** Resolves when the work on all tasks has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#started.catch(() => undefined)
    for (const timer of this.#timers) clearInterval(timer)
    await this.#beginning.idle()
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #begin(): Promise<void> {
    const { tasks, places, room, work } = this.#options
    // A task that began earlier would be mistaken for a lost process's task.
    await this.#started.catch(() => undefined)
    while (!this.#stop.signal.aborted && this.#running.size < places) {
      if (room?.isLow()) {
        void this.#wakeLater()
        return
      }
      const task = await tasks.begin(new Date())
      if (task === null) return
      const cancel = new AbortController()
      const done = actingFor(task.owner.keyId, () => work(task, this.#turn(task, cancel.signal))).finally(
        () => {
          if (this.#givingWay === task.id) this.#givingWay = null
          this.#running.delete(task.id)
          this.wake()
        },
      )
      this.#running.set(task.id, { cancel, done })
    }
  }

  async #wakeLater(): Promise<void> {
    if (this.#waitsForRoom) return
    this.#waitsForRoom = true
    await pause(ROOM_MS, this.#stop.signal)
    this.#waitsForRoom = false
    this.wake()
  }

  #turn({ id, owner }: T, cancelled: AbortSignal): Turn {
    const { tasks, turnMs = TURN_MS } = this.#options
    const stopped = this.#stop.signal
    const since = performance.now()
    const isOver = async () => {
      if (
        this.#givingWay === null &&
        performance.now() - since >= turnMs &&
        (await tasks.turns.isOwed(owner.keyId))
      )
        this.#givingWay ??= id
      return this.#givingWay === id
    }
    return { signal: AbortSignal.any([stopped, cancelled]), stopped, cancelled, isOver }
  }

  async #tidy(): Promise<void> {
    const { tasks, called, keptMs, guard, log } = this.#options
    try {
      if (await guard.mayDelete()) await tasks.forget(new Date(Date.now() - keptMs))
    } catch (err) {
      if (!this.#stop.signal.aborted) log.warn({ err }, `${called.old} were not deleted`)
    }
  }
}

/**
 * Whole milliseconds since 1970 that pass evenly and never step: the wall clock at the start of this process plus the time
 * elapsed since. Waits, pauses and deadlines use it, so that setting the wall clock neither freezes nor ends them. Compare these
 * values only within one process; times for other processes or people use the wall clock.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now())

/** Maximum drift of the wall clock from the steady clock from one check to the next; a larger difference means that the clock was set. */
const STEP_MS = 60_000

/** Notices when the wall clock is set. */
export class StepWatch {
  readonly #wall: () => number
  readonly #steady: () => number
  #ahead: number

  constructor(wall: () => number = Date.now, steady: () => number = steadyNow) {
    this.#wall = wall
    this.#steady = steady
    this.#ahead = wall() - steady()
  }

  /** Whether the clock was set since the last call, or since this object was created. A machine that slept looks the same. */
  hasStepped(): boolean {
    const ahead = this.#wall() - this.#steady()
    if (Math.abs(ahead - this.#ahead) < STEP_MS) return false
    this.#ahead = ahead
    return true
  }
}

const DAY_MS = 86_400_000

/**
 * Decides whether data that is old by the wall clock may be deleted: not within a day after the clock was set, since a
 * clock that is years ahead for an hour would delete everything.
 */
export class DeletionGuard {
  readonly #watch: StepWatch
  readonly #steady: () => number
  #steppedAt = Number.NEGATIVE_INFINITY

  constructor(wall: () => number = Date.now, steady: () => number = steadyNow) {
    this.#watch = new StepWatch(wall, steady)
    this.#steady = steady
  }

  /** Whether data may be deleted now. Call this before each round of deletions. */
  mayDelete(): boolean {
    if (this.#watch.hasStepped()) this.#steppedAt = this.#steady()
    return this.#steady() - this.#steppedAt >= DAY_MS
  }
}

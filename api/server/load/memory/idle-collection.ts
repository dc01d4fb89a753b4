import { type EventLoopUtilization, performance } from "node:perf_hooks"
import { garbageCollector } from "#base/process/garbage-collector.ts"

const LOOK_MS = 5000
/** Looks in a row that find next to nothing done, until the process is at rest. */
const QUIET_LOOKS = 4
/** What metrics, health checks and timers take of the event loop stays below it. */
const QUIET_SHARE = 0.05
/** So much must have been done since the last time: what less of it left is not worth a pause. */
const WORTH_MS = 10_000

type Collect = () => Promise<void>

interface Seen {
  /** Of the event loop since the process began, in milliseconds. */
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization
  readonly collect: Collect
}

/**
 * Gives back the memory that a busy time left, once the process has come to rest. V8 lets its heap grow under load and collects what
 * lies in it when there is new work; where there is none for hours, garbage and the room of it stay taken as long. The collection
 * is the one that V8 makes before it would run out of memory (`--expose-gc`, flavor `last-resort`), which returns free pages.
 *
 * It stops the process for some tens of milliseconds, once after each busy time and never within one.
 */
export class IdleCollection implements Disposable {
  readonly #seen: Seen
  readonly #timer: NodeJS.Timeout
  #last: EventLoopUtilization
  #workedMs = 0
  #quietLooks = 0

  constructor(seen: Partial<Seen> = {}) {
    this.#seen = { utilization: ofProcess, collect: collector(), ...seen }
    this.#last = this.#seen.utilization()
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  #look(): void {
    const now = this.#seen.utilization()
    const { active, utilization } = this.#seen.utilization(this.#last)
    this.#last = now
    this.#workedMs += active
    this.#quietLooks = utilization < QUIET_SHARE ? this.#quietLooks + 1 : 0
    if (this.#quietLooks < QUIET_LOOKS || this.#workedMs < WORTH_MS) return
    this.#workedMs = 0
    void this.#seen.collect()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

const ofProcess: Seen["utilization"] = (since) => performance.eventLoopUtilization(since)

function collector(): Collect {
  const collect = garbageCollector()
  return () => collect({ type: "major", execution: "async", flavor: "last-resort" })
}

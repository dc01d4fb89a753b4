import { type EventLoopUtilization, performance } from "node:perf_hooks"
import { garbageCollector } from "#base/process/garbage-collector.ts"

const LOOK_MS = 5000
/** Number of consecutive checks that must find almost no work done before the process counts as idle. */
const QUIET_LOOKS = 4
/** Share of the event loop's time below which the process does almost no work; metrics, health checks and timers use less than this. */
const QUIET_SHARE = 0.05
/** Minimum milliseconds of work since the last collection: after less work, the garbage isn't worth a pause. */
const WORTH_MS = 10_000

type Collect = () => Promise<void>

interface Seen {
  /** How long the event loop has been in use since the process began, in milliseconds. */
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization
  readonly collect: Collect
}

/**
 * Releases the memory of a busy period once the process is idle. V8 lets its heap grow under load and collects garbage
 * only when there is new work; while the process is idle for hours, the garbage and its space stay allocated. This runs the
 * collection that V8 does before it would run out of memory (`--expose-gc`, flavor `last-resort`), which returns free
 * pages.
 *
 * The collection stops the process for some tens of milliseconds, once after each busy period and never during one.
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

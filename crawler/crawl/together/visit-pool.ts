import { repeat } from "#base/flow/repeat.ts"
import { Serial } from "#base/flow/serial.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { FrontierEntry } from "../frontier/host-queues.ts"
import { runCrawlee, type Work } from "../crawlee.ts"
import type { JobPlace } from "./job-places.ts"

/** The visits of one job. */
export interface Visits {
  /** The next visit that may start now, or null. */
  next(): Promise<FrontierEntry | null>
  /** Whether {@link next} would return a visit. */
  hasNext(): Promise<boolean>
  isFinished(): boolean
  /** Must not reject. */
  visit(entry: FrontierEntry): Promise<void>
  /** When the job has something to do again, on the `steadyNow()` clock, if it can only wait until then; `null` otherwise. */
  waitsUntil(now: number): number | null
  /** Called when the job gives up its place, and when it gets the place back. */
  onWaiting(isWaiting: boolean): Promise<void>
}

interface Run {
  readonly visits: Visits
  readonly place: JobPlace
  inHand: number
  readonly end: (error?: Error) => void
}

/** How soon the pool notices that a job has ended, or can only wait. */
const POLL_MS = 50
/** A job with a shorter wait keeps its place, because the crawler pauses for a second after each page of an external host. */
const SHORT_WAIT_MS = 2000

/**
 * Makes the visits of all jobs, as many at a time as a single job may have. Jobs take turns, and the one with the
 * fewest running visits goes first, so that a job with hundreds of slow pages leaves room for others.
 */
export class VisitPool {
  readonly #concurrency: number
  /** All runs; the most recently served one is last. */
  #runs: Run[] = []
  #inHand = 0
  #isDriven = false
  /** Serialises handing out visits and checking jobs, so that counts stay valid until a step is complete. */
  readonly #turn = new Serial()
  #looks: AsyncDisposable | null = null

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** Makes the visits of a job until they are finished. */
  async run(visits: Visits, place: JobPlace): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const run: Run = {
        visits,
        place,
        inHand: 0,
        end: (error) => {
          this.#runs = this.#runs.filter((other) => other !== run)
          if (error) reject(error)
          else resolve()
        },
      }
      this.#runs.push(run)
      this.#looks ??= repeat(() => this.#look(), POLL_MS)
      this.#drive()
    })
  }

  #drive(): void {
    if (this.#isDriven) return
    this.#isDriven = true
    const work: Work = {
      next: () => this.#turn.run(() => this.#next()),
      hasNext: () => this.#turn.run(() => this.#hasNext()),
      isFinished: () => this.#runs.length === 0,
    }
    void runCrawlee(work, this.#concurrency)
      .catch((error: unknown) => {
        for (const run of this.#runs) run.end(error as Error)
      })
      .finally(() => {
        this.#isDriven = false
        // A job may have been added as the loop ended.
        if (this.#runs.length > 0) this.#drive()
        else {
          void this.#looks?.[Symbol.asyncDispose]()
          this.#looks = null
        }
      })
  }

  async #hasNext(): Promise<boolean> {
    for (const run of this.#runs) if (this.#mayTake(run) && (await run.visits.hasNext())) return true
    return false
  }

  async #next(): Promise<(() => Promise<void>) | null> {
    // Sorting keeps the order of jobs with the same number of running visits.
    for (const run of this.#runs.toSorted((a, b) => a.inHand - b.inHand)) {
      if (!this.#mayTake(run)) continue
      const entry = await run.visits.next()
      if (entry === null) continue
      this.#inHand += 1
      run.inHand += 1
      // The run may have failed in the meantime.
      if (this.#runs.includes(run)) this.#runs = [...this.#runs.filter((other) => other !== run), run]
      return async () => {
        try {
          await run.visits.visit(entry)
        } finally {
          this.#inHand -= 1
          run.inHand -= 1
          await this.#turn.run(() => this.#lookAt(run, steadyNow()))
        }
      }
    }
    return null
  }

  /** Whether a job may begin one more visit. A job that has its share of visits may do so only if one visit remains free for each job that has none. */
  #mayTake(run: Run): boolean {
    if (!run.place.isHeld) return false
    const active = this.#runs.filter(({ place }) => place.isHeld)
    if (run.inHand < Math.max(1, Math.floor(this.#concurrency / active.length))) return true
    const idle = active.filter(({ inHand }) => inHand === 0).length
    return this.#concurrency - this.#inHand > idle
  }

  async #look(): Promise<void> {
    for (const run of this.#runs) await this.#turn.run(() => this.#lookAt(run, steadyNow()))
  }

  /** Never rejects: an error ends the run. */
  async #lookAt(run: Run, now: number): Promise<void> {
    if (run.inHand > 0 || !this.#runs.includes(run)) return
    try {
      if (await this.#isOver(run, now)) run.end()
    } catch (error) {
      run.end(error as Error)
    }
  }

  async #isOver({ visits, place }: Run, now: number): Promise<boolean> {
    if (visits.isFinished()) {
      const isHeld = place.isHeld
      // The job still has work to do and isn't waiting any more, so it counts as holding its place.
      place.isHeld = true
      if (!isHeld) await visits.onWaiting(false)
      return true
    }
    const until = visits.waitsUntil(now)
    if (place.isHeld) {
      if (until === null || until <= now + SHORT_WAIT_MS) return false
      place.giveUp()
      await visits.onWaiting(true)
    } else if (until === null || until <= now) {
      if (place.ask()) await visits.onWaiting(false)
    } else place.giveUp()
    return false
  }
}

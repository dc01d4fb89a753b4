import { OwnProcess, SIGN_MS } from "#base/store/processes/own-process.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HostTurns } from "../../fetch/hosts/host-turns.ts"
import type { Jobs } from "../../jobs/jobs.ts"

/** The process that looks after the index: makes vectors, removes pages, builds another index. */
const KEEPER = "index-keeper"
/** What nobody else may write to the index meanwhile for. */
const ALONE = "index-alone"
/** Kinds of processes, by what they do. */
const KEEPS = "crawl-keeper"
const HELPS = "crawl-helper"

export interface AmongOptions {
  readonly db: StateStore
  readonly jobs: Jobs
  /** Told once when this process is taken for lost, or cannot know: it has to end, and what it had in hand is others'. */
  readonly onLost: (why: string) => void
  /** Told of an error of the store, which may pass. */
  readonly onProblem: (error: unknown) => void
}

/**
 * This job process among those of other crawlers on the same state and the same index, which is on a server. One of them, the keeper,
 * looks after the index as well; all others work on jobs alone, and may be killed at any moment.
 */
export class AmongCrawlers implements Disposable {
  readonly process: OwnProcess
  readonly turns: HostTurns
  readonly isKeeper: boolean
  readonly #jobs: Jobs
  readonly #timer: NodeJS.Timeout

  constructor({ db, jobs, onLost, onProblem }: AmongOptions) {
    this.#jobs = jobs
    this.process = new OwnProcess(db, HELPS)
    this.process.bury()
    this.isKeeper = this.process.take(KEEPER)
    if (this.isKeeper) this.process.become(KEEPS)
    this.turns = new HostTurns(db, this.process, onProblem)
    let isLost = false
    this.#timer = setInterval(() => {
      try {
        const isKnown = this.process.sign()
        if (!isKnown && !isLost) {
          isLost = true
          onLost("it was taken for lost, and others go on with its jobs")
        }
        this.process.bury()
        if (jobs.hasLost()) jobs.recover("the-lost")
      } catch (error) {
        onProblem(error)
      }
    }, SIGN_MS)
  }

  /** Whether a helper has nothing to do here: the keeper changes the index. To be asked before the index is opened. */
  get hasToWait(): boolean {
    return !this.isKeeper && this.process.isTaken(ALONE)
  }

  /** Has the keeper be the only one that writes, if it is now. @returns false when others are at work */
  beAlone(): boolean {
    if (!this.isKeeper || !this.process.take(ALONE)) return false
    // Those who come now see that it is taken.
    if (!this.hasOthers()) return true
    this.beAmong()
    return false
  }

  /** Others may write again. */
  beAmong(): void {
    this.process.leave(ALONE)
  }

  /** Whether nobody looks after the index. */
  get isKeeperGone(): boolean {
    return !this.isKeeper && !this.process.isTaken(KEEPER)
  }

  /** Whether other crawlers work on jobs. */
  hasOthers(): boolean {
    return this.process.hasOthers(HELPS)
  }

  /** What lost processes left is queued again. */
  recover(): void {
    this.#jobs.recover("the-lost")
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.turns[Symbol.dispose]()
    this.process.leave(KEEPER)
    this.process[Symbol.dispose]()
  }
}

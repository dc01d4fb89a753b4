import { repeat } from "#base/flow/repeat.ts"
import { OwnProcess, SIGN_MS } from "#base/store/processes/own-process.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { HostTurns } from "../../fetch/hosts/host-turns.ts"
import type { Jobs } from "../../jobs/jobs.ts"

/** Role of the process that maintains the index: it creates embeddings, removes pages and builds new indexes. */
const KEEPER = "index-keeper"
/** Role that a process takes for work during which no other process may write to the index. */
const ALONE = "index-alone"
/** Kinds of processes, by their work. */
const KEEPS = "crawl-keeper"
const HELPS = "crawl-helper"

export interface AmongOptions {
  readonly db: StateStore
  readonly jobs: Jobs
  /**
   * Called once when this process is considered lost, or cannot tell whether it is. It then has to exit, and its jobs
   * belong to other processes.
   */
  readonly onLost: (why: string) => void
  /** Called with an error of the store, which may be temporary. */
  readonly onProblem: (error: unknown) => void
}

/**
 * Represents this job process among those of other crawlers that share the same state and the same index on a server.
 * One of them, the keeper, also maintains the index; all others only work on jobs, and can be killed at any moment.
 */
export class AmongCrawlers implements AsyncDisposable {
  readonly process: OwnProcess
  readonly turns: HostTurns
  readonly isKeeper: boolean
  readonly #options: AmongOptions
  readonly #signs: AsyncDisposable
  #isLost = false

  static async begin(options: AmongOptions): Promise<AmongCrawlers> {
    const own = await OwnProcess.begin(options.db, HELPS)
    await own.bury()
    const isKeeper = await own.take(KEEPER)
    if (isKeeper) await own.become(KEEPS)
    return new AmongCrawlers(options, own, isKeeper)
  }

  private constructor(options: AmongOptions, own: OwnProcess, isKeeper: boolean) {
    this.#options = options
    this.process = own
    this.isKeeper = isKeeper
    this.turns = new HostTurns(options.db, own, options.onProblem)
    this.#signs = repeat(() => this.#sign(), SIGN_MS)
  }

  async #sign(): Promise<void> {
    const { jobs, onLost, onProblem } = this.#options
    try {
      const isKnown = await this.process.sign()
      if (!isKnown && !this.#isLost) {
        this.#isLost = true
        onLost("it was considered lost, and other crawlers have taken over its jobs")
      }
      await this.process.bury()
      if (await jobs.hasLost()) await jobs.recover("the-lost")
    } catch (error) {
      onProblem(error)
    }
  }

  /** Whether a helper has nothing to do here because the keeper is changing the index. Call it before the index is opened. */
  async hasToWait(): Promise<boolean> {
    return !this.isKeeper && (await this.process.isTaken(ALONE))
  }

  /** Makes the keeper the only process that writes, if that is possible now. @returns false when other processes are working */
  async beAlone(): Promise<boolean> {
    if (!this.isKeeper || !(await this.process.take(ALONE))) return false
    // Processes that start from now on see that the role is taken.
    if (!(await this.hasOthers())) return true
    await this.beAmong()
    return false
  }

  /** Lets other processes write again. */
  async beAmong(): Promise<void> {
    await this.process.leave(ALONE)
  }

  /** Whether no process maintains the index. */
  async isKeeperGone(): Promise<boolean> {
    return !this.isKeeper && !(await this.process.isTaken(KEEPER))
  }

  /** Whether other crawlers are working on jobs. */
  async hasOthers(): Promise<boolean> {
    return await this.process.hasOthers(HELPS)
  }

  /** Queues the jobs of lost processes again. */
  async recover(): Promise<void> {
    await this.#options.jobs.recover("the-lost")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#signs[Symbol.asyncDispose]()
    await this.turns[Symbol.asyncDispose]()
    await this.process.leave(KEEPER)
    await this.process[Symbol.asyncDispose]()
  }
}

import { availableParallelism } from "node:os"
import { Serial } from "#base/flow/serial.ts"
import type { OwnProcess } from "#base/store/processes/own-process.ts"
import { machineMemory } from "#base/process/machine-memory.ts"
import { HostPaces } from "../../fetch/hosts/host-paces.ts"
import type { HostTurns } from "../../fetch/hosts/host-turns.ts"
import type { CrawlerConfig } from "../../settings.ts"
import { ReadingPlaces } from "../../fetch/visit/reading-places.ts"
import type { ScanShelf } from "../../page/scans/scan-shelf.ts"
import { JobPlaces } from "./job-places.ts"
import { Solitude } from "./solitude.ts"
import { VisitPool } from "./visit-pool.ts"
import { WritesInTurn } from "./writes-in-turn.ts"

const JOBS_PER_PROCESSOR = 8
const MAX_JOBS = 32
/** Memory that one crawl may use up. */
const JOB_BYTES = 64 * 1024 * 1024
const MEMORY_SHARE = 0.25

/** State that all jobs of one process share, so that many jobs use no more of the machine or of a host than one. */
export class CrawlShare implements AsyncDisposable {
  readonly reading: ReadingPlaces
  readonly paces: HostPaces
  readonly places: JobPlaces
  readonly pool: VisitPool
  readonly solitude = new Solitude()
  /** Runs one job's write at a time, because a job looks pages up in the index and then writes based on what it found. */
  readonly writes: Serial

  /**
   * @param among other processes that work on jobs in the same state. Default: there are none
   * @param scans the shelf where scanned documents wait for text recognition. Default: they do not wait
   */
  constructor(
    config: CrawlerConfig,
    among?: { readonly process: OwnProcess; readonly turns: HostTurns },
    scans: ScanShelf | null = null,
  ) {
    this.paces = new HostPaces(among?.turns)
    this.writes = among === undefined ? new Serial() : new WritesInTurn(among.process)
    this.reading = new ReadingPlaces(config, scans)
    this.places = new JobPlaces(config.jobs === 0 ? jobsFor(machineMemory()) : config.jobs)
    this.pool = new VisitPool(config.fetchConcurrency)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reading[Symbol.asyncDispose]()
  }
}

/** The number of jobs that a machine with this much memory can run at a time. */
function jobsFor(memory: number): number {
  const byMemory = Math.floor((memory * MEMORY_SHARE) / JOB_BYTES)
  return Math.max(1, Math.min(availableParallelism() * JOBS_PER_PROCESSOR, byMemory, MAX_JOBS))
}

import { Index, type Table } from "@lancedb/lancedb"
import type { Serial } from "./serial.ts"

/** Rows not in an index yet are searched one by one: cheap for few, dear for many. */
const ROWS_BETWEEN_RUNS = 2000
const IDLE_BEFORE_RUN_MS = 3000
/** A run may take this share of the time at most, however much is written. */
const LONGEST_SHARE = 0.25
/** Old versions stay this long for readers that are in the middle of a query. */
const KEEP_VERSIONS_MS = 60_000

/** Rows from which an approximate index is faster than comparing with every vector. */
const VECTOR_INDEX_FROM = 10_000
/** The partitions fit the rows there were: trained anew when there are so many times more. */
const RETRAIN_AT_GROWTH = 4
const ROWS_PER_PARTITION = 1500

export interface MaintenanceOptions {
  readonly table: Table
  readonly writes: Serial
  readonly onProblem: (error: unknown) => void
  /** Runs after each round, with the table's writes still held back. */
  readonly afterwards?: () => Promise<void>
}

/**
 * Keeps a table quick to search while it is written to: joins small files, brings its indices up to date,
 * deletes old versions. Never in the way of a search: readers see the last finished version.
 */
export class Maintenance implements AsyncDisposable {
  readonly #options: MaintenanceOptions
  #rows = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #notBefore = 0
  #closed = false

  constructor(options: MaintenanceOptions) {
    this.#options = options
  }

  /** Tells of rows written; a run follows soon. */
  wrote(rows: number): void {
    this.#rows += rows
    this.#schedule()
  }

  /** A last run when there is something to do. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
    if (this.#rows > 0) await this.#run()
  }

  #schedule(): void {
    if (this.#closed || this.#running) return
    clearTimeout(this.#timer)
    const soonest = Math.max(0, this.#notBefore - Date.now())
    const wait = this.#rows >= ROWS_BETWEEN_RUNS ? soonest : Math.max(soonest, IDLE_BEFORE_RUN_MS)
    this.#timer = setTimeout(() => {
      this.#running = this.#run().finally(() => {
        this.#running = undefined
        if (this.#rows > 0) this.#schedule()
      })
    }, wait)
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    const { table, writes, onProblem, afterwards } = this.#options
    const started = Date.now()
    try {
      await writes.run(async () => {
        this.#rows = 0
        await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEEP_VERSIONS_MS) })
        await afterwards?.()
      })
    } catch (error) {
      onProblem(error)
    }
    const took = Date.now() - started
    this.#notBefore = Date.now() + took * (1 / LONGEST_SHARE - 1)
  }
}

/**
 * Builds the vector index when there are enough rows for it, and again when they have grown past it.
 *
 * @returns the rows it was trained on now, or undefined when nothing was to do.
 */
export async function trainVectorIndex(table: Table, trainedOn: number): Promise<number | undefined> {
  const rows = await table.countRows()
  if (rows < VECTOR_INDEX_FROM || rows < trainedOn * RETRAIN_AT_GROWTH) return undefined
  const config = Index.ivfRq({
    distanceType: "cosine",
    numPartitions: Math.max(1, Math.round(rows / ROWS_PER_PARTITION)),
  })
  await table.createIndex("vector", { config, replace: true })
  return rows
}

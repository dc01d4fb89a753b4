import "./quiet-lancedb.ts"
import { Index, type Table } from "@lancedb/lancedb"
import { DISTANCE } from "../arms.ts"
import type { FileSums } from "../files/file-sums.ts"
import type { Serial } from "#base/flow/serial.ts"
import { steadyNow } from "#base/steady-time.ts"
import { KEEP_VERSIONS_MS, OldVersions } from "./old-versions.ts"

/** Number of new rows that triggers a run. Rows that aren't in an index yet are searched one by one, which is cheap for few rows and expensive for many. */
const ROWS_BETWEEN_RUNS = 2000
/** A run also waits until this share of the table is new, because its cost grows with the table. */
const SHARE_BETWEEN_RUNS = 0.1
const IDLE_BEFORE_RUN_MS = 3000
/** How long after the last write the old versions kept for readers are deleted: slightly longer than readers can use them. */
const IDLE_BEFORE_CLEANING_MS = KEEP_VERSIONS_MS + 2000
/** A run may take at most this share of the time, however much is written. */
const LONGEST_SHARE = 0.25

/** Minimum number of rows at which an approximate index is faster than comparing every vector. */
const VECTOR_INDEX_FROM = 10_000
/** Maximum number of segments. Each run adds a segment to the vector index, and each segment costs a query up to a millisecond. */
const SEGMENTS = 3
const ROWS_PER_PARTITION = 1500
/** The index is rebuilt when its table has grown by this factor: by then its partitions are too large, and a query reads too much. */
const OUTGROWN = 3
/**
 * How thoroughly partitions are trained, about a fifth of LanceDB's default; the cost of the default grows with the
 * square of their number (21 s of CPU for 200). A twentieth of the default loses at most 0.008 of the ten nearest.
 */
const TRAINING = { maxIterations: 20, sampleRate: 128 }
/**
 * Number of bits per dimension of the quantized vectors. With all partitions searched, 1 bit finds 0.70 of the 50
 * nearest among 100,000 vectors, 3 bits 0.996, and 5 bits all of them, with the cosine accurate to 0.0025. Comparing
 * again with the vectors themselves would cost a query 4 ms.
 */
const BITS_PER_DIMENSION = 5

export interface MaintenanceOptions {
  readonly table: Table
  readonly writes: Serial
  /** Checksums of the table's files. */
  readonly sums: FileSums
  readonly onProblem: (error: unknown) => void
  /** Runs after each round, while the table's writes are still held back. */
  readonly afterwards?: () => Promise<void>
}

/**
 * Keeps a table fast to search while it is being written to: merges small files, updates its indices, and deletes old
 * versions, even after writing has stopped. Never gets in the way of a search: readers see the last finished version.
 */
export class Maintenance implements AsyncDisposable {
  readonly #options: MaintenanceOptions
  readonly #old: OldVersions
  /** An earlier process might have left old versions behind. */
  #hasOld = true
  #rows = 0
  #threshold = ROWS_BETWEEN_RUNS
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #notBefore = 0
  #closed = false

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#old = new OldVersions(options.table)
    this.#schedule()
  }

  /** Reports that rows were written or deleted; a run follows soon. */
  wrote(rows: number): void {
    this.#rows += rows
    this.#schedule()
  }

  /** Runs one last time if there is something to do. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
    const { writes, sums, onProblem } = this.#options
    const isDue = this.#rows > 0 || (this.#hasOld && (await this.#old.areDue().catch(onProblem)) === true)
    if (isDue) await this.#run()
    await writes.run(() => sums.refresh()).catch(onProblem)
  }

  #schedule(): void {
    if (this.#closed || this.#running || (this.#rows === 0 && !this.#hasOld)) return
    clearTimeout(this.#timer)
    const soonest = Math.max(0, this.#notBefore - steadyNow())
    const idle = this.#rows > 0 ? IDLE_BEFORE_RUN_MS : IDLE_BEFORE_CLEANING_MS
    const wait = this.#rows >= this.#threshold ? soonest : Math.max(soonest, idle)
    this.#timer = setTimeout(() => {
      this.#running = this.#run().finally(() => {
        this.#running = undefined
        this.#schedule()
      })
    }, wait)
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    const { table, writes, sums, onProblem, afterwards } = this.#options
    const started = steadyNow()
    try {
      await writes.run(async () => {
        this.#rows = 0
        await sums.cleaning()
        await this.#old.clean()
        await afterwards?.()
        this.#hasOld = await this.#old.areThere()
        await sums.refresh()
        this.#threshold = Math.max(ROWS_BETWEEN_RUNS, (await table.countRows()) * SHARE_BETWEEN_RUNS)
      })
    } catch (error) {
      onProblem(error)
    }
    const took = steadyNow() - started
    this.#notBefore = steadyNow() + took * (1 / LONGEST_SHARE - 1)
  }
}

/**
 * Builds the vector index when there are enough rows for it, and rebuilds it when it has many segments or was made for
 * a much smaller table. Its name includes its number of partitions because LanceDB doesn't report it.
 */
export async function trainVectorIndex(table: Table): Promise<void> {
  const rows = await table.countRows()
  if (rows < VECTOR_INDEX_FROM) return
  const partitions = Math.round(rows / ROWS_PER_PARTITION)
  const present = (await table.listIndices()).filter(({ columns }) => columns.includes("vector"))
  const [index] = present
  if (present.length === 1 && (index?.numSegments ?? SEGMENTS) < SEGMENTS) {
    if (partitions < OUTGROWN * Number(index!.name.split("_")[1])) return
  }
  const name = `vector_${partitions}`
  const config = Index.ivfRq({
    distanceType: DISTANCE,
    numPartitions: partitions,
    numBits: BITS_PER_DIMENSION,
    ...TRAINING,
  })
  await table.createIndex("vector", { config, name, replace: true })
  for (const old of present) if (old.name !== name) await table.dropIndex(old.name)
}

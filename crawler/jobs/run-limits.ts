import type { Job } from "../job.ts"
import { pagesIn } from "../outcome-name.ts"
import type { StateRow, StateStore } from "#base/store/state-port.ts"

const MINUTE_MS = 60_000
/** What a process that is killed may take more than its limits. */
const KEEP_EVERY_MS = 1000

/** What one run has taken of its source's limits, over all processes that worked on it. */
export class RunLimits {
  readonly #db: StateStore
  readonly #job: Job
  readonly #startedAt = performance.now()
  readonly #spentBefore: number
  #keptAt = 0
  /** Pages found, indexed or not. */
  pages: number
  /** Of all bodies read, decompressed. */
  bytes: number
  /** Pages found unchanged by their markdown copies, and bytes that this saved. */
  readonly copies: { pages: number; sparedBytes: number }

  /** Counts on from what the processes before took. */
  static async open(db: StateStore, job: Job): Promise<RunLimits> {
    const row = await db
      .prepare("select bytes, spent_ms, copy_pages, copy_spared from job where id = ?")
      .get(job.id)
    return new RunLimits(db, job, row)
  }

  private constructor(db: StateStore, job: Job, row: StateRow | undefined) {
    this.#db = db
    this.#job = job
    this.pages = pagesIn(job.outcomes)
    this.bytes = Number(row?.["bytes"] ?? 0)
    this.copies = { pages: Number(row?.["copy_pages"] ?? 0), sparedBytes: Number(row?.["copy_spared"] ?? 0) }
    this.#spentBefore = Number(row?.["spent_ms"] ?? 0)
  }

  /** The limit that is reached, in words, or null. `pending`: visits under way, each of which may find a page. */
  reached(pending = 0): string | null {
    const { pages, bytes, minutes } = this.#job.source.limits
    if (this.pages + pending >= pages) return `the limit of ${pages} pages`
    if (bytes !== null && this.bytes >= bytes) return `the limit of ${bytes} bytes`
    if (minutes !== null && this.#spent() >= minutes * MINUTE_MS) return `the limit of ${minutes} minutes`
    return null
  }

  /** Counts a markdown copy. `spared`: bytes of the page that it replaces, or 0 if the page is read too. */
  tookCopy(bytes: number, spared: number): void {
    this.bytes += bytes
    if (spared === 0) return
    this.copies.pages += 1
    this.copies.sparedBytes += spared - bytes
  }

  /** Keeps what was taken, for the process that goes on with the job; unless `always`, not too often. */
  async keep(always = false): Promise<void> {
    const now = performance.now()
    if (!always && now - this.#keptAt < KEEP_EVERY_MS) return
    this.#keptAt = now
    await this.#db
      .prepare("update job set bytes = ?, spent_ms = ?, copy_pages = ?, copy_spared = ? where id = ?")
      .run(this.bytes, Math.round(this.#spent()), this.copies.pages, this.copies.sparedBytes, this.#job.id)
  }

  #spent(): number {
    return this.#spentBefore + performance.now() - this.#startedAt
  }
}

import type { Selectable } from "kysely"
import type { Job } from "../job.ts"
import { pagesIn } from "../outcome-name.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-port.ts"
import type { JobTables } from "./job-schema.ts"

const MINUTE_MS = 60_000
/** Time between writes; this is also how far a run may exceed its limits if its process is killed. */
const KEEP_EVERY_MS = 1000

type Spent = Pick<Selectable<JobTables["job"]>, "bytes" | "spent_ms" | "copy_pages" | "copy_spared">

/** How much of its source's limits one run has used, across all processes that worked on it. */
export class RunLimits {
  readonly #db: StateStore
  readonly #job: Job
  readonly #startedAt = performance.now()
  readonly #spentBefore: number
  #keptAt = 0
  /** Number of pages found, indexed or not. */
  pages: number
  /** Total size of all bodies read, decompressed, in bytes. */
  bytes: number
  /** Pages found unchanged by their markdown copies, and the bytes that this saved. */
  readonly copies: { pages: number; sparedBytes: number }

  /** Continues counting from the amounts that earlier processes stored. */
  static async open(db: StateStore, job: Job): Promise<RunLimits> {
    const row = await queriesOf<JobTables>(db)
      .selectFrom("job")
      .select(["bytes", "spent_ms", "copy_pages", "copy_spared"])
      .where("id", "=", job.id)
      .executeTakeFirst()
    return new RunLimits(db, job, row)
  }

  private constructor(db: StateStore, job: Job, row: Spent | undefined) {
    this.#db = db
    this.#job = job
    this.pages = pagesIn(job.outcomes)
    this.bytes = row?.bytes ?? 0
    this.copies = { pages: row?.copy_pages ?? 0, sparedBytes: row?.copy_spared ?? 0 }
    this.#spentBefore = row?.spent_ms ?? 0
  }

  /** The limit that was reached, in words, or null. `pending`: number of visits under way, each of which might find a page. */
  reached(pending = 0): string | null {
    const { pages, bytes, minutes } = this.#job.source.limits
    if (this.pages + pending >= pages) return `the limit of ${pages} pages`
    if (bytes !== null && this.bytes >= bytes) return `the limit of ${bytes} bytes`
    if (minutes !== null && this.#spent() >= minutes * MINUTE_MS) return `the limit of ${minutes} minutes`
    return null
  }

  /** Counts a markdown copy. `spared`: size in bytes of the page that need not be read because of the copy, or 0 if the page is read too. */
  tookCopy(bytes: number, spared: number): void {
    this.bytes += bytes
    if (spared === 0) return
    this.copies.pages += 1
    this.copies.sparedBytes += spared - bytes
  }

  /** Stores the amounts used, for the process that continues the job. Writes are rate-limited unless `always` is set. */
  async keep(always = false): Promise<void> {
    const now = performance.now()
    if (!always && now - this.#keptAt < KEEP_EVERY_MS) return
    this.#keptAt = now
    await queriesOf<JobTables>(this.#db)
      .updateTable("job")
      .set({
        bytes: this.bytes,
        spent_ms: Math.round(this.#spent()),
        copy_pages: this.copies.pages,
        copy_spared: this.copies.sparedBytes,
      })
      .where("id", "=", this.#job.id)
      .execute()
  }

  #spent(): number {
    return this.#spentBefore + performance.now() - this.#startedAt
  }
}

import type { Table } from "@lancedb/lancedb"
import { StepWatch, steadyNow } from "#base/steady-time.ts"

/** How long a version is kept after it was replaced, for readers that are in the middle of a query. */
export const KEEP_VERSIONS_MS = 60_000
/** A time later than any version: LanceDB never deletes the newest one, and counts nanoseconds in 64 bits. */
const ALWAYS = new Date("2200-01-01")
const NEVER = new Date(0)

type Version = Pick<Awaited<ReturnType<Table["listVersions"]>>[number], "version" | "timestamp">

/**
 * The replaced versions of a table, with the files that only they use. LanceDB records by the wall clock when each was
 * created; readers may use one from then until some time after the next was created.
 */
export class OldVersions {
  readonly #table: Table
  readonly #watch = new StepWatch()
  #steppedAt = Number.NEGATIVE_INFINITY

  constructor(table: Table) {
    this.#table = table
  }

  async areThere(): Promise<boolean> {
    return (await this.#table.listVersions()).length > 1
  }

  /** Whether there is a version that is no longer read. */
  async areDue(): Promise<boolean> {
    const versions = await this.#versions()
    const until = this.#until(versions)
    return until === ALWAYS || versions.some(({ timestamp }) => timestamp < until)
  }

  /** Merges small files, updates indices, and deletes versions that are no longer read. */
  async clean(): Promise<void> {
    const before = await this.#versions()
    const until = this.#until(before)
    await this.#table.optimize({ cleanupOlderThan: until === ALWAYS ? NEVER : until })
    // Without this, the newest of the previous versions would be deleted too, although readers are using it.
    const isNewest = (await this.#table.version()) === before.at(-1)?.version
    if (until === ALWAYS && isNewest) await this.#table.optimize({ cleanupOlderThan: ALWAYS })
  }

  /** In order of creation. */
  async #versions(): Promise<Version[]> {
    return (await this.#table.listVersions()).toSorted((a, b) => a.version - b.version)
  }

  /** Versions created before this time were replaced long enough ago. */
  #until(versions: readonly Version[]): Date {
    // If the clock was set forward, all versions would seem old enough.
    if (this.#watch.hasStepped()) this.#steppedAt = steadyNow()
    if (steadyNow() - this.#steppedAt < KEEP_VERSIONS_MS) return NEVER
    const ages = versions.map(({ timestamp }) => Date.now() - Number(timestamp))
    // If the clock was set back, the versions would be kept until it catches up, which could take years.
    if (Math.abs(ages.at(-1) ?? 0) > KEEP_VERSIONS_MS && ages.slice(0, -1).some((age) => age < 0))
      return ALWAYS
    return versions[ages.findLastIndex((age) => age >= KEEP_VERSIONS_MS)]?.timestamp ?? NEVER
  }
}

import type { Selectable, Updateable } from "kysely"
import type { Clock } from "#base/clock.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import type { Jobs } from "../jobs/jobs.ts"
import type { Job, JobTrigger } from "../job.ts"
import { PinnedNetworks } from "../fetch/guard/pinned-networks.ts"
import { type OneOff, oneOffs } from "./one-offs.ts"
import { hasRestorable } from "./source-names.ts"
import { DocumentStore } from "../fetch/content/documents/document-store.ts"
import { MailStore } from "../fetch/content/mailbox/mail-store.ts"
import { readersOf } from "#engine/index/page/readers.ts"
import { migrateReaders } from "./readers/readers-schema.ts"
import { keepSourceReaders } from "./readers/source-readers.ts"
import { migrateSources, type SourceTables } from "./source-schema.ts"
import { hasPages } from "../crawl/frontier/source-pages.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { nextRun, nextTimes, type Schedule, timesAfterRun } from "../jobs/tasks/schedule.ts"
import { defineSource, type Source, type SourceAuthor, sourceBy, type SourceSpec } from "../source.ts"

/** Where a source was declared. A source declared in the file can only be changed there. */
export type SourceOrigin = SourceTables["source"]["origin"]

/** A declared source, with its state. */
export interface SourceEntry {
  readonly source: Source
  /** The source as written, with short forms expanded; omitted fields have their defaults. */
  readonly spec: SourceSpec
  readonly origin: SourceOrigin
  /** A paused source doesn't run on its schedule. */
  readonly paused: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When the source next runs on its schedule, jitter included; `null` if it has no schedule. */
  readonly nextRun: Date | null
}

/** The sources shown in lists: declared sources and one-off crawls. */
export type ListedSource = SourceEntry | OneOff

/** A source with a next run on its schedule. */
export interface ScheduledSource {
  readonly entry: SourceEntry
  /** When the source last ran on its schedule, in milliseconds since 1970; `null` if never. */
  readonly lastRun: number | null
}

/** An attempt to change a source in some other way than in the file that declares it. */
export class SourceOfFileError extends Error {
  constructor(name: string) {
    super(`The source ${JSON.stringify(name)} is declared in the sources file and can only be changed there.`)
    this.name = "SourceOfFileError"
  }
}

/**
 * The declared sources in `state.db`: those from the sources file and those from the admin API, in one table. All calls
 * are short. {@link Sources} adds and changes sources; this class loads no validation code, so that the crawler process
 * stays small.
 */
export class SourceTable {
  readonly #db: StateStore
  readonly #queries: Queries<SourceTables>
  readonly #jobs: Jobs
  readonly #clock: Clock
  readonly #random: () => number

  /** `random`: from 0 to 1, for jitter. */
  constructor(db: StateStore, jobs: Jobs, clock: Clock = Date.now, random: () => number = Math.random) {
    this.#db = db
    this.#queries = queriesOf(db)
    this.#jobs = jobs
    this.#clock = clock
    this.#random = random
    migrateSources(db)
    migrateReaders(db)
  }

  /** The declared sources, by name. */
  async list(): Promise<SourceEntry[]> {
    return (await this.#queries.selectFrom("source").selectAll().orderBy("name").execute()).map(entryOf)
  }

  /** The declared sources, followed by the one-off crawls, each by name. */
  async listAll(): Promise<ListedSource[]> {
    return [...(await this.list()), ...(await oneOffs(this.#db))]
  }

  /** The declared source or one-off crawl with this name, or `null`. */
  async getListed(name: string): Promise<ListedSource | null> {
    return (await this.get(name)) ?? (await oneOffs(this.#db, name))[0] ?? null
  }

  /** The source with this name, or `null`. */
  async get(name: string): Promise<SourceEntry | null> {
    const row = await this.#row(name)
    return row ? entryOf(row) : null
  }

  /**
   * Deletes a source or a one-off crawl and cancels its jobs. Its pages stay in the index unless `removePages` is set,
   * in which case the next process that writes the index removes them. As long as it has pages, lists show the name as
   * a one-off crawl. Its runs are kept, because they explain what happened to an address.
   * @returns false when there is no such source.
   * @throws SourceOfFileError when `origin` is `api` and the file declares the source.
   */
  async delete(
    name: string,
    options: { removePages?: boolean; origin?: SourceOrigin } = {},
  ): Promise<boolean> {
    const { removePages = false, origin = "api" } = options
    const old = await this.getListed(name)
    if (!old) return false
    if (old.origin === "file" && origin === "api") throw new SourceOfFileError(name)
    const [last] = await this.#jobs.list({ source: name, limit: 1 })
    const leavesNothing =
      removePages || !((await hasPages(this.#db, name)) || (await hasRestorable(this.#db, name)))
    for (const { id } of await this.#jobs.open(name)) await this.#jobs.cancel(id)
    const pins = new PinnedNetworks(this.#db)
    await transaction(this.#db, async () => {
      await this.#queries.deleteFrom("source").where("name", "=", name).execute()
      await pins.forget(name)
      if (leavesNothing && last)
        await this.#queries
          .insertInto("deleted_source")
          .values({ name, last_job: last.id })
          .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_job: last.id }))
          .execute()
      if (removePages || (leavesNothing && last)) await this.#askRemoval(name)
      else if (leavesNothing) await keepSourceReaders(this.#db, name, null)
    })
    if (removePages) {
      await new DocumentStore(this.#db).deleteAll(name)
      await new MailStore(this.#db).forgetAll(name)
    }
    return true
  }

  /** Suspends a source's schedule; a running job continues. @returns false when there is no such source. */
  async pause(name: string): Promise<boolean> {
    return await this.#setPaused(name, true)
  }

  /** Resumes a source's schedule from now: missed runs are not made up. @returns false when there is no such source. */
  async resume(name: string): Promise<boolean> {
    return await this.#setPaused(name, false)
  }

  /**
   * Requests a run now, whether the source is paused or not. If a run of the source is already queued or in progress,
   * returns that run. If the source is due by its schedule anyway, this run replaces the scheduled one, so no second
   * run is requested.
   * @returns null when there is no such source.
   */
  async run(
    name: string,
    options: { trigger?: JobTrigger; visits?: Job["visits"] } = {},
  ): Promise<Job | null> {
    const entry = await this.get(name)
    if (!entry) return null
    const { trigger = "api", visits = "all" } = options
    const busy = (await this.#jobs.open(name)).find(({ state }) => state !== "paused")
    if (busy) return busy
    const { source, nextRun: planned } = entry
    const times =
      visits === "failed"
        ? null
        : timesAfterRun(source.schedule, planned?.getTime() ?? null, this.#clock(), this.#random)
    // Done before enqueuing, because the crawler process checks the times every second.
    if (times) await this.keepTimes([{ name, ...times }])
    return await this.#jobs.enqueue(source, { trigger, visits, author: authorOf(entry), joins: true })
  }

  /** Who declared the source with this name: as recorded in its declaration, or otherwise in its last crawl. */
  async authorOf(name: string): Promise<SourceAuthor> {
    const entry = await this.get(name)
    if (entry) return authorOf(entry)
    return (await this.#jobs.list({ source: name, limit: 1 }))[0]?.author ?? "api"
  }

  /** The next `count` scheduled runs, the first with its jitter; empty when the source is paused or has no schedule. */
  async nextRuns(name: string, count: number): Promise<Date[]> {
    const entry = await this.get(name)
    if (!entry?.nextRun || !entry.source.schedule || entry.paused || count < 1) return []
    const first = entry.nextRun.getTime()
    const now = this.#clock()
    const rest = nextTimes(entry.source.schedule, count - 1, Math.max(first, now), Math.max(first, now))
    return [first, ...rest].map((time) => new Date(time))
  }

  /** Sources whose next run is at or before `time`, ordered by time; paused sources have no next run. */
  async dueBy(time: number): Promise<ScheduledSource[]> {
    return await this.#scheduled("<=", time)
  }

  /** Sources whose next run is after `time`. */
  async dueAfter(time: number): Promise<ScheduledSource[]> {
    return await this.#scheduled(">", time)
  }

  /** Stores the next and last run of each source, all in one transaction. Times are in milliseconds since 1970; `null` if there is no next run or the source has never run. */
  async keepTimes(
    all: readonly { name: string; nextRun: number | null; lastRun: number | null }[],
  ): Promise<void> {
    await transaction(this.#db, async () => {
      for (const { name, nextRun, lastRun } of all)
        await this.#update(name, { next_run_at: nextRun, last_run_at: lastRun })
    })
  }

  /** Requests the removal of all pages stored under a name, declared or not, by the next process that writes the index. */
  async removePages(name: string): Promise<void> {
    await transaction(this.#db, async () => {
      await this.#askRemoval(name)
    })
  }

  /** Names whose pages have yet to be removed. */
  async removals(): Promise<string[]> {
    const asked = this.#queries.selectFrom("source_removal").select("source").orderBy("asked_at")
    return (await asked.execute()).map(({ source }) => source)
  }

  /** Records that the pages of a name were removed. */
  async removed(name: string): Promise<void> {
    await this.#queries.deleteFrom("source_removal").where("source", "=", name).execute()
    if ((await this.#row(name)) === undefined) await keepSourceReaders(this.#db, name, null)
  }

  /** Stores a validated source. @throws SourceOfFileError */
  protected async keep(spec: SourceSpec, origin: SourceOrigin): Promise<SourceEntry> {
    const source = defineSource(spec)
    return await transaction(this.#db, async () => {
      const now = this.#clock()
      const old = await this.get(source.name)
      if (old?.origin === "file" && origin === "api") throw new SourceOfFileError(source.name)
      const text = JSON.stringify(spec)
      const unchanged = old !== null && old.origin === origin && JSON.stringify(old.spec) === text
      const nextRun =
        old && (old.paused || JSON.stringify(old.source.schedule) === JSON.stringify(source.schedule))
          ? (old.nextRun?.getTime() ?? null)
          : await this.#firstRun(source.name, source.schedule)
      const declared = {
        spec: text,
        origin,
        updated_at: unchanged ? old.updatedAt.getTime() : now,
        next_run_at: nextRun,
      }
      await this.#queries
        .insertInto("source")
        .values({ name: source.name, created_at: now, ...declared })
        .onConflict((conflict) => conflict.column("name").doUpdateSet(declared))
        .execute()
      // The pages of a source that is declared again must no longer be removed.
      await this.removed(source.name)
      await keepSourceReaders(this.#db, source.name, source.readers && readersOf(source.readers))
      return await this.#must(source.name)
    })
  }

  async #askRemoval(name: string): Promise<void> {
    await this.#queries
      .insertInto("source_removal")
      .values({ source: name, asked_at: this.#clock() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async #row(name: string) {
    return await this.#queries.selectFrom("source").selectAll().where("name", "=", name).executeTakeFirst()
  }

  async #update(name: string, columns: Updateable<SourceTables["source"]>): Promise<void> {
    await this.#queries.updateTable("source").set(columns).where("name", "=", name).execute()
  }

  async #scheduled(is: "<=" | ">", time: number): Promise<ScheduledSource[]> {
    const rows = await this.#queries
      .selectFrom("source")
      .selectAll()
      .where("paused", "=", 0)
      .where("next_run_at", is, time)
      .orderBy("next_run_at")
      .orderBy("name")
      .execute()
    return rows.map((row) => ({ entry: entryOf(row), lastRun: row.last_run_at }))
  }

  async #setPaused(name: string, paused: boolean): Promise<boolean> {
    return await transaction(this.#db, async () => {
      const entry = await this.get(name)
      if (!entry) return false
      if (entry.paused === paused) return true
      const nextRun = paused ? null : await this.#firstRun(name, entry.source.schedule)
      await this.#update(name, { paused: paused ? 1 : 0, next_run_at: nextRun })
      return true
    })
  }

  /** The time of the first run for a schedule that starts now. */
  async #firstRun(name: string, schedule: Schedule | null): Promise<number | null> {
    if (!schedule) return null
    const last = (await this.#row(name))?.last_run_at ?? null
    return nextRun(schedule, this.#clock(), last, this.#random)
  }

  async #must(name: string): Promise<SourceEntry> {
    const entry = await this.get(name)
    if (!entry) throw new Error(`There is no source ${name}`)
    return entry
  }
}

export const authorOf = ({ origin }: Pick<SourceEntry, "origin">): SourceAuthor =>
  origin === "file" ? "operator" : "api"

function entryOf(row: Selectable<SourceTables["source"]>): SourceEntry {
  const spec = JSON.parse(row.spec) as SourceSpec
  return {
    source: sourceBy(authorOf(row), spec),
    spec,
    origin: row.origin,
    paused: row.paused === 1,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    nextRun: dateOrNull(row.next_run_at),
  }
}

import { type Selectable, sql } from "kysely"
import { CrawlerProcesses } from "./crawler-processes.ts"
import type { Clock } from "#base/clock.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { addressesOf, failuresOf, hasOpenAt, openCount, outcomesOf } from "../crawl/frontier/job-addresses.ts"
import { type Failure, isOver, type Job, type JobEvent, type JobState, OPEN_STATES } from "../job.ts"
import type { Source } from "../source.ts"
import { isAlive, isSilent } from "./alive.ts"
import { HostWaits } from "../fetch/hosts/host-waits.ts"
import { JobLog } from "./job-log.ts"
import { type JobTables, migrateJobs } from "./job-schema.ts"
import { changesOf } from "./page-changes.ts"
import { sourceOf } from "./source-runs.ts"
import { dateOrNull } from "#base/store/date-columns.ts"

/** The state of a job at a given time. A running job without heartbeats has lost its process, so it is shown as queued again. */
const shownState = (now: number) =>
  sql<JobState>`case when state = 'running' and not ${isAlive(now)} then 'queued' else state end`

type Tail<T extends readonly unknown[]> = T extends [unknown, unknown, ...infer Rest] ? Rest : never

/** Read access to jobs as recorded, with their logs. */
export class JobRecords {
  protected readonly db: StateStore
  protected readonly queries: Queries<JobTables>
  protected readonly clock: Clock
  readonly #log: JobLog
  readonly #waits: HostWaits
  readonly #processes: CrawlerProcesses

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.db = db
    this.queries = queriesOf(db)
    this.clock = clock
    migrateJobs(db)
    this.#log = new JobLog(db, clock)
    this.#waits = new HostWaits(db)
    this.#processes = new CrawlerProcesses(db)
  }

  /** The job, or null if there is none. */
  async get(id: number): Promise<Job | null> {
    const row = await jobRow.get(this.db, { id })
    return row ? await this.jobOf(row) : null
  }

  /** The jobs, newest first; only those of one source or in one state, if given. */
  async list(
    options: { limit?: number; offset?: number; source?: string; state?: JobState } = {},
  ): Promise<Job[]> {
    const { limit = 100, offset = 0 } = options
    const rows = await this.#chosen(options)
      .selectAll()
      .orderBy("id", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return await Promise.all(rows.map((row) => this.jobOf(row)))
  }

  /** The total number of jobs that match the filters of {@link list}. */
  async count(options: { source?: string; state?: JobState } = {}): Promise<number> {
    const { n } = await this.#chosen(options)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow()
    return n
  }

  #chosen({ source, state }: { source?: string; state?: JobState }) {
    let query = this.queries.selectFrom("job")
    if (source !== undefined) query = query.where("source", "=", source)
    if (state !== undefined) query = query.where(shownState(Date.now()), "=", state)
    return query
  }

  /** The jobs of a source that are queued, running or paused, newest first. */
  async open(source: string): Promise<Job[]> {
    const rows = await this.#chosen({ source })
      .selectAll()
      .where("state", "in", OPEN_STATES)
      .orderBy("id", "desc")
      .execute()
    return await Promise.all(rows.map((row) => this.jobOf(row)))
  }

  /** The newest job of a source that has ended and was judged, or null. */
  async lastJudged(source: string): Promise<Job | null> {
    const row = await this.#chosen({ source })
      .selectAll()
      .where("result", "is not", null)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    return row ? await this.jobOf(row) : null
  }

  /** All sources that have jobs in any state. */
  async sources(): Promise<Source[]> {
    const rows = await this.queries.selectFrom("job").select("spec").distinct().execute()
    return rows.map((row) => sourceOf(row))
  }

  /**
   * Requests that a run give up on a host at once.
   * @returns false when the job has ended, or has no open addresses on that host.
   */
  async skipHost(id: number, host: string): Promise<boolean> {
    if (
      !(await hasOpenAt(this.db, id, host)) ||
      (await this.open((await this.get(id))?.source.name ?? "")).every((job) => job.id !== id)
    )
      return false
    await this.#waits.skip(id, host)
    return true
  }

  /** See {@link JobLog.add}. */
  async log(id: number, level: JobEvent["level"], text: string): Promise<void> {
    await this.#log.add(id, level, text)
  }

  /** See {@link JobLog.events}. */
  async events(id: number, limit?: number): Promise<JobEvent[]> {
    return await this.#log.events(id, limit)
  }

  /** Addresses that failed, with the reason in words. */
  async failures(id: number, limit: number): Promise<readonly Failure[]> {
    return await failuresOf(this.db, id, limit)
  }

  /** See {@link addressesOf}. */
  async addresses(
    id: number,
    ...rest: Tail<Parameters<typeof addressesOf>>
  ): Promise<ReturnType<typeof addressesOf>> {
    return await addressesOf(this.db, id, ...rest)
  }

  /** See {@link CrawlerProcesses.hasLiving}. */
  async hasCrawler(): Promise<boolean> {
    return await this.#processes.hasLiving()
  }

  /** See {@link CrawlerProcesses.beat}. */
  async crawlerBeat(pid: number): Promise<void> {
    await this.#processes.beat(pid)
  }

  /** See {@link CrawlerProcesses.gone}. */
  async crawlerGone(pid: number): Promise<void> {
    await this.#processes.gone(pid)
  }

  protected async jobOf(row: Selectable<JobTables["job"]>): Promise<Job> {
    const { id, author, trigger, visits, error, note, result, reason } = row
    const silent = row.state === "running" && isSilent(row.beat_at)
    return {
      id,
      source: sourceOf(row, author),
      trigger,
      visits,
      author,
      state: silent ? "queued" : row.state,
      createdAt: new Date(row.created_at),
      startedAt: dateOrNull(row.started_at),
      endedAt: dateOrNull(row.ended_at),
      error,
      note,
      result,
      reason,
      changes: await changesOf(this.db, id),
      checkedByCopy: { pages: row.copy_pages, sparedBytes: row.copy_spared },
      waits: row.state === "running" && !silent ? await this.#waits.of(id) : [],
      queued: isOver(row.state) ? 0 : await openCount(this.db, id),
      outcomes: await outcomesOf(this.db, id),
    }
  }
}

const jobRow = once((queries: Queries<JobTables>, { id }: { id: number }) =>
  queries.selectFrom("job").selectAll().where("id", "=", id),
)

import { CrawlerProcesses } from "./crawler-processes.ts"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { addressesOf, failuresOf, hasOpenAt, openCount, outcomesOf } from "../crawl/frontier/job-addresses.ts"
import type { Failure, Job, JobEvent, JobState, JobTrigger } from "../job.ts"
import type { Source, SourceAuthor } from "../source.ts"
import { isAliveSql, isSilent } from "./alive.ts"
import { HostWaits } from "../fetch/hosts/host-waits.ts"
import { JobLog } from "./job-log.ts"
import { migrateJobs } from "./job-schema.ts"
import { changesOf } from "./page-changes.ts"
import { sourceOf } from "./source-runs.ts"
import { dateOrNull } from "#base/store/date-columns.ts"

/** States, as SQL, of jobs that are not over. */
const OPEN = "'queued', 'running', 'paused'"

/** The state of a job at `?3` as SQL: one that says it is running and is silent has lost its process and waits. */
const SHOWN_STATE = `case when state = 'running' and not ${isAliveSql("?3")} then 'queued' else state end`

type Tail<T extends readonly unknown[]> = T extends [unknown, unknown, ...infer Rest] ? Rest : never

/** Jobs as they are recorded, with their logs; for whoever asks. */
export class JobRecords {
  protected readonly db: StateStore
  protected readonly clock: Clock
  readonly #log: JobLog
  readonly #waits: HostWaits
  readonly #processes: CrawlerProcesses

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.db = db
    this.clock = clock
    migrateJobs(db)
    this.#log = new JobLog(db, clock)
    this.#waits = new HostWaits(db)
    this.#processes = new CrawlerProcesses(db)
  }

  /** The job, or null. */
  async get(id: number): Promise<Job | null> {
    const row = await this.db.prepare("select * from job where id = ?").get(id)
    return row ? await this.jobOf(row) : null
  }

  /** Newest first; of one source, or in one state, when that is asked for. */
  async list(
    options: { limit?: number; offset?: number; source?: string; state?: JobState } = {},
  ): Promise<Job[]> {
    const { limit = 100, offset = 0, source = null, state = null } = options
    const rows = await this.db
      .prepare(
        `select * from job where (?1 is null or source = ?1) and (?2 is null or ${SHOWN_STATE} = ?2)
         order by id desc limit ?4 offset ?5`,
      )
      .all(source, state, Date.now(), limit, offset)
    return await Promise.all(rows.map((row) => this.jobOf(row)))
  }

  /** How many jobs {@link list} has in all. */
  async count({ source, state }: { source?: string; state?: JobState } = {}): Promise<number> {
    const row = await this.db
      .prepare(
        `select count(*) as n from job
         where (?1 is null or source = ?1) and (?2 is null or ${SHOWN_STATE} = ?2)`,
      )
      .get(source ?? null, state ?? null, Date.now())
    return Number(row?.["n"])
  }

  /** Jobs of a source that are queued, running or paused; newest first. */
  async open(source: string): Promise<Job[]> {
    const rows = await this.db
      .prepare(`select * from job where source = ? and state in (${OPEN}) order by id desc`)
      .all(source)
    return await Promise.all(rows.map((row) => this.jobOf(row)))
  }

  /** The newest job of a source that is over and was judged, or null. */
  async lastJudged(source: string): Promise<Job | null> {
    const row = await this.db
      .prepare("select * from job where source = ? and result is not null order by id desc limit 1")
      .get(source)
    return row ? await this.jobOf(row) : null
  }

  /** The sources of jobs of any state. */
  async sources(): Promise<Source[]> {
    return (await this.db.prepare("select distinct spec from job").all()).map((row) => sourceOf(row))
  }

  /**
   * Asks for a host to be given up at once for the rest of a run.
   * @returns false when the job is over, or has no open address there.
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

  /** As {@link JobLog.add}. */
  async log(id: number, level: JobEvent["level"], text: string): Promise<void> {
    await this.#log.add(id, level, text)
  }

  /** As {@link JobLog.events}. */
  async events(id: number, limit?: number): Promise<JobEvent[]> {
    return await this.#log.events(id, limit)
  }

  /** Addresses that failed, with the reason in words. */
  async failures(id: number, limit: number): Promise<readonly Failure[]> {
    return await failuresOf(this.db, id, limit)
  }

  /** As {@link addressesOf}. */
  async addresses(
    id: number,
    ...rest: Tail<Parameters<typeof addressesOf>>
  ): Promise<ReturnType<typeof addressesOf>> {
    return await addressesOf(this.db, id, ...rest)
  }

  /** As {@link CrawlerProcesses.hasLiving}. */
  async hasCrawler(): Promise<boolean> {
    return await this.#processes.hasLiving()
  }

  /** As {@link CrawlerProcesses.beat}. */
  async crawlerBeat(pid: number): Promise<void> {
    await this.#processes.beat(pid)
  }

  /** As {@link CrawlerProcesses.gone}. */
  async crawlerGone(pid: number): Promise<void> {
    await this.#processes.gone(pid)
  }

  protected async jobOf(row: Record<string, unknown>): Promise<Job> {
    const id = Number(row["id"])
    const silent = row["state"] === "running" && isSilent(Number(row["beat_at"]))
    const author = row["author"] as SourceAuthor
    const isOver = ["finished", "failed", "cancelled"].includes(String(row["state"]))
    return {
      id,
      source: sourceOf(row, author),
      trigger: row["trigger"] as JobTrigger,
      visits: row["visits"] as Job["visits"],
      author,
      state: silent ? "queued" : (row["state"] as JobState),
      createdAt: new Date(Number(row["created_at"])),
      startedAt: dateOrNull(row["started_at"]),
      endedAt: dateOrNull(row["ended_at"]),
      error: row["error"] as string | null,
      note: row["note"] as string | null,
      result: row["result"] as Job["result"],
      reason: row["reason"] as string | null,
      changes: await changesOf(this.db, id),
      checkedByCopy: { pages: Number(row["copy_pages"]), sparedBytes: Number(row["copy_spared"]) },
      waits: row["state"] === "running" && !silent ? await this.#waits.of(id) : [],
      queued: isOver ? 0 : await openCount(this.db, id),
      outcomes: await outcomesOf(this.db, id),
    }
  }
}

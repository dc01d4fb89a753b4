import { FAILURES_LIKE, type OutcomeName } from "../outcome-name.ts"
import type { Clock } from "#base/clock.ts"
import type { Failure, Job, JobEvent, JobState, JobTrigger } from "../job.ts"
import type { Source } from "../source.ts"
import type { SourceAuthor } from "../source.ts"
import { migrate, type StateStore, transaction } from "#base/store/state-store.ts"

/** A job that has taken down its process this often, with no outcome recorded in between, is not tried again. */
const MAX_CRASHES = 5
/** A running job that has been silent this long has lost its process. */
const SILENT_MS = 10_000
/** Lines of its log that a job keeps: the newest. */
const EVENTS_KEPT = 500

const STEPS = [
  `create table job (
     id integer primary key,
     url text not null, scope text not null, depth integer not null, "limit" integer not null, source text not null,
     state text not null, stop text, error text, landed_at text, crashes integer not null default 0,
     created_at integer not null, started_at integer, ended_at integer, beat_at integer not null default 0
   ) strict;
   create index job_state on job (state, id);
   create table job_outcome (
     job integer not null references job (id) on delete cascade, outcome text not null, count integer not null,
     primary key (job, outcome)
   ) strict, without rowid;
   create table crawl_url (
     job integer not null references job (id) on delete cascade,
     url text not null, host text not null, depth integer not null, priority integer not null,
     due integer not null, tries integer not null default 0,
     outcome text, detail text,
     primary key (job, url)
   ) strict, without rowid;
   create index crawl_url_open on crawl_url (job, host, priority, depth, due) where outcome is null;
   create table visited_page (url text primary key, hash text not null, visited_at integer not null) strict, without rowid;
   create table crawler_process (pid integer primary key, beat_at integer not null) strict;`,
  `alter table job add column topic text`,
  `alter table job add column spec text not null default '{}';
   alter table job add column "trigger" text not null default 'command';
   alter table job add column visits text not null default 'all';
   update job set spec = json_object(
     'name', source, 'seeds', json_array(url), 'scope', scope, 'include', json_array(), 'exclude', json_array(),
     'limits', json_object('pages', "limit", 'depth', depth, 'bytes', null, 'minutes', null),
     'rendering', 'auto', 'politeness', json_object('concurrency', null, 'delayMs', null, 'robots', null),
     'allowedNetworks', json_array(), 'login', null,
     'pages', json_object('topic', topic, 'country', null, 'language', null, 'safe', null),
     'sitemaps', json_array(), 'feeds', json_array(), 'schedule', null,
     'revisit', json_object('minHours', 1, 'maxHours', 720), 'removal', json_object('maxShare', 0.1, 'keepDays', 30),
     'webhooks', json_array());
   create table job_landing (
     job integer not null references job (id) on delete cascade, seed text not null, landed text not null,
     primary key (job, seed)
   ) strict, without rowid;
   insert into job_landing select id, url, landed_at from job where landed_at is not null;
   alter table job drop column url; alter table job drop column scope; alter table job drop column depth;
   alter table job drop column "limit"; alter table job drop column topic; alter table job drop column landed_at;
   create index job_source on job (source, id);
   create table known_address (
     url text primary key, source text not null, job integer not null, outcome text not null, detail text,
     hash text, visited_at integer not null, changed_at integer
   ) strict, without rowid;
   create index known_address_source on known_address (source);
   insert into known_address
     select url, '', 0, 'indexed', null, hash, visited_at, visited_at from visited_page;
   drop table visited_page;`,
  `alter table known_address add column title text`,
  `update job set state = 'paused' where state = 'stopped';
   update job set stop = 'paused' where stop = 'stopped';
   alter table job add column note text;
   create table job_event (
     id integer primary key, job integer not null references job (id) on delete cascade,
     at integer not null, level text not null, text text not null
   ) strict;
   create index job_event_job on job_event (job, id);`,
  `alter table known_address add column status integer; alter table known_address add column leads_to text`,
  `alter table known_address add column depth integer not null default 1;
   alter table known_address add column found_how text not null default 'link';
   alter table known_address add column found_on text;
   alter table known_address add column first_seen integer not null default 0;
   alter table known_address add column etag text;
   alter table known_address add column last_modified text;
   alter table known_address add column read_as text;
   alter table known_address add column misses integer not null default 0;
   alter table known_address add column interval_ms integer;
   alter table known_address add column due_at integer not null default 0;
   alter table known_address add column listed_in text;
   alter table known_address add column listed_job integer;
   alter table known_address add column modified_at integer;
   alter table known_address add column published_at integer;
   alter table known_address add column news integer not null default 0;
   update known_address set first_seen = visited_at;
   drop index known_address_source;
   create index known_address_due on known_address (source, due_at);
   create index known_address_listed on known_address (listed_in, listed_job) where listed_in is not null;
   alter table crawl_url add column found_how text;
   alter table crawl_url add column found_on text;
   alter table crawl_url add column modified_at integer;
   alter table crawl_url add column published_at integer;
   alter table crawl_url add column news integer not null default 0;
   alter table job add column bytes integer not null default 0;
   alter table job add column spent_ms integer not null default 0;
   create table listing (
     source text not null, url text not null, kind text not null, found_on text, named_at integer,
     etag text, last_modified text, read_at integer, primary key (source, url)
   ) strict, without rowid;`,
  `alter table crawl_url add column listed_in text`,
  // Pages of the index that the last visit did not find: what the end of a run judges.
  `create index known_address_lost on known_address (job, url)
     where hash is not null and outcome not in ('indexed', 'unchanged')`,
  // `whole`: the run followed every link it met; null while it is not known to have.
  `alter table job add column whole integer;
   create table page_links (
     url text not null, source text not null, links blob not null, primary key (url, source)
   ) strict, without rowid;
   create index page_links_source on page_links (source);`,
  `alter table job add column author text not null default 'api';
   update job set author = 'operator' where "trigger" in ('command', 'start')`,
  // An address is known to each source by itself: a page may belong to several.
  `create table known_address_of_source (
     url text not null, source text not null, job integer not null, outcome text not null, detail text, hash text,
     visited_at integer not null, changed_at integer, title text, status integer, leads_to text,
     depth integer not null default 1, found_how text not null default 'link', found_on text,
     first_seen integer not null default 0, etag text, last_modified text, read_as text,
     misses integer not null default 0, interval_ms integer, due_at integer not null default 0,
     listed_in text, listed_job integer, modified_at integer, published_at integer, news integer not null default 0,
     primary key (url, source)
   ) strict, without rowid;
   insert into known_address_of_source
     select url, source, job, outcome, detail, hash, visited_at, changed_at, title, status, leads_to, depth, found_how, found_on,
       first_seen, etag, last_modified, read_as, misses, interval_ms, due_at, listed_in, listed_job, modified_at, published_at, news
     from known_address;
   drop table known_address;
   alter table known_address_of_source rename to known_address;
   create index known_address_due on known_address (source, due_at);
   create index known_address_listed on known_address (listed_in, listed_job) where listed_in is not null;
   create index known_address_lost on known_address (job, url)
     where hash is not null and outcome not in ('indexed', 'unchanged');`,
  // What is being read, and how often a process was lost over it: see suspects.ts.
  `alter table crawl_url add column reading integer not null default 0;
   alter table crawl_url add column strikes integer not null default 0`,
]

/**
 * Whether a process whose last sign of life was at `beat_at` is alive at `now`, as SQL. A sign from the future is none:
 * the clock was set back, and whoever lives gives another within a second.
 */
const isAlive = (now: string): string => `abs(${now} - beat_at) < ${SILENT_MS}`

/** The state of a job at `?3` as SQL: one that says it is running and is silent has lost its process and waits. */
const SHOWN_STATE = `case when state = 'running' and not ${isAlive("?3")} then 'queued' else state end`

/** States, as SQL, whose jobs keep nothing of their frontier but what failed. */
const OVER = "'finished', 'failed', 'cancelled'"
const OPEN = "'queued', 'running', 'paused'"
const PRUNED = `(outcome is null or outcome not like '${FAILURES_LIKE}')`
const PRUNED_ROWS = 2000

/** The crawl jobs in `state.db`, as every process sees them. All calls are synchronous and short. */
export class Jobs {
  readonly #db: StateStore
  readonly #clock: Clock

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
    migrate(db, "crawler", STEPS)
  }

  /**
   * Asks for a run of a source. A job of the very same source that is queued, running or paused is returned
   * instead of doubled; a paused one is queued again and goes on where it was.
   */
  enqueue(
    source: Source,
    {
      trigger = "command",
      visits = "all",
      author = "operator",
    }: Partial<Pick<Job, "trigger" | "visits" | "author">> = {},
  ): Job {
    const spec = JSON.stringify(source)
    return transaction(this.#db, () => {
      const open = this.#db
        .prepare(
          `select id from job where source = ? and spec = ? and author = ? and state in (${OPEN})
           order by id desc limit 1`,
        )
        .get(source.name, spec, author)
      if (open) {
        const id = Number(open["id"])
        this.#resume(id)
        return this.#must(id)
      }
      const { lastInsertRowid } = this.#db
        .prepare(
          `insert into job (source, spec, "trigger", visits, author, state, created_at)
           values (?, ?, ?, ?, ?, 'queued', ?)`,
        )
        .run(source.name, spec, trigger, visits, author, this.#clock())
      return this.#must(Number(lastInsertRowid))
    })
  }

  /** The job, or null. */
  get(id: number): Job | null {
    const row = this.#db.prepare("select * from job where id = ?").get(id)
    return row ? this.#job(row) : null
  }

  /** Newest first; of one source, or in one state, when that is asked for. */
  list(options: { limit?: number; offset?: number; source?: string; state?: JobState } = {}): Job[] {
    const { limit = 100, offset = 0, source = null, state = null } = options
    return this.#db
      .prepare(
        `select * from job where (?1 is null or source = ?1) and (?2 is null or ${SHOWN_STATE} = ?2)
         order by id desc limit ?4 offset ?5`,
      )
      .all(source, state, Date.now(), limit, offset)
      .map((row) => this.#job(row))
  }

  /** How many jobs {@link list} has in all. */
  count({ source, state }: { source?: string; state?: JobState } = {}): number {
    const row = this.#db
      .prepare(
        `select count(*) as n from job
         where (?1 is null or source = ?1) and (?2 is null or ${SHOWN_STATE} = ?2)`,
      )
      .get(source ?? null, state ?? null, Date.now())
    return Number(row?.["n"])
  }

  /** Jobs of a source that are queued, running or paused; newest first. */
  open(source: string): Job[] {
    return this.#db
      .prepare(`select * from job where source = ? and state in (${OPEN}) order by id desc`)
      .all(source)
      .map((row) => this.#job(row))
  }

  /** Ends a job for good; its process finishes the pages in hand. @returns false when it is over already or unknown. */
  cancel(id: number): boolean {
    const cancelled = this.#ask(id, "cancelled")
    this.#prune(id)
    return cancelled
  }

  /** Asks a job to stop and keep its frontier. @returns false when it is neither queued nor running. */
  pause(id: number): boolean {
    return this.get(id)?.state !== "paused" && this.#ask(id, "paused")
  }

  /** Queues a paused job again. @returns false when it is not paused. */
  resume(id: number): boolean {
    return transaction(this.#db, () => this.#resume(id))
  }

  /** The job to run next: what somebody waits for before what a schedule asked for, else the oldest. */
  nextQueued(): Job | null {
    const row = this.#db
      .prepare(`select * from job where state = 'queued' order by "trigger" = 'schedule', id limit 1`)
      .get()
    return row ? this.#job(row) : null
  }

  /** Whether a job is marked as running, by a living process or a lost one. */
  hasRunning(): boolean {
    return this.#db.prepare("select 1 from job where state = 'running'").get() !== undefined
  }

  /** Whether no job waits, and none is at work. */
  isIdle(): boolean {
    return (
      this.#db
        .prepare(`select 1 from job where state = 'queued' or (state = 'running' and ${isAlive("?")})`)
        .get(Date.now()) === undefined
    )
  }

  /** The sources of jobs of any state. */
  sources(): Source[] {
    return this.#db
      .prepare("select distinct spec from job")
      .all()
      .map(({ spec }) => JSON.parse(String(spec)) as Source)
  }

  /**
   * Marks a queued job as running here. Only the process that holds the index for writing may call this.
   * @returns null when the job waits no more: somebody cancelled or paused it.
   */
  start(id: number): Job | null {
    const { changes } = this.#db
      .prepare(
        `update job set state = 'running', stop = null, error = null, note = null, ended_at = null, beat_at = ?,
         started_at = coalesce(started_at, ?) where id = ? and state = 'queued'`,
      )
      .run(Date.now(), this.#clock(), id)
    if (changes === 0) return null
    this.log(id, "info", "running")
    return this.#must(id)
  }

  /** Says that the job is alive. @returns what it is asked to become, if anything. */
  beat(id: number): "paused" | "cancelled" | null {
    this.#db.prepare("update job set beat_at = ? where id = ?").run(Date.now(), id)
    const row = this.#db.prepare("select state, stop from job where id = ?").get(id)
    // One that was silent for a while may have been paused or cancelled as if it had no process.
    const asked = row?.["state"] === "running" ? row["stop"] : row?.["state"]
    return asked === "paused" || asked === "cancelled" ? asked : null
  }

  /** Ends a run. A job that is `paused` or `queued` keeps its frontier, any other keeps its failures only. */
  end(
    id: number,
    state: "finished" | "failed" | "cancelled" | "paused" | "queued",
    error: string | null = null,
  ): void {
    this.#end(id, state, error)
    this.log(id, error === null ? "info" : "error", error === null ? state : `${state}: ${error}`)
    this.#prune(id)
  }

  /** Leaves word of a job's end for its operator, and in its log. A second one is added to the first. */
  note(id: number, text: string): void {
    this.#db
      .prepare(
        "update job set note = case when note is null then ?2 else note || '; ' || ?2 end where id = ?1",
      )
      .run(id, text)
    this.log(id, "warn", text)
  }

  /** Writes a line into a job's log; the oldest lines make room. */
  log(id: number, level: JobEvent["level"], text: string): void {
    this.#db
      .prepare("insert into job_event (job, at, level, text) select id, ?, ?, ? from job where id = ?")
      .run(this.#clock(), level, text, id)
    this.#db
      .prepare(
        `delete from job_event where job = ?1
         and id <= (select id from job_event where job = ?1 order by id desc limit 1 offset ${EVENTS_KEPT})`,
      )
      .run(id)
  }

  /** A job's log, oldest line first: its newest `limit` lines. */
  events(id: number, limit = EVENTS_KEPT): JobEvent[] {
    return this.#db
      .prepare("select at, level, text from job_event where job = ? order by id desc limit ?")
      .all(id, limit)
      .map((row) => ({
        at: new Date(Number(row["at"])),
        level: row["level"] as JobEvent["level"],
        text: String(row["text"]),
      }))
      .reverse()
  }

  /**
   * Forgets jobs that ended before `time` (milliseconds since 1970) with their logs and failures; the last job
   * of each source stays. @returns how many.
   */
  forget(time: number): number {
    const old = this.#db
      .prepare(
        `select id from job where state in (${OVER}) and ended_at < ?
         and id not in (select max(id) from job group by source)`,
      )
      .all(time)
    const some = this.#db.prepare(
      `delete from crawl_url where (job, url) in (select job, url from crawl_url where job = ? limit ${PRUNED_ROWS})`,
    )
    const job = this.#db.prepare("delete from job where id = ?")
    for (const { id } of old) {
      while (Number(some.run(Number(id)).changes) > 0);
      job.run(Number(id))
    }
    return old.length
  }

  /**
   * Queues again what a lost process left as running, or has it become what it was asked to. Only the process that holds the index for writing may
   * call this: while it does, nobody else can be at work on a job.
   */
  recover(): void {
    for (const { id, stop, crashes } of this.#db
      .prepare("select id, stop, crashes + 1 as crashes from job where state = 'running'")
      .all()) {
      const isHopeless = Number(crashes) >= MAX_CRASHES
      // What it was asked to become it becomes now.
      const state = (stop ?? (isHopeless ? "failed" : "queued")) as JobState
      const error = state === "failed" ? "its process died again and again; the log says more" : null
      this.#db.prepare("update job set crashes = ? where id = ?").run(Number(crashes), Number(id))
      this.#end(Number(id), state, error)
      this.log(Number(id), "warn", `its process was lost: ${state}`)
    }
    const left = this.#db
      .prepare(
        `select id from job where state in (${OVER}) and exists (select 1 from crawl_url where job = id and ${PRUNED})`,
      )
      .all()
    for (const { id } of left) this.#prune(Number(id))
  }

  /** Addresses that failed, with the reason in words. */
  failures(id: number, limit: number): readonly Failure[] {
    return this.#db
      .prepare("select url, outcome, detail from crawl_url where job = ? and outcome like ? limit ?")
      .all(id, FAILURES_LIKE, limit)
      .map((row) => ({
        url: String(row["url"]),
        outcome: row["outcome"] as OutcomeName,
        detail: row["detail"] as string | null,
      }))
  }

  /** Whether a crawler process that takes jobs is alive. */
  hasCrawler(): boolean {
    return (
      this.#db.prepare(`select 1 from crawler_process where ${isAlive("?")}`).get(Date.now()) !== undefined
    )
  }

  /** Says that the crawler process `pid` is alive. */
  crawlerBeat(pid: number): void {
    transaction(this.#db, () => {
      this.#db.prepare(`delete from crawler_process where not ${isAlive("?")}`).run(Date.now())
      this.#db
        .prepare(
          "insert into crawler_process values (?, ?) on conflict (pid) do update set beat_at = excluded.beat_at",
        )
        .run(pid, Date.now())
    })
  }

  crawlerGone(pid: number): void {
    this.#db.prepare("delete from crawler_process where pid = ?").run(pid)
  }

  /** Has a job become `state`: at once, or by the process that works on it. @returns false when it cannot. */
  #ask(id: number, state: "paused" | "cancelled"): boolean {
    return transaction(this.#db, () => {
      const job = this.get(id)
      if (!job || ["finished", "failed", "cancelled"].includes(job.state)) return false
      if (job.state === "running") {
        this.#db.prepare("update job set stop = ? where id = ?").run(state, id)
      } else {
        this.#end(id, state, null)
        this.log(id, "info", state)
      }
      return true
    })
  }

  #resume(id: number): boolean {
    const { changes } = this.#db
      .prepare(
        "update job set state = 'queued', stop = null, ended_at = null where id = ? and state = 'paused'",
      )
      .run(id)
    if (changes > 0) this.log(id, "info", "resumed")
    return changes > 0
  }

  #end(id: number, state: JobState, error: string | null): void {
    const ended = state === "queued" ? null : this.#clock()
    this.#db
      .prepare("update job set state = ?, stop = null, error = ?, ended_at = ? where id = ?")
      .run(state, error, ended, id)
  }

  // Some rows at a time, so that no other process waits long for the store.
  #prune(id: number): void {
    const some = this.#db.prepare(
      `delete from crawl_url where job = ? and url in
         (select url from crawl_url where job = ? and ${PRUNED} limit ${PRUNED_ROWS})
         and exists (select 1 from job where id = ? and state in (${OVER}))`,
    )
    while (Number(some.run(id, id, id).changes) > 0);
  }

  #must(id: number): Job {
    const job = this.get(id)
    if (!job) throw new Error(`There is no job ${id}`)
    return job
  }

  #job(row: Record<string, unknown>): Job {
    const id = Number(row["id"])
    const time = (value: unknown) => (value === null ? null : new Date(Number(value)))
    const silent = row["state"] === "running" && Math.abs(Date.now() - Number(row["beat_at"])) >= SILENT_MS
    const outcomes: Partial<Record<OutcomeName, number>> = {}
    for (const one of this.#db.prepare("select outcome, count from job_outcome where job = ?").all(id)) {
      outcomes[one["outcome"] as OutcomeName] = Number(one["count"])
    }
    const isOver = ["finished", "failed", "cancelled"].includes(String(row["state"]))
    const open = isOver
      ? null
      : this.#db.prepare("select count(*) as n from crawl_url where job = ? and outcome is null").get(id)
    return {
      id,
      source: JSON.parse(String(row["spec"])) as Source,
      trigger: row["trigger"] as JobTrigger,
      visits: row["visits"] as Job["visits"],
      author: row["author"] as SourceAuthor,
      state: silent ? "queued" : (row["state"] as JobState),
      createdAt: new Date(Number(row["created_at"])),
      startedAt: time(row["started_at"]),
      endedAt: time(row["ended_at"]),
      error: row["error"] as string | null,
      note: row["note"] as string | null,
      queued: Number(open?.["n"] ?? 0),
      outcomes,
    }
  }
}

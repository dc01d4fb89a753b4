import { migrateTraces } from "#base/telemetry/traces/trace-parents.ts"
import type { Generated } from "kysely"
import { migrateProcesses } from "#base/store/processes/own-process.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"
import { FRONTIER_OF_JOBS, migrateFrontier } from "../crawl/frontier/frontier-schema.ts"
import { pageTriggers } from "../crawl/frontier/source-pages.ts"
import type { JobEvent, JobResult, JobState, JobTrigger, Visiting } from "../job.ts"
import type { SourceAuthor } from "../source.ts"

export interface JobTables {
  job: {
    id: Generated<number>
    source: string
    state: JobState
    /** The state that the job's process has been asked to put the job in. */
    stop: "paused" | "cancelled" | null
    error: string | null
    crashes: Generated<number>
    created_at: number
    started_at: number | null
    ended_at: number | null
    beat_at: Generated<number>
    /** The source as JSON. */
    spec: Generated<string>
    trigger: Generated<JobTrigger>
    visits: Generated<Visiting>
    note: string | null
    bytes: Generated<number>
    spent_ms: Generated<number>
    /** Whether the run is known to have followed every link it found; null if not known yet. */
    whole: number | null
    author: Generated<SourceAuthor>
    /** The number of outcomes recorded when the job's process was last lost; `crashes` counts lost processes without a new outcome in between. */
    outcomes_at_crash: Generated<number>
    result: JobResult | null
    reason: string | null
    /** Whether the job's process is only waiting until it may visit a host again. */
    waiting: Generated<number>
    /** The process that is working on the job; null if that process only sends heartbeats. */
    process: string | null
    copy_pages: Generated<number>
    copy_spared: Generated<number>
  }
  crawler_process: { pid: number; beat_at: number }
  job_landing: { job: number; seed: string; landed: PageUrl }
  job_event: { id: Generated<number>; job: number; at: number; level: JobEvent["level"]; text: string }
  job_change: { job: number; change: "new" | "changed" | "removed"; count: number }
}

/**
 * Counts page changes for the run that made them, in the transaction that records them. Changes made while the job is
 * not running, such as those made by a restore, are not counted.
 */
const changeTriggers = (words: SchemaWords): string =>
  pageTriggers(
    words,
    "job_change",
    "exists (select 1 from job where job.id = new.job and job.state = 'running')",
    (change) =>
      `insert into job_change values (new.job, '${change}', 1) on conflict (job, change) do update set count = ${words.own("job_change", "count")} + 1`,
  )

const STEPS: readonly Step[] = [
  (words) => {
    const { id, integer, text, strict, keyed } = words
    return `create table job (
     id ${id}, source ${text} not null,
     state ${text} not null, stop ${text}, error ${text}, crashes ${integer} not null default 0,
     created_at ${integer} not null, started_at ${integer}, ended_at ${integer}, beat_at ${integer} not null default 0,
     spec ${text} not null default '{}', "trigger" ${text} not null default 'command', visits ${text} not null default 'all',
     note ${text}, bytes ${integer} not null default 0, spent_ms ${integer} not null default 0,
     whole ${integer},
     author ${text} not null default 'api',
     outcomes_at_crash ${integer} not null default 0,
     result ${text}, reason ${text},
     waiting ${integer} not null default 0,
     process ${text}
   ) ${strict};
   create index job_state on job (state, id);
   create index job_source on job (source, id);
   create table crawler_process (pid ${id}, beat_at ${integer} not null) ${strict};
   create table job_landing (
     job ${integer} not null references job (id) on delete cascade, seed ${text} not null, landed ${text} not null,
     primary key (job, seed)
   ) ${keyed};
   create table job_event (
     id ${id}, job ${integer} not null references job (id) on delete cascade,
     at ${integer} not null, level ${text} not null, text ${text} not null
   ) ${strict};
   create index job_event_job on job_event (job, id);
   create table job_change (
     job ${integer} not null references job (id) on delete cascade, change ${text} not null, count ${integer} not null,
     primary key (job, change)
   ) ${keyed};
   ${changeTriggers(words)};
   ${words.dialect === "postgres" ? FRONTIER_OF_JOBS : ""}`
  },
  ({ integer }) => `alter table job add column copy_pages ${integer} not null default 0;
   alter table job add column copy_spared ${integer} not null default 0`,
]

/** Creates or updates the tables of jobs. */
export function migrateJobs(db: StateStore): void {
  migrateTraces(db)
  // These tables come first, because they have triggers that are created below.
  migrateFrontier(db)
  migrateProcesses(db)
  migrate(db, "crawler", STEPS)
}

import { migrateProcesses } from "#base/store/processes/own-process.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { FRONTIER_OF_JOBS, migrateFrontier } from "../crawl/frontier/frontier-schema.ts"
import { CHANGE_TRIGGERS } from "./page-changes.ts"

const FIRST = `create table job (
     id integer primary key, source text not null,
     state text not null, stop text, error text, crashes integer not null default 0,
     created_at integer not null, started_at integer, ended_at integer, beat_at integer not null default 0,
     spec text not null default '{}', "trigger" text not null default 'command', visits text not null default 'all',
     note text, bytes integer not null default 0, spent_ms integer not null default 0,
     -- Whether the run followed every link it met; null while it is not known to have.
     whole integer,
     author text not null default 'api',
     -- Outcomes recorded when its process was lost last; crashes counts those with none in between.
     outcomes_at_crash integer not null default 0,
     result text, reason text,
     -- The process has it in hand, and does nothing for it until its hosts' time has come.
     waiting integer not null default 0,
     -- The process that works on it; null of one that is known by its beat alone.
     process text
   ) strict;
   create index job_state on job (state, id);
   create index job_source on job (source, id);
   create table crawler_process (pid integer primary key, beat_at integer not null) strict;
   create table job_landing (
     job integer not null references job (id) on delete cascade, seed text not null, landed text not null,
     primary key (job, seed)
   ) strict, without rowid;
   create table job_event (
     id integer primary key, job integer not null references job (id) on delete cascade,
     at integer not null, level text not null, text text not null
   ) strict;
   create index job_event_job on job_event (job, id);
   create table job_change (
     job integer not null references job (id) on delete cascade, change text not null, count integer not null,
     primary key (job, change)
   ) strict, without rowid;
   ${CHANGE_TRIGGERS}`

const STEPS: readonly Step[] = [
  { sqlite: FIRST, postgres: `${FIRST}; ${FRONTIER_OF_JOBS}` },
  `alter table job add column copy_pages integer not null default 0;
   alter table job add column copy_spared integer not null default 0`,
]

/** Makes the tables of jobs, or brings them up to date. */
export function migrateJobs(db: StateStore): void {
  // First, since the triggers are on its tables.
  migrateFrontier(db)
  migrateProcesses(db)
  migrate(db, "crawler", STEPS)
}

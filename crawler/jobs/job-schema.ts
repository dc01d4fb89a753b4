import { migrateProcesses } from "#base/store/processes/own-process.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { FRONTIER_OF_JOBS, migrateFrontier } from "../frontier/frontier-schema.ts"
import { CHANGE_TRIGGERS } from "./page-changes.ts"

const FIRST = `create table job (
     id integer primary key,
     url text not null, scope text not null, depth integer not null, "limit" integer not null, source text not null,
     state text not null, stop text, error text, landed_at text, crashes integer not null default 0,
     created_at integer not null, started_at integer, ended_at integer, beat_at integer not null default 0
   ) strict;
   create index job_state on job (state, id);
   create table crawler_process (pid integer primary key, beat_at integer not null) strict`

// Empty where they changed the tables of the frontier, which were of the same part.
const STEPS: readonly Step[] = [
  { sqlite: FIRST, postgres: `${FIRST}; ${FRONTIER_OF_JOBS}` },
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
   alter table job drop column url;
   alter table job drop column scope;
   alter table job drop column depth;
   alter table job drop column "limit";
   alter table job drop column topic;
   alter table job drop column landed_at;
   create index job_source on job (source, id)`,
  "",
  `update job set state = 'paused' where state = 'stopped';
   update job set stop = 'paused' where stop = 'stopped';
   alter table job add column note text;
   create table job_event (
     id integer primary key, job integer not null references job (id) on delete cascade,
     at integer not null, level text not null, text text not null
   ) strict;
   create index job_event_job on job_event (job, id)`,
  "",
  `alter table job add column bytes integer not null default 0;
   alter table job add column spent_ms integer not null default 0`,
  "",
  "",
  // `whole`: the run followed every link it met; null while it is not known to have.
  `alter table job add column whole integer`,
  `alter table job add column author text not null default 'api';
   update job set author = 'operator' where "trigger" in ('command', 'start')`,
  "",
  "",
  // The frontier's tables are of a part of their own from here on, which versions before do not know.
  // `outcomes_at_crash`: outcomes recorded when its process was lost last; `crashes` counts those with none in between.
  "alter table job add column outcomes_at_crash integer not null default 0",
  // Runs from before were not judged: what is known of them is their state.
  `alter table job add column result text;
   alter table job add column reason text;
   update job set result = state, reason = error where state in ('finished', 'failed');
   create table job_change (
     job integer not null references job (id) on delete cascade, change text not null, count integer not null,
     primary key (job, change)
   ) strict, without rowid;
   ${CHANGE_TRIGGERS}`,
  // `waiting`: the process has it in hand, and does nothing for it until its hosts' time has come.
  "alter table job add column waiting integer not null default 0",
  // The process that works on it; null of one that is known by its beat alone.
  "alter table job add column process text",
]

/** Makes the tables of jobs, or brings them up to date. */
export function migrateJobs(db: StateStore): void {
  // First, since it goes on from where this part stands.
  migrateFrontier(db)
  migrateProcesses(db)
  migrate(db, "crawler", STEPS)
}

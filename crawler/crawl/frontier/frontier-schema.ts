import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { UNREAD_SQL } from "../../outcome-name.ts"

const OF_JOB = "references job (id) on delete cascade"
// `crawl_url.reading` and `strikes`: what is being read, and how often a process was lost over it, see suspects.ts.
// `known_address`: each source knows an address separately, since a page may belong to several.
const FIRST = `create table job_outcome (
     job integer not null ${OF_JOB}, outcome text not null, count integer not null,
     primary key (job, outcome)
   ) strict, without rowid;
   create table crawl_url (
     job integer not null ${OF_JOB},
     url text not null, host text not null, depth integer not null, priority integer not null,
     due integer not null, tries integer not null default 0,
     outcome text, detail text, found_how text, found_on text, modified_at integer, published_at integer,
     news integer not null default 0, listed_in text,
     reading integer not null default 0, strikes integer not null default 0,
     primary key (job, url)
   ) strict, without rowid;
   create index crawl_url_open on crawl_url (job, host, priority, depth, due) where outcome is null;
   create table listing (
     source text not null, url text not null, kind text not null, found_on text, named_at integer,
     etag text, last_modified text, read_at integer, primary key (source, url)
   ) strict, without rowid;
   create table page_links (
     url text not null, source text not null, links blob not null, primary key (url, source)
   ) strict, without rowid;
   create index page_links_source on page_links (source);
   create table known_address (
     url text not null, source text not null, job integer not null, outcome text not null, detail text, hash text,
     visited_at integer not null, changed_at integer, title text, status integer, leads_to text,
     depth integer not null default 1, found_how text not null default 'link', found_on text,
     first_seen integer not null default 0, etag text, last_modified text, read_as text,
     misses integer not null default 0, interval_ms integer, due_at integer not null default 0,
     listed_in text, listed_job integer, modified_at integer, published_at integer, news integer not null default 0,
     primary key (url, source)
   ) strict, without rowid;
   create index known_address_due on known_address (source, due_at);
   create index known_address_listed on known_address (listed_in, listed_job) where listed_in is not null;
   -- Pages of the index that the last visit did not find: what the end of a run judges.
   create index known_address_lost on known_address (job, url)
     where hash is not null and outcome not in ('indexed', 'unchanged');
   -- The addresses of a run by how their visits ended.
   create index known_address_job on known_address (job, outcome, url);
   -- How many pages a source has is asked for by every list of sources.
   create index known_address_held on known_address (source) where hash is not null;
   -- What searches that find nothing look through.
   create index known_address_kept_out on known_address (source, outcome, status) where hash is null`

const STEPS: readonly Step[] = [
  { sqlite: FIRST, postgres: FIRST.replaceAll(OF_JOB, "") },
  // Every search counts the pages that could not be read.
  `create index known_address_unread on known_address (source, status) where ${UNREAD_SQL}`,
  // Pages that something was noted of, such as that their answers were cut off: few, and coverage asks for them.
  `create index known_address_noted on known_address (source, job) where hash is not null and detail is not null`,
  // A MarkdownCopy as JSON.
  "alter table known_address add column copy text",
]

/** Makes the tables of what jobs have to visit, and of what sources know, or brings them up to date. */
export function migrateFrontier(db: StateStore): void {
  migrate(db, "frontier", STEPS)
}

/** In SQL for PostgreSQL: what the tables of jobs owe those of the frontier, which are made first; SQLite looks for them later. */
export const FRONTIER_OF_JOBS = ["job_outcome", "crawl_url"]
  .map((table) => `alter table ${table} add foreign key (job) ${OF_JOB}`)
  .join("; ")

import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

const OF_JOB = "references job (id) on delete cascade"
const FIRST = `create table job_outcome (
     job integer not null ${OF_JOB}, outcome text not null, count integer not null,
     primary key (job, outcome)
   ) strict, without rowid;
   create table crawl_url (
     job integer not null ${OF_JOB},
     url text not null, host text not null, depth integer not null, priority integer not null,
     due integer not null, tries integer not null default 0,
     outcome text, detail text,
     primary key (job, url)
   ) strict, without rowid;
   create index crawl_url_open on crawl_url (job, host, priority, depth, due) where outcome is null;
   create table visited_page (url text primary key, hash text not null, visited_at integer not null) strict, without rowid`

// Empty where the part `crawler`, which these tables were of, changed those of jobs.
const STEPS: readonly Step[] = [
  { sqlite: FIRST, postgres: FIRST.replaceAll(OF_JOB, "") },
  "",
  `create table known_address (
     url text primary key, source text not null, job integer not null, outcome text not null, detail text,
     hash text, visited_at integer not null, changed_at integer
   ) strict, without rowid;
   create index known_address_source on known_address (source);
   insert into known_address
     select url, '', 0, 'indexed', null, hash, visited_at, visited_at from visited_page;
   drop table visited_page`,
  `alter table known_address add column title text`,
  "",
  `alter table known_address add column status integer;
   alter table known_address add column leads_to text`,
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
   create table listing (
     source text not null, url text not null, kind text not null, found_on text, named_at integer,
     etag text, last_modified text, read_at integer, primary key (source, url)
   ) strict, without rowid`,
  `alter table crawl_url add column listed_in text`,
  // Pages of the index that the last visit did not find: what the end of a run judges.
  `create index known_address_lost on known_address (job, url)
     where hash is not null and outcome not in ('indexed', 'unchanged')`,
  `create table page_links (
     url text not null, source text not null, links blob not null, primary key (url, source)
   ) strict, without rowid;
   create index page_links_source on page_links (source)`,
  "",
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
     where hash is not null and outcome not in ('indexed', 'unchanged')`,
  // What is being read, and how often a process was lost over it: see suspects.ts.
  `alter table crawl_url add column reading integer not null default 0;
   alter table crawl_url add column strikes integer not null default 0`,
  // The addresses of a run by how their visits ended.
  "create index known_address_job on known_address (job, outcome, url)",
  // How many pages a source has is asked for by every list of sources.
  "create index known_address_held on known_address (source) where hash is not null",
  // What searches that find nothing look through.
  "create index known_address_kept_out on known_address (source, outcome, status) where hash is null",
]

/** Makes the tables of what jobs have to visit, and of what sources know, or brings them up to date. */
export function migrateFrontier(db: StateStore): void {
  migrate(db, "frontier", STEPS, { part: "crawler", version: 13 })
}

/** In SQL for PostgreSQL: what the tables of jobs owe those of the frontier, which are made first; SQLite looks for them later. */
export const FRONTIER_OF_JOBS = ["job_outcome", "crawl_url"]
  .map((table) => `alter table ${table} add foreign key (job) ${OF_JOB}`)
  .join("; ")

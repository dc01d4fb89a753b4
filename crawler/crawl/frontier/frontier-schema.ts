import type { Generated, Selectable } from "kysely"
import type { PageUrl } from "#engine"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { type OutcomeName, unreadSql } from "../../outcome-name.ts"

/** How an address was first found. `content`: in the content of a source that is not a website, such as a folder. */
export type FoundHow = "seed" | "link" | "sitemap" | "feed" | "llms" | "redirect" | "canonical" | "content"

/** `llms`: an llms.txt, a site's list of links for language models. */
export type ListingKind = "sitemap" | "feed" | "llms"

export interface FrontierTables {
  job_outcome: { job: number; outcome: OutcomeName; count: number }
  crawl_url: {
    job: number
    url: PageUrl
    /** The host, including its port. */
    host: string
    depth: number
    priority: number
    due: number
    tries: Generated<number>
    /** The outcome; `null` while the address is open. */
    outcome: OutcomeName | null
    detail: string | null
    found_how: FoundHow | null
    found_on: string | null
    modified_at: number | null
    published_at: number | null
    news: Generated<number>
    listed_in: string | null
    /** Whether a process is reading the page, and how many processes were lost while reading it: see suspects.ts. */
    reading: Generated<number>
    strikes: Generated<number>
  }
  listing: {
    source: string
    url: PageUrl
    kind: ListingKind
    found_on: string | null
    named_at: number | null
    etag: string | null
    last_modified: string | null
    read_at: number | null
  }
  page_links: { url: PageUrl; source: string; links: Uint8Array }
  /** One row per source that knows the address: a page can belong to several sources. */
  known_address: {
    url: PageUrl
    source: string
    job: number
    outcome: OutcomeName
    detail: string | null
    /** `null` unless the index contains the page. */
    hash: string | null
    visited_at: number
    changed_at: number | null
    title: string | null
    status: number | null
    leads_to: PageUrl | null
    depth: Generated<number>
    found_how: Generated<FoundHow>
    found_on: string | null
    first_seen: Generated<number>
    etag: string | null
    last_modified: string | null
    read_as: string | null
    misses: Generated<number>
    interval_ms: number | null
    due_at: Generated<number>
    listed_in: string | null
    listed_job: number | null
    modified_at: number | null
    published_at: number | null
    news: Generated<number>
    /** A `MarkdownCopy` as JSON. */
    copy: string | null
  }
}

/** Columns of a job's address. */
export type CrawlUrl<Column extends keyof FrontierTables["crawl_url"] = never> = Pick<
  Selectable<FrontierTables["crawl_url"]>,
  "job" | "url" | Column
>

const OF_JOB = "references job (id) on delete cascade"

export const FRONTIER_STEPS: readonly Step[] = [
  ({ dialect, integer, text, blob, keyed }) => {
    // PostgreSQL needs the table of jobs to exist already: see FRONTIER_OF_JOBS.
    const ofJob = dialect === "sqlite" ? OF_JOB : ""
    return `create table job_outcome (
     job ${integer} not null ${ofJob}, outcome ${text} not null, count ${integer} not null,
     primary key (job, outcome)
   ) ${keyed};
   create table crawl_url (
     job ${integer} not null ${ofJob},
     url ${text} not null, host ${text} not null, depth ${integer} not null, priority ${integer} not null,
     due ${integer} not null, tries ${integer} not null default 0,
     outcome ${text}, detail ${text}, found_how ${text}, found_on ${text}, modified_at ${integer}, published_at ${integer},
     news ${integer} not null default 0, listed_in ${text},
     reading ${integer} not null default 0, strikes ${integer} not null default 0,
     primary key (job, url)
   ) ${keyed};
   create index crawl_url_open on crawl_url (job, host, priority, depth, due) where outcome is null;
   create table listing (
     source ${text} not null, url ${text} not null, kind ${text} not null, found_on ${text}, named_at ${integer},
     etag ${text}, last_modified ${text}, read_at ${integer}, primary key (source, url)
   ) ${keyed};
   create table page_links (
     url ${text} not null, source ${text} not null, links ${blob} not null, primary key (url, source)
   ) ${keyed};
   create index page_links_source on page_links (source);
   create table known_address (
     url ${text} not null, source ${text} not null, job ${integer} not null, outcome ${text} not null, detail ${text}, hash ${text},
     visited_at ${integer} not null, changed_at ${integer}, title ${text}, status ${integer}, leads_to ${text},
     depth ${integer} not null default 1, found_how ${text} not null default 'link', found_on ${text},
     first_seen ${integer} not null default 0, etag ${text}, last_modified ${text}, read_as ${text},
     misses ${integer} not null default 0, interval_ms ${integer}, due_at ${integer} not null default 0,
     listed_in ${text}, listed_job ${integer}, modified_at ${integer}, published_at ${integer}, news ${integer} not null default 0,
     primary key (url, source)
   ) ${keyed};
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
  },
  // Every search counts the pages that could not be read.
  ({ like }) =>
    `create index known_address_unread on known_address (source, status) where ${unreadSql(like)}`,
  // Pages with a note, for example that their answers were cut off: there are few, and the coverage report queries
  // them.
  () =>
    "create index known_address_noted on known_address (source, job) where hash is not null and detail is not null",
  ({ text }) => `alter table known_address add column copy ${text}`,
]

/** Creates or updates the tables of addresses that jobs have to visit, and of addresses that sources know. */
export function migrateFrontier(db: StateStore): void {
  migrate(db, "frontier", FRONTIER_STEPS)
}

/**
 * SQL for PostgreSQL: the foreign keys from the tables of jobs to those of the frontier, which are created first.
 * SQLite resolves them later.
 */
export const FRONTIER_OF_JOBS = ["job_outcome", "crawl_url"]
  .map((table) => `alter table ${table} add foreign key (job) ${OF_JOB}`)
  .join("; ")

import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { afterAttempt, type AttemptEnd, hasComeSql } from "#crawler/webhooks/backoff.ts"

import type { JobEvent } from "./job-webhook.ts"

/** A message about a job that its receiver is to get. */
export interface JobMessage {
  /** The same for every attempt. */
  readonly id: string
  readonly job: string
  /** Whose job it is. */
  readonly key: string
  readonly event: JobEvent
  /** Of the document that it brings, among the results of the job; null: it brings none. */
  readonly place: number | null
  readonly receiver: string
  readonly createdAt: Date
}

/** How an attempt ended. */
export type JobAttempt = AttemptEnd & { readonly status: number | null }

const NOTE = (job: string, event: string, place: string) =>
  `insert into firecrawl_message (id, job_id, event, place, receiver, created_at, due_at, first_due_at)
   select 'msg_' || lower(hex(randomblob(16))), ${job}.id, ${event}, ${place}, json_extract(${job}.request, '$.webhook.url'), now, now, now
   from (select cast(unixepoch('subsec') * 1000 as integer) as now)`

const WANTS = (request: string, event: string) =>
  `exists (select 1 from json_each(${request}, '$.webhook.events') where value = ${event})`

const EVENT = "(case new.state when 'scraping' then 'started' else new.state end)"

// Noted by triggers: in the transaction that makes it so, whichever code writes it, and no kill loses any of it.
const STEPS = [
  `create table firecrawl_message (
     seq integer primary key, id text not null unique, job_id text not null, event text not null, place integer,
     receiver text not null, state text not null default 'waiting', attempts integer not null default 0,
     created_at integer not null, due_at integer, first_due_at integer not null,
     attempted_at integer, status integer, error text
   ) strict;
   create index firecrawl_message_due on firecrawl_message (due_at) where state = 'waiting';
   create index firecrawl_message_job on firecrawl_message (job_id);
   create trigger firecrawl_message_state after update of state on firecrawl_job
     when new.state <> old.state and not (new.state = 'scraping' and old.turn_at is not null)
       and ${WANTS("new.request", EVENT)}
     begin ${NOTE("new", EVENT, "null")}; end;
   create trigger firecrawl_message_page after insert on firecrawl_result
     when new.code is null and ${WANTS("(select request from firecrawl_job where id = new.job_id)", "'page'")}
     begin ${NOTE("job", "'page'", "new.place")}, firecrawl_job as job where job.id = new.job_id; end;
   create trigger firecrawl_message_over after delete on firecrawl_job
     begin delete from firecrawl_message where job_id = old.id; end`,
]

/** Messages about jobs that wait for their receivers, in `state.db`: tried again for a day, as webhooks of sources are. */
export class JobOutbox {
  readonly #sql: ReturnType<typeof prepareOnce>

  /** The tables of jobs are there: see `JobStore`. */
  constructor(db: StateStore) {
    migrate(db, "firecrawl-messages", STEPS)
    this.#sql = prepareOnce(db)
  }

  /**
   * Messages whose time has come, oldest first, at most one for each receiver, none for those that are busy.
   * @param served keys that are to have none
   */
  due(
    now: number,
    busy: ReadonlySet<string>,
    limit: number,
    served: readonly string[] = [],
  ): readonly JobMessage[] {
    return this.#sql(
      `select *, (select key_id from firecrawl_job where firecrawl_job.id = job_id) as key_id
       from firecrawl_message where ${hasComeSql("?3")} and seq in (
         select min(seq) from firecrawl_message where state = 'waiting'
         and receiver not in (select value from json_each(?1))
         and job_id not in (
           select id from firecrawl_job where key_id in (select value from json_each(?4)))
         group by receiver
       ) order by seq limit ?2`,
    )
      .all(JSON.stringify([...busy]), limit, now, JSON.stringify(served))
      .map((row) => ({
        id: String(row["id"]),
        job: String(row["job_id"]),
        key: String(row["key_id"]),
        event: row["event"] as JobEvent,
        place: row["place"] as number | null,
        receiver: String(row["receiver"]),
        createdAt: new Date(Number(row["created_at"])),
      }))
  }

  /** Keeps how an attempt ended. */
  settle(id: string, attempt: JobAttempt, now: number): void {
    const row = this.#sql("select attempts, first_due_at from firecrawl_message where id = ?").get(id)
    if (row === undefined) return
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(row, attempt, now)
    this.#sql(
      `update firecrawl_message set state = ?, attempts = ?, attempted_at = ?, due_at = ?, first_due_at = ?, status = ?, error = ?
       where id = ?`,
    ).run(state, attempts, now, dueAt, firstDueAt, attempt.status, attempt.error, id)
  }
}

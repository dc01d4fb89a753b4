import type { Clock } from "#base/clock.ts"
import { migrate, type StateStore } from "#base/store/state-store.ts"
import { dueIndex, type Message, Outbox, OUTBOX_COLUMNS } from "#base/work/outbox.ts"

import type { JobEvent } from "./job-webhook.ts"

/** A message's own part: it is about a job. */
export interface OfJob {
  readonly job: string
  readonly event: JobEvent
  /** Of the document that it brings, among the results of the job; null: it brings none. */
  readonly place: number | null
}

export type JobMessage = Message & OfJob

const NOTE = (job: string, event: string, place: string) =>
  `insert into firecrawl_message (id, key, job_id, event, place, receiver, created_at, due_at, first_due_at)
   select 'msg_' || lower(hex(randomblob(16))), ${job}.key_id, ${job}.id, ${event}, ${place},
     json_extract(${job}.request, '$.webhook.url'), now, now, now
   from (select cast(unixepoch('subsec') * 1000 as integer) as now)`

const WANTS = (request: string, event: string) =>
  `exists (select 1 from json_each(${request}, '$.webhook.events') where value = ${event})`

const EVENT = "(case new.state when 'scraping' then 'started' else new.state end)"

// Noted by triggers: in the transaction that makes it so, whichever code writes it, and no kill loses any of it.
const STEPS = [
  `create table firecrawl_message (
     ${OUTBOX_COLUMNS}, job_id text not null, event text not null, place integer
   ) strict;
   ${dueIndex("firecrawl_message")};
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

/** Messages about jobs that wait for their receivers, in `state.db`; they go with their job. */
export class JobOutbox extends Outbox<OfJob> {
  /** The tables of jobs are there: see `JobStore`. */
  constructor(db: StateStore, clock: Clock = Date.now) {
    super(db, {
      table: "firecrawl_message",
      own: (row) => ({
        job: String(row["job_id"]),
        event: row["event"] as JobEvent,
        place: row["place"] as number | null,
      }),
      inOrder: true,
      clock,
    })
    migrate(db, "firecrawl-messages", STEPS)
  }
}

import type { Clock } from "#base/clock.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { dueIndex, type Message, Outbox, outboxColumns } from "#base/work/outbox.ts"

import type { JobEvent } from "./job-webhook.ts"

/** The part of a message that describes the job's event. */
export interface OfJob {
  readonly job: string
  readonly event: JobEvent
  /** Position of the message's document among the results of the job; null if the message has no document. */
  readonly place: number | null
}

export type JobMessage = Message & OfJob

interface MessageColumns {
  job_id: string
  event: JobEvent
  place: number | null
}

// PostgreSQL before version 16 needs a name for a subquery.
const note = ({ dialect, now, randomHex }: SchemaWords, job: string, event: string, place: string) =>
  `insert into firecrawl_message (id, key, job_id, event, place, receiver, created_at, due_at, first_due_at)
   select 'msg_' || ${randomHex}, ${job}.key_id, ${job}.id, ${event}, ${place},
     json_extract(${job}.request, '$.webhook.url'), now, now, now
   from (select ${now} as now)${dialect === "sqlite" ? "" : " as moment"}`

const WANTS = (request: string, event: string) =>
  `exists (select 1 from json_each(${request}, '$.webhook.events') where value = ${event})`

const EVENT = "(case new.state when 'scraping' then 'started' else new.state end)"

// Triggers record each message in the transaction that causes it, whichever code writes it, so that no message is lost
// when the process is killed.
const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, strict, trigger } = words
    return `create table firecrawl_message (
     ${outboxColumns(words)}, job_id ${text} not null, event ${text} not null, place ${integer}
   ) ${strict};
   ${dueIndex("firecrawl_message")};
   create index firecrawl_message_job on firecrawl_message (job_id);
   ${trigger({
     name: "firecrawl_message_state",
     on: "update of state",
     table: "firecrawl_job",
     when: `new.state <> old.state and not (new.state = 'scraping' and old.turn_at is not null)
       and ${WANTS("new.request", EVENT)}`,
     does: [note(words, "new", EVENT, "null")],
   })};
   ${trigger({
     name: "firecrawl_message_page",
     on: "insert",
     table: "firecrawl_result",
     when: `new.code is null and ${WANTS("(select request from firecrawl_job where id = new.job_id)", "'page'")}`,
     does: [`${note(words, "job", "'page'", "new.place")}, firecrawl_job as job where job.id = new.job_id`],
   })};
   ${trigger({
     name: "firecrawl_message_over",
     on: "delete",
     table: "firecrawl_job",
     does: ["delete from firecrawl_message where job_id = old.id"],
   })}`
  },
]

/** Messages about jobs, waiting in `state.db` for their receivers; deleted with their job. */
export class JobOutbox extends Outbox<OfJob, MessageColumns> {
  /** The tables for jobs already exist: see `JobStore`. */
  constructor(db: StateStore, clock: Clock = Date.now) {
    super(db, {
      table: "firecrawl_message",
      own: ({ job_id: job, event, place }) => ({ job, event, place }),
      inOrder: true,
      clock,
    })
    migrate(db, "firecrawl-messages", STEPS)
  }
}

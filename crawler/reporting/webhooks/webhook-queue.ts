import type { Generated } from "kysely"
import { pageTriggers } from "../../crawl/frontier/source-pages.ts"
import { jobOverTrigger, wantsEventSql } from "../../jobs/job-in-sql.ts"
import type { Clock } from "#base/clock.ts"
import { Jobs } from "../../jobs/jobs.ts"
import type { Job } from "../../job.ts"
import type { Webhook } from "../../source.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import { dueIndex, type Message, notTaken, type NotTaken, Outbox, outboxColumns } from "#base/work/outbox.ts"
import {
  changedMessage,
  charsOf,
  finishedMessage,
  MAX_CHARS,
  MAX_PAGES,
  type PageChange,
} from "./webhook-messages.ts"

/** A message's own fields, in addition to those of every {@link Message}; its receiver is an address. */
export interface Webhooked {
  /** The source and the run that the message is about; null if it is about a backup. */
  readonly source: string | null
  readonly job: number | null
  readonly event: Webhook["events"][number]
  /** The secret as given in the source: a reference is resolved only when it is used. */
  readonly secret: string | null
  readonly body: string
}

export type Delivery = Message & Webhooked

/** The longest time that changes in an unfinished run wait to be sent together with others. */
const MAX_WAIT_MS = 10 * 60_000

interface WebhookTables {
  webhook_change: Omit<PageChange, "at"> & { seq: Generated<number>; job: number; at: number }
  webhook_finished: { job: number }
}

// Triggers record the events: each event is written in the same transaction as the change that it reports, no matter
// which module makes the change, so none is lost if a process dies in between.
const NOTE = (change: PageChange["change"]) =>
  `insert into webhook_change (job, url, change, title, hash, at)
   values (new.job, new.url, '${change}', new.title, new.hash, coalesce(new.changed_at, new.visited_at))`

const STEPS: readonly Step[] = [
  (words) => {
    const { id, text, integer, strict, ignored } = words
    const noteEnd = ignored("webhook_finished", "values (new.id)")
    return `create table webhook_change (
     seq ${id}, job ${integer} not null, url ${text} not null, change ${text} not null, title ${text}, hash ${text},
     at ${integer} not null
   ) ${strict};
   create index webhook_change_job on webhook_change (job, seq);
   create table webhook_finished (job ${id}) ${strict};
   create table webhook_delivery (
     ${outboxColumns(words)}, source ${text}, job ${integer}, event ${text} not null, secret ${text}, body ${text} not null
   ) ${strict};
   ${dueIndex("webhook_delivery")};
   ${pageTriggers(words, "webhook_page", wantsEventSql("changed", "new.job"), NOTE)};
   ${jobOverTrigger(words, "webhook_job_over", wantsEventSql("finished", "new.id"), noteEnd)}`
  },
]

/** Messages that were not accepted, by source (null: about a backup), for programs that read the store without {@link WebhookQueue}. */
export const webhooksNotTaken = (db: StateStore): Promise<NotTaken[]> =>
  notTaken(db, "webhook_delivery", "source")

/** Messages to the receivers of sources' webhooks, and recorded changes that messages are made from, in `state.db`. */
export class WebhookQueue extends Outbox<Webhooked, Webhooked> {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #jobs: Jobs
  readonly #queries: Queries<WebhookTables>

  constructor(db: StateStore, clock: Clock = Date.now) {
    super(db, { table: "webhook_delivery", own: webhookedOf, inOrder: false, clock })
    this.#db = db
    this.#queries = queriesOf(db)
    this.#clock = clock
    // Created first, because the triggers refer to its tables.
    this.#jobs = new Jobs(db, clock)
    migrate(db, "webhooks", STEPS)
  }

  /** Starts recording page changes and the ends of runs, for any process that sends them. */
  static prepare(db: StateStore): void {
    void new WebhookQueue(db)
  }

  /**
   * Makes messages from the records that are due: changes are due if there are enough for a message, their run has
   * ended, or they have been waiting for a long time; the end of a run is due after its changes.
   */
  async collect(): Promise<void> {
    const waiting = await this.#queries
      .selectFrom("webhook_change")
      .select((eb) => ["job as id", eb.fn.countAll<number>().as("n"), eb.fn.min("at").as("since")])
      .groupBy("job")
      .execute()
    for (const { id, n, since } of waiting) {
      const job = await this.#jobs.get(id)
      const isLive = job?.state === "running" || job?.state === "queued"
      const isDue = !isLive || Math.abs(this.#clock() - since) >= MAX_WAIT_MS
      const enough = isDue ? 1 : MAX_PAGES
      let left = n
      while (left >= enough) {
        const taken = await transaction(this.#db, () => this.#collectChanges(id, job))
        if (taken === 0) break
        left -= taken
      }
    }
    const finished = await this.#queries
      .selectFrom("webhook_finished")
      .select("job as id")
      .where("job", "not in", this.#queries.selectFrom("webhook_change").select("job"))
      .execute()
    for (const { id } of finished) {
      const job = await this.#jobs.get(id)
      await transaction(this.#db, async () => {
        const note = this.#queries.deleteFrom("webhook_finished").where("job", "=", id)
        const { numDeletedRows } = await note.executeTakeFirst()
        if (job && numDeletedRows > 0n)
          await this.#add(job, "finished", finishedMessage(job, new Date(this.#clock())))
      })
    }
  }

  /** Runs `work` in the caller's transaction, without reporting the page changes that it causes. */
  async untold<T>(work: () => Promise<T>): Promise<T> {
    const { told } = await this.#queries
      .selectFrom("webhook_change")
      .select((eb) => eb.fn.max<number | null>("seq").as("told"))
      .executeTakeFirstOrThrow()
    const result = await work()
    await this.#queries
      .deleteFrom("webhook_change")
      .where("seq", ">", told ?? 0)
      .execute()
    return result
  }

  /** Whether {@link collect} might find something to do. Cheap to call. */
  async hasNotes(): Promise<boolean> {
    const changes = this.#queries.selectFrom("webhook_change").select("job")
    const notes = changes.unionAll(this.#queries.selectFrom("webhook_finished").select("job"))
    return (await notes.limit(1).executeTakeFirst()) !== undefined
  }

  /** Runs in the caller's transaction. @returns how many changes went into a message; 0 if another caller has already used them */
  async #collectChanges(id: number, job: Job | null): Promise<number> {
    const changes = this.#queries.selectFrom("webhook_change").selectAll().where("job", "=", id)
    const rows = await changes.orderBy("seq").limit(MAX_PAGES).execute()
    if (rows.length === 0) return 0
    const pages: PageChange[] = []
    let chars = 0
    let last = 0
    for (const { seq, at, ...row } of rows) {
      const page: PageChange = { ...row, at: new Date(at) }
      chars += charsOf(page)
      if (pages.length > 0 && chars > MAX_CHARS) break
      pages.push(page)
      last = seq
    }
    if (job) await this.#add(job, "changed", changedMessage(job, pages, new Date(this.#clock())))
    await this.#queries.deleteFrom("webhook_change").where("job", "=", id).where("seq", "<=", last).execute()
    return pages.length
  }

  async #add(job: Job, event: Delivery["event"], body: string): Promise<void> {
    const receivers = job.source.webhooks.filter(({ events }) => events.includes(event))
    await this.tell(event, { source: job.source.name, job: job.id }, receivers, body)
  }

  /** Queues a message to receivers. `about`: the run concerned; null if the message is not about a source. */
  async tell(
    event: Delivery["event"],
    about: { readonly source: string; readonly job: number } | null,
    receivers: readonly Pick<Webhook, "url" | "secret">[],
    body: string,
  ): Promise<void> {
    const { source, job } = about ?? { source: null, job: null }
    for (const { url, secret } of receivers) await this.put(url, { source, job, event, secret, body })
  }
}

const webhookedOf = ({ source, job, event, secret, body }: Webhooked): Webhooked => ({
  source,
  job,
  event,
  secret,
  body,
})

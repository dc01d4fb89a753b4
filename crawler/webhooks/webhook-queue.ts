import { pageTriggers } from "../frontier/source-pages.ts"
import { jobOverTrigger, wantsEventSql } from "../jobs/job-in-sql.ts"
import { randomUUID } from "node:crypto"
import type { Clock } from "#base/clock.ts"
import { Jobs } from "../jobs/jobs.ts"
import type { Job } from "../job.ts"
import type { Webhook } from "../source.ts"
import { migrate, prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { afterAttempt, type DeliveryState, hasComeSql } from "./backoff.ts"
import {
  changedMessage,
  charsOf,
  finishedMessage,
  MAX_CHARS,
  MAX_PAGES,
  type PageChange,
} from "./messages.ts"
import type { Posted } from "./post.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

/** One message to one receiver. */
export interface Delivery {
  /** The same for every attempt, so that a receiver can tell what it had before. */
  readonly id: string
  /** The source and the run that it tells of; null: it tells of a backup. */
  readonly source: string | null
  readonly job: number | null
  readonly event: Webhook["events"][number]
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  /** Null once it is over. */
  readonly nextAttemptAt: Date | null
  /** Of the last answer; null when there was none. */
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** What it takes to make an attempt. */
export interface DueDelivery {
  readonly id: string
  readonly url: string
  /** As the source gives it: a reference is resolved when it is used. */
  readonly secret: string | null
  readonly body: string
}

/** For how long deliveries that are over are shown. */
const KEPT_MS = 7 * 24 * 3_600_000
/** Changes of a run that goes on wait no longer than this for others to go with. */
const MAX_WAIT_MS = 10 * 60_000

// The events are noted by triggers: they land together with what they tell of, in one transaction, whichever module
// writes it, and a process that dies in between loses none.
const NOTE = (change: PageChange["change"]) =>
  `insert into webhook_change (job, url, change, title, hash, at)
   values (new.job, new.url, '${change}', new.title, new.hash, coalesce(new.changed_at, new.visited_at))`

const STEPS = [
  `create table webhook_change (
     seq integer primary key, job integer not null, url text not null, change text not null, title text, hash text,
     at integer not null
   ) strict;
   create index webhook_change_job on webhook_change (job, seq);
   create table webhook_finished (job integer primary key) strict;
   create table webhook_delivery (
     seq integer primary key, id text not null unique, source text not null, job integer not null,
     event text not null, url text not null, secret text, body text not null,
     state text not null default 'waiting', attempts integer not null default 0,
     created_at integer not null, due_at integer, first_due_at integer not null,
     attempted_at integer, status integer, error text
   ) strict;
   create index webhook_delivery_due on webhook_delivery (due_at) where state = 'waiting';
   ${pageTriggers("webhook_page", wantsEventSql("changed", "new.job"), NOTE)}
   ${jobOverTrigger("webhook_job_over", wantsEventSql("finished", "new.id"), "insert or ignore into webhook_finished values (new.id)")}`,
]

/**
 * What is to be told to the receivers of sources' webhooks, in `state.db`.
 *
 * Each message is sent until it is taken, or given up after a day: at least once, since a process may die between the
 * receiver's answer and its record here.
 */
export class WebhookQueue {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #jobs: Jobs
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#clock = clock
    // First, since the triggers stand on its tables.
    this.#jobs = new Jobs(db, clock)
    migrate(db, "webhooks", STEPS)
  }

  /** Has page changes and ends of runs noted from now on, for whichever process sends them. */
  static prepare(db: StateStore): void {
    void new WebhookQueue(db)
  }

  /**
   * Makes messages of what was noted, as far as it is time: changes when there are enough for a message, their run is
   * over, or they have waited long; the end of a run after its changes.
   */
  collect(): void {
    const waiting = this.#prepare(
      "select job, count(*) as n, min(at) as since from webhook_change group by job",
    ).all()
    for (const row of waiting) {
      const id = Number(row["job"])
      const job = this.#jobs.get(id)
      const isLive = job?.state === "running" || job?.state === "queued"
      const isDue = !isLive || Math.abs(this.#clock() - Number(row["since"])) >= MAX_WAIT_MS
      const enough = isDue ? 1 : MAX_PAGES
      let left = Number(row["n"])
      while (left >= enough) left -= this.#collectChanges(id, job)
    }
    for (const { job: id } of this.#prepare("select job from webhook_finished").all()) {
      const job = this.#jobs.get(Number(id))
      transaction(this.#db, () => {
        this.#prepare("delete from webhook_finished where job = ?").run(id as number)
        if (job) this.#add(job, "finished", finishedMessage(job, new Date(this.#clock())))
      })
    }
  }

  /** Does work in the caller's transaction whose changes of pages nobody is to be told of. */
  untold<T>(work: () => T): T {
    const told = this.#prepare("select coalesce(max(seq), 0) as seq from webhook_change").get()?.["seq"]
    const result = work()
    this.#prepare("delete from webhook_change where seq > ?").run(Number(told))
    return result
  }

  /** Whether {@link collect} may find something to do. Cheap. */
  hasNotes(): boolean {
    const found = this.#prepare(
      "select (exists (select 1 from webhook_change) or exists (select 1 from webhook_finished)) as found",
    ).get()
    return found?.["found"] === 1
  }

  /** Messages whose time has come, oldest first, at most one for each address. */
  due(busy: ReadonlySet<string>, limit: number): DueDelivery[] {
    const found = new Map<string, DueDelivery>()
    const rows = this.#prepare(
      `select id, url, secret, body from webhook_delivery where seq in (
         select min(seq) from webhook_delivery where state = 'waiting' and ${hasComeSql("?1")}
         and url not in (select value from json_each(?2)) group by url
       ) order by seq limit ?3`,
    ).all(this.#clock(), JSON.stringify([...busy]), limit)
    for (const row of rows) {
      const url = String(row["url"])
      found.set(url, {
        id: String(row["id"]),
        url,
        secret: row["secret"] as string | null,
        body: String(row["body"]),
      })
    }
    return [...found.values()]
  }

  /** Keeps how an attempt ended. */
  settle(id: string, posted: Posted): void {
    const now = this.#clock()
    const row = this.#prepare("select attempts, first_due_at from webhook_delivery where id = ?").get(id)
    if (!row) return
    const error = posted.kind === "delivered" ? null : posted.error
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(
      row,
      posted.kind === "delivered" ? { error: null } : posted,
      now,
    )
    this.#prepare(
      `update webhook_delivery set state = ?, attempts = ?, attempted_at = ?, due_at = ?, first_due_at = ?, status = ?,
         error = ? where id = ?`,
    ).run(state, attempts, now, dueAt, firstDueAt, posted.status, error, id)
  }

  /** Has a message that is over, or waits for another attempt, sent now. @returns false when there is no such message. */
  retry(id: string): boolean {
    const now = this.#clock()
    const { changes } = this.#prepare(
      "update webhook_delivery set state = 'waiting', due_at = ?, first_due_at = ? where id = ?",
    ).run(now, now, id)
    return Number(changes) > 0
  }

  /** Newest first. */
  list({ limit, offset, state }: { limit: number; offset: number; state?: DeliveryState }): Delivery[] {
    return this.#prepare(
      "select * from webhook_delivery where ?1 is null or state = ?1 order by seq desc limit ?2 offset ?3",
    )
      .all(state ?? null, limit, offset)
      .map(toDelivery)
  }

  count(state?: DeliveryState): number {
    const row = this.#prepare(
      "select count(*) as n from webhook_delivery where ?1 is null or state = ?1",
    ).get(state ?? null)
    return Number(row?.["n"])
  }

  /** Forgets what has been over for a week. */
  prune(): void {
    this.#prepare("delete from webhook_delivery where state <> 'waiting' and attempted_at < ?").run(
      deletionTime(this.#db, this.#clock()) - KEPT_MS,
    )
  }

  #collectChanges(id: number, job: Job | null): number {
    const rows = this.#prepare("select * from webhook_change where job = ? order by seq limit ?").all(
      id,
      MAX_PAGES,
    )
    const pages: PageChange[] = []
    let chars = 0
    let last = 0
    for (const row of rows) {
      const page: PageChange = {
        change: row["change"] as PageChange["change"],
        url: String(row["url"]),
        title: row["title"] as string | null,
        hash: row["hash"] as string | null,
        at: new Date(Number(row["at"])),
      }
      chars += charsOf(page)
      if (pages.length > 0 && chars > MAX_CHARS) break
      pages.push(page)
      last = Number(row["seq"])
    }
    transaction(this.#db, () => {
      if (job) this.#add(job, "changed", changedMessage(job, pages, new Date(this.#clock())))
      this.#prepare("delete from webhook_change where job = ? and seq <= ?").run(id, last)
    })
    return pages.length
  }

  #add(job: Job, event: Delivery["event"], body: string): void {
    const receivers = job.source.webhooks.filter(({ events }) => events.includes(event))
    this.put(event, { source: job.source.name, job: job.id }, receivers, body)
  }

  /** Has a message sent to receivers. `about`: the run that it tells of; null for none of a source. */
  put(
    event: Delivery["event"],
    about: { readonly source: string; readonly job: number } | null,
    receivers: readonly Pick<Webhook, "url" | "secret">[],
    body: string,
  ): void {
    const now = this.#clock()
    const { source, job } = about ?? { source: "", job: 0 }
    const insert = this.#prepare(
      `insert into webhook_delivery (id, source, job, event, url, secret, body, created_at, due_at, first_due_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const { url, secret } of receivers) {
      insert.run(`msg_${randomUUID()}`, source, job, event, url, secret, body, now, now, now)
    }
  }
}

function toDelivery(row: Record<string, unknown>): Delivery {
  return {
    id: String(row["id"]),
    source: row["job"] === 0 ? null : String(row["source"]),
    job: row["job"] === 0 ? null : Number(row["job"]),
    event: row["event"] as Delivery["event"],
    url: String(row["url"]),
    state: row["state"] as DeliveryState,
    attempts: Number(row["attempts"]),
    createdAt: new Date(Number(row["created_at"])),
    lastAttemptAt: dateOrNull(row["attempted_at"]),
    nextAttemptAt: dateOrNull(row["due_at"]),
    lastStatus: row["status"] as number | null,
    lastError: row["error"] as string | null,
  }
}

import { randomUUID } from "node:crypto"
import type { Clock } from "#base/clock.ts"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { afterAttempt, type DeliveryState, hasComeSql } from "../webhooks/backoff.ts"
import type { MailText } from "./messages.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"

/** The table of {@link MailQueue}; alert-book.ts makes it with its own. */
export const MAIL_TABLE = `create table alert_mail (
     seq integer primary key, id text not null unique, recipient text not null, subject text not null, body text not null,
     state text not null default 'waiting', attempts integer not null default 0, created_at integer not null,
     due_at integer, first_due_at integer not null, attempted_at integer, error text
   ) strict;
   create index alert_mail_due on alert_mail (due_at) where state = 'waiting'`

/** E-mails that were not taken, by state, for those who read the store without {@link MailQueue}. */
export const MAILS_NOT_TAKEN = `select state, count(*) as n, max(error) as error from alert_mail
  where state = 'given-up' or (state = 'waiting' and attempts > 0) group by state`

/** One message to one recipient. */
export interface Mail {
  /** The same for every attempt. */
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  /** Null once it is over. */
  readonly nextAttemptAt: Date | null
  readonly lastError: string | null
}

/** What it takes to send it. */
export interface DueMail extends Pick<Mail, "id" | "recipient" | "subject" | "createdAt"> {
  readonly text: string
}

/** How an attempt ended. `final`: the server will never take it. */
export type Sent = { readonly error: null } | { readonly error: string; readonly final: boolean }

/** For how long messages that are over are shown. */
const KEPT_MS = 7 * 24 * 3_600_000

/** E-mails that wait for the mail server, in `state.db`: tried again for a day, as webhooks are. */
export class MailQueue {
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #prepare: ReturnType<typeof prepareOnce>

  /** The tables are there: see `AlertBook`. */
  constructor(db: StateStore, clock: Clock) {
    this.#db = db
    this.#clock = clock
    this.#prepare = prepareOnce(db)
  }

  /** Takes a message for each recipient, so that one who is refused costs no other theirs. */
  put(recipients: readonly string[], { subject, text }: MailText): void {
    const now = this.#clock()
    for (const recipient of recipients) {
      this.#prepare(
        `insert into alert_mail (id, recipient, subject, body, created_at, due_at, first_due_at)
         values (?, ?, ?, ?, ?, ?, ?)`,
      ).run(randomUUID(), recipient, subject, text, now, now, now)
    }
  }

  /** The oldest message whose time has come, or null. */
  due(): DueMail | null {
    const row = this.#prepare(
      `select id, recipient, subject, body, created_at from alert_mail where state = 'waiting' and ${hasComeSql("?1")}
       order by seq limit 1`,
    ).get(this.#clock())
    return row === undefined
      ? null
      : {
          id: String(row["id"]),
          recipient: String(row["recipient"]),
          subject: String(row["subject"]),
          text: String(row["body"]),
          createdAt: new Date(Number(row["created_at"])),
        }
  }

  /** Keeps how an attempt ended. */
  settle(id: string, sent: Sent): void {
    const now = this.#clock()
    const row = this.#prepare("select attempts, first_due_at from alert_mail where id = ?").get(id)
    if (!row) return
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(row, sent, now)
    this.#prepare(
      `update alert_mail set state = ?, attempts = ?, attempted_at = ?, due_at = ?, first_due_at = ?, error = ?
       where id = ?`,
    ).run(state, attempts, now, dueAt, firstDueAt, sent.error, id)
  }

  /** The newest, newest first. */
  list(limit: number): Mail[] {
    return this.#prepare("select * from alert_mail order by seq desc limit ?")
      .all(limit)
      .map((row) => ({
        id: String(row["id"]),
        recipient: String(row["recipient"]),
        subject: String(row["subject"]),
        state: row["state"] as DeliveryState,
        attempts: Number(row["attempts"]),
        createdAt: new Date(Number(row["created_at"])),
        lastAttemptAt: dateOrNull(row["attempted_at"]),
        nextAttemptAt: dateOrNull(row["due_at"]),
        lastError: row["error"] as string | null,
      }))
  }

  /** Forgets what has been over for a week. */
  prune(): void {
    this.#prepare("delete from alert_mail where state <> 'waiting' and attempted_at < ?").run(
      deletionTime(this.#db, this.#clock()) - KEPT_MS,
    )
  }
}

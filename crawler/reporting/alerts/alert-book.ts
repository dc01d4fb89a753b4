import { type Generated, sql } from "kysely"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { Clock } from "#base/clock.ts"
import { dateOrNull } from "#base/store/date-columns.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step, transaction } from "#base/store/state-store.ts"
import type { AlertConfig } from "../../alert-settings.ts"
import { backupOverTrigger, type BackupRun, BackupTable } from "../../upkeep/backup/scheduled/backup-table.ts"
import type { Job } from "../../job.ts"
import { isDeclaredRunSql, jobOverTrigger } from "../../jobs/job-in-sql.ts"
import { Jobs } from "../../jobs/jobs.ts"
import type { Webhook } from "../../source.ts"
import { webhookMessage } from "../webhooks/webhook-messages.ts"
import { WebhookQueue } from "../webhooks/webhook-queue.ts"
import { alertMessages, AlertOutbox } from "./alert-outbox.ts"
import { QUEUED_CHANNELS, type ChannelName } from "./channels/registry.ts"
import { webhook } from "./channels/webhook.ts"
import { type AlertMessage, noticeOf } from "./alert-messages.ts"

/** A source or backup whose latest runs were bad. */
export interface Alert extends Omit<AlertMessage, "type" | "at"> {
  /** When the alert was sent; null until there have been enough bad runs. */
  readonly toldAt: Date | null
}

/**
 * A failed backup is reported after a single run: its cause is on this machine, whereas a crawled site's fault may be
 * gone by the next run.
 */
const BACKUP_AFTER = 1

type About = AlertMessage["about"]

interface AlertTables {
  alert_note: { seq: Generated<number>; about: About; run: number }
  alert: {
    about: About
    name: string
    bad_runs: number
    since: number
    told_at: number | null
    run: number
    result: Alert["result"]
    reason: string | null
  }
}

type ToldAlert = Pick<AlertTables["alert"], "about" | "name" | "bad_runs" | "reason">

/** Alerts that were sent and are still open, for programs that read the store without {@link AlertBook}. */
export const toldAlerts = (db: StateStore): Promise<ToldAlert[]> =>
  queriesOf<AlertTables>(db)
    .selectFrom("alert")
    .select(["about", "name", "bad_runs", "reason"])
    .where("told_at", "is not", null)
    .execute()

const note = ({ ignored }: SchemaWords, about: About) =>
  ignored("alert_note (about, run)", `values ('${about}', new.id)`)

// Triggers record the ends of runs, as they record webhook events, in the transaction that ends the run, in any
// process.
const STEPS: readonly Step[] = [
  (words) => {
    const { id, text, integer, strict, keyed } = words
    return `create table alert_note (
     seq ${id}, about ${text} not null, run ${integer} not null, unique (about, run)
   ) ${strict};
   create table alert (
     about ${text} not null, name ${text} not null, bad_runs ${integer} not null, since ${integer} not null, told_at ${integer},
     run ${integer} not null, result ${text} not null, reason ${text}, primary key (about, name)
   ) ${keyed};
   ${alertMessages(words)};
   ${jobOverTrigger(words, "alert_job_over", isDeclaredRunSql("new"), note(words, "source"))};
   ${backupOverTrigger(words, "alert_backup_over", note(words, "backup"))}`
  },
]

/** One run that has ended. */
interface EndedRun extends Pick<AlertMessage, "about" | "name" | "run" | "result" | "reason" | "at"> {
  readonly isWell: boolean
  /** The receivers set for the source itself. */
  readonly webhooks: readonly Webhook[]
}

/** Failing sources and backups, in `state.db`. Each is reported once when it starts failing and once when it recovers. */
export class AlertBook {
  /** Waiting messages, by channel; those for webhooks are in the webhook queue. */
  readonly #outboxes = new Map<ChannelName, AlertOutbox>()
  readonly #db: StateStore
  readonly #clock: Clock
  readonly #jobs: Jobs
  readonly #backups: BackupTable
  readonly #webhooks: WebhookQueue
  readonly #queries: Queries<AlertTables>

  constructor(db: StateStore, clock: Clock = Date.now) {
    this.#db = db
    this.#clock = clock
    this.#queries = queriesOf(db)
    // Created first, because the triggers refer to its tables.
    this.#jobs = new Jobs(db, clock)
    this.#backups = new BackupTable(db, clock)
    this.#webhooks = new WebhookQueue(db, clock)
    migrate(db, "alerts", STEPS)
    for (const { name } of QUEUED_CHANNELS) this.#outboxes.set(name, new AlertOutbox(db, name, clock))
  }

  /** The messages of a channel that uses the alerts' queue. */
  outbox(channel: ChannelName): AlertOutbox {
    return this.#outboxes.get(channel)!
  }

  /** Starts recording the ends of runs, for any process that reports them. */
  static prepare(db: StateStore): void {
    void new AlertBook(db)
  }

  /** Whether {@link collect} has something to do. Cheap to call. */
  async hasNotes(): Promise<boolean> {
    const notes = this.#queries.selectFrom("alert_note").select("seq").limit(1)
    return (await notes.executeTakeFirst()) !== undefined
  }

  /** Counts the recorded runs, and queues messages that are due. */
  async collect(config: AlertConfig): Promise<void> {
    const notes = this.#queries.selectFrom("alert_note").selectAll().orderBy("seq")
    for (const { seq, about, run } of await notes.execute()) {
      await transaction(this.#db, async () => {
        const noted = this.#queries.deleteFrom("alert_note").where("seq", "=", seq)
        // Another channel or process has already counted the run.
        if ((await noted.executeTakeFirst()).numDeletedRows === 0n) return
        const ended = about === "source" ? await this.#job(run) : await this.#backup(run)
        const message = ended && (await this.#count(ended, config.alertAfter))
        if (message) await this.#tell(message, ended.webhooks, config)
      })
    }
  }

  /** Everything that is failing now, with reported alerts first. */
  async list(): Promise<Alert[]> {
    const rows = await this.#queries
      .selectFrom("alert")
      .select(["about", "name", "bad_runs as badRuns", "run", "result", "reason", "since", "told_at"])
      .orderBy(sql`told_at is null`)
      .orderBy("about")
      .orderBy("name")
      .execute()
    return rows.map(({ since, told_at, ...row }) => ({
      ...row,
      since: new Date(since),
      toldAt: dateOrNull(told_at),
    }))
  }

  /** Deletes the records of sources that are no longer declared. */
  async prune(declared: readonly string[]): Promise<void> {
    await this.#queries
      .deleteFrom("alert")
      .where("about", "=", "source")
      .where("name", "not in", listed(declared))
      .execute()
  }

  async #job(id: number): Promise<EndedRun | null> {
    const job: Job | null = await this.#jobs.get(id)
    if (!job || job.result === null) return null
    return {
      about: "source",
      name: job.source.name,
      run: id,
      result: job.result,
      reason: job.reason,
      at: job.endedAt ?? new Date(this.#clock()),
      isWell: job.result === "finished",
      webhooks: job.source.webhooks,
    }
  }

  async #backup(id: number): Promise<EndedRun | null> {
    const run: BackupRun | null = await this.#backups.get(id)
    const name = (await this.#backups.plan())?.plan.name
    if (!run || name === undefined) return null
    return {
      about: "backup",
      name,
      run: id,
      result: run.state,
      reason: run.error,
      at: run.endedAt ?? new Date(this.#clock()),
      isWell: run.state === "finished",
      webhooks: [],
    }
  }

  /** @returns the alert to send now, or null. */
  async #count(ended: EndedRun, alertAfter: number): Promise<AlertMessage | null> {
    const { about, name, run, result, reason, at } = ended
    const before = await this.#queries
      .selectFrom("alert")
      .selectAll()
      .where((eb) => eb.and({ about, name }))
      .executeTakeFirst()
    const toldAt = before?.told_at ?? null
    const wasTold = toldAt !== null
    const since = before?.since ?? at.getTime()
    const badRuns = before?.bad_runs ?? 0
    const message = { about, name, run, result, reason, at, since: new Date(since) }
    if (ended.isWell) {
      await this.#queries
        .deleteFrom("alert")
        .where((eb) => eb.and({ about, name }))
        .execute()
      return wasTold ? { type: "alert.ended", ...message, badRuns } : null
    }
    const after = alertAfter === 0 ? Infinity : about === "source" ? alertAfter : BACKUP_AFTER
    const isNews = !wasTold && badRuns + 1 >= after
    const told_at = isNews ? this.#clock() : toldAt
    const counted = { bad_runs: badRuns + 1, since, told_at, run, result, reason }
    await this.#queries
      .insertInto("alert")
      .values({ about, name, ...counted })
      .onConflict((conflict) => conflict.columns(["about", "name"]).doUpdateSet(counted))
      .execute()
    return isNews ? { type: "alert.began", ...message, badRuns: badRuns + 1 } : null
  }

  async #tell(message: AlertMessage, webhooks: readonly Webhook[], config: AlertConfig): Promise<void> {
    const notice = noticeOf(message)
    const secret = config.alertWebhookSecret === "" ? null : config.alertWebhookSecret
    const own = webhooks.filter(({ events }) => events.includes("alert"))
    const others = webhook.receivers(config).filter((url) => own.every((one) => one.url !== url))
    await this.#webhooks.tell(
      "alert",
      message.about === "source" ? { source: message.name, job: message.run } : null,
      [...own, ...others.map((url) => ({ url, secret }))],
      webhookMessage(notice.type, new Date(this.#clock()), notice.data),
    )
    for (const { name, receivers } of QUEUED_CHANNELS) await this.outbox(name).tell(receivers(config), notice)
  }
}

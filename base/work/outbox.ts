import { randomUUID } from "node:crypto"
import type { Clock } from "../clock.ts"
import { deletionTime } from "../store/clock/trusted-time.ts"
import { dateOrNull } from "../store/date-columns.ts"
import type { StateRow, StateValue } from "../store/state-port.ts"
import { prepareOnce, type StateStore } from "../store/state-store.ts"
import { whereOf } from "./bounded-log.ts"
import { afterAttempt, type Attempt, type DeliveryState, hasComeSql } from "./retries.ts"

/** One message to one receiver. */
export interface Message {
  /** The same for every attempt, so that a receiver can drop a message that it had before. */
  readonly id: string
  /** An address of the web or a mailbox. */
  readonly receiver: string
  /** The key whose message it is; null: it is the appliance's own. */
  readonly key: string | null
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

export interface OutboxOptions<Own> {
  /** Made by the room that uses it, with {@link OUTBOX_COLUMNS}, columns of its own, and {@link dueIndex}. */
  readonly table: string
  /** Reads the columns that this table has beside those of every outbox. */
  readonly own: (row: StateRow) => Own
  /** Whether a message that waits for another attempt holds up later ones to the same receiver. */
  readonly inOrder: boolean
  /** SQL: the messages that may be sent now. Default: all. */
  readonly maySend?: string
  readonly clock?: Clock
}

/** The columns of every outbox; `key` is null for the appliance's own messages. */
export const OUTBOX_COLUMNS = `seq integer primary key, id text not null unique, receiver text not null, key text,
  state text not null default 'waiting', attempts integer not null default 0, created_at integer not null, due_at integer,
  first_due_at integer not null, attempted_at integer, status integer, error text`

export const dueIndex = (table: string): string =>
  `create index ${table}_due on ${table} (due_at) where state = 'waiting'`

/** Messages that are over are shown for so long. */
const KEPT_MS = 7 * 24 * 3_600_000

/** Values of columns; undefined: any. */
type Columns = Readonly<Record<string, StateValue | undefined>>

/**
 * Messages that wait for their receivers, in a table of `state.db`. Each is sent until it is taken, or given up after a day: at least
 * once, since a process may die between the receiver's answer and its record here.
 */
export class Outbox<Own = unknown> {
  readonly #db: StateStore
  readonly #options: OutboxOptions<Own>
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #clock: Clock

  constructor(db: StateStore, options: OutboxOptions<Own>) {
    this.#db = db
    this.#options = options
    this.#sql = prepareOnce(db)
    this.#clock = options.clock ?? Date.now
  }

  /** Takes a message to be sent from now on. @param own values of the table's own columns */
  async put(
    receiver: string,
    own: Readonly<Record<string, StateValue>>,
    key: string | null = null,
  ): Promise<void> {
    const now = this.#clock()
    const times = { created_at: now, due_at: now, first_due_at: now }
    const row: Record<string, StateValue> = { id: `msg_${randomUUID()}`, receiver, key, ...times, ...own }
    const columns = Object.keys(row)
    await this.#sql(
      `insert into ${this.#options.table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    ).run(...Object.values(row))
  }

  /**
   * Messages whose time has come, oldest first, at most one for each receiver.
   * @param busy receivers that are to have none now
   * @param served keys that are to have none now
   */
  async due(
    busy: ReadonlySet<string>,
    limit: number,
    served: readonly string[] = [],
  ): Promise<(Message & Own)[]> {
    const { table, inOrder, maySend = "true" } = this.#options
    const hasCome = hasComeSql("?1")
    return (
      await this.#sql(
        `select * from ${table} where ${hasCome} and seq in (
         select min(seq) from ${table} where state = 'waiting' and ${inOrder ? "true" : hasCome} and ${maySend}
         and receiver not in (select value from json_each(?2))
         and (key is null or key not in (select value from json_each(?3))) group by receiver
       ) order by seq limit ?4`,
      ).all(this.#clock(), JSON.stringify([...busy]), JSON.stringify(served), limit)
    ).map((row) => this.#message(row))
  }

  /** Keeps how an attempt ended. */
  async settle(id: string, attempt: Attempt): Promise<void> {
    const { table } = this.#options
    const now = this.#clock()
    const row = await this.#sql(`select attempts, first_due_at from ${table} where id = ?`).get(id)
    if (row === undefined) return
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(row, attempt, now)
    await this.#sql(
      `update ${table} set state = ?, attempts = ?, attempted_at = ?, due_at = ?, first_due_at = ?, status = ?, error = ?
       where id = ?`,
    ).run(state, attempts, now, dueAt, firstDueAt, attempt.status, attempt.error, id)
  }

  /** Has a message that is over, or waits for another attempt, sent now. @returns false when there is no such message. */
  async retry(id: string): Promise<boolean> {
    const now = this.#clock()
    const { changes } = await this.#sql(
      `update ${this.#options.table} set state = 'waiting', due_at = ?, first_due_at = ? where id = ?`,
    ).run(now, now, id)
    return Number(changes) > 0
  }

  /** Newest first. */
  async list(
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
    columns: Columns = {},
  ): Promise<(Message & Own)[]> {
    const { where, values } = conditionOf(columns)
    return (
      await this.#sql(
        `select * from ${this.#options.table} where ${where} order by seq desc limit ? offset ?`,
      ).all(...values, limit, offset)
    ).map((row) => this.#message(row))
  }

  async count(columns: Columns = {}): Promise<number> {
    const { where, values } = conditionOf(columns)
    const row = await this.#sql(`select count(*) as n from ${this.#options.table} where ${where}`).get(
      ...values,
    )
    return Number(row!["n"])
  }

  /** Forgets messages that have been over for a week. */
  async prune(): Promise<void> {
    await this.#sql(`delete from ${this.#options.table} where state <> 'waiting' and attempted_at < ?`).run(
      (await deletionTime(this.#db, this.#clock())) - KEPT_MS,
    )
  }

  #message(row: StateRow): Message & Own {
    return {
      id: String(row["id"]),
      receiver: String(row["receiver"]),
      key: row["key"] as string | null,
      state: row["state"] as DeliveryState,
      attempts: Number(row["attempts"]),
      createdAt: new Date(Number(row["created_at"])),
      lastAttemptAt: dateOrNull(row["attempted_at"]),
      nextAttemptAt: dateOrNull(row["due_at"]),
      lastStatus: row["status"] as number | null,
      lastError: row["error"] as string | null,
      ...this.#options.own(row),
    }
  }
}

const conditionOf = (columns: Columns) =>
  whereOf(
    Object.entries(columns).flatMap(([column, value]) =>
      value === undefined ? [] : [[`${column} = ?`, value] as const],
    ),
  )

import { randomUUID } from "node:crypto"
import {
  type Expression,
  expressionBuilder,
  type Generated,
  type Insertable,
  type Selectable,
  sql,
  type SqlBool,
} from "kysely"
import type { Clock } from "../clock.ts"
import { deletionTime } from "../store/clock/trusted-time.ts"
import { dateOrNull } from "../store/date-columns.ts"
import { type Queries, queriesOf } from "../store/query/queries.ts"
import type { SchemaWords } from "../store/query/schema-words.ts"
import { listed } from "../store/query/words.ts"
import type { QueriedStore, StateRow, StateValue } from "../store/state-port.ts"
import type { StateStore } from "../store/state-store.ts"
import { afterAttempt, type Attempt, type DeliveryState, GIVE_UP_MS } from "./retries.ts"

/** One message to one receiver. */
export interface Message {
  /** The same for every attempt, so that a receiver can drop a message that it has already received. */
  readonly id: string
  /** A web address or a mailbox. */
  readonly receiver: string
  /** The key that the message belongs to; `null` if it is a message of the appliance itself. */
  readonly key: string | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  /** When the next attempt is due; `null` once the message has been delivered or abandoned. */
  readonly nextAttemptAt: Date | null
  /** Status of the last answer; null when there was none. */
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** The columns of every outbox. */
interface OutboxRow {
  seq: Generated<number>
  id: string
  receiver: string
  /** `null` for the appliance's own messages. */
  key: string | null
  state: Generated<DeliveryState>
  attempts: Generated<number>
  created_at: number
  due_at: number | null
  first_due_at: number
  attempted_at: number | null
  status: number | null
  error: string | null
}

interface Outboxes {
  outbox: OutboxRow
}

export interface OutboxOptions<Own, Columns extends object> {
  /** Name of a table that the module using it creates with {@link outboxColumns}, its own columns, and {@link dueIndex}. */
  readonly table: string
  /** Reads the columns that this table has in addition to those of every outbox. */
  readonly own: (row: Selectable<Columns>) => Own
  /** Whether a message waiting for another attempt holds up later ones to the same receiver. */
  readonly inOrder: boolean
  /** A condition on a message's columns that must hold for the message to be sent now. Default: all messages may be sent. */
  readonly maySend?: Expression<SqlBool>
  readonly clock?: Clock
}

/** The columns of every outbox, for `create table`. */
export const outboxColumns = ({ id, text, integer }: SchemaWords): string =>
  `seq ${id}, id ${text} not null unique, receiver ${text} not null, key ${text},
  state ${text} not null default 'waiting', attempts ${integer} not null default 0, created_at ${integer} not null, due_at ${integer},
  first_due_at ${integer} not null, attempted_at ${integer}, status ${integer}, error ${text}`

export const dueIndex = (table: string): string =>
  `create index ${table}_due on ${table} (due_at) where state = 'waiting'`

/** Number of messages that were abandoned, or that failed and are waiting for another attempt. */
export interface NotTaken {
  readonly of: string | null
  readonly state: DeliveryState
  readonly n: number
  /** The last error of one of them. */
  readonly error: string | null
}

/**
 * Counts the undelivered messages of a table, for programs that read the store without {@link Outbox}.
 * @param by one of the table's own columns to group by
 */
export async function notTaken(db: QueriedStore, table: string, by: string): Promise<NotTaken[]> {
  return await queriesOf<Outboxes>(db)
    .selectFrom(table as "outbox")
    .select((eb) => [
      sql.ref<string | null>(by).as("of"),
      "state",
      eb.fn.countAll<number>().as("n"),
      eb.fn.max("error").as("error"),
    ])
    .where((eb) =>
      eb.or([eb("state", "=", "given-up"), eb.and([eb("state", "=", WAITING), eb("attempts", ">", 0)])]),
    )
    .groupBy([sql.ref(by), "state"])
    .execute()
}

/** How long finished messages are shown. */
const KEPT_MS = 7 * 24 * 3_600_000

/** Values that columns must have; undefined matches any value. */
type Values = Readonly<Record<string, StateValue | undefined>>

/** This value is written into the SQL text, so that the statement can use {@link dueIndex}. */
const WAITING = sql.lit("waiting" as const)

/**
 * Messages waiting for their receivers, in a table of `state.db`. Each is sent until it is accepted, or abandoned after
 * a day. Delivery is at least once, since a process may die after the receiver answers and before the answer is
 * recorded here.
 *
 * @typeParam Columns the columns that the table has in addition to those of every outbox
 */
export class Outbox<Own = unknown, Columns extends object = StateRow> {
  readonly #db: StateStore
  readonly #options: OutboxOptions<Own, Columns>
  readonly #queries: Queries<Outboxes>
  readonly #table: "outbox"
  readonly #clock: Clock

  constructor(db: StateStore, options: OutboxOptions<Own, Columns>) {
    this.#db = db
    this.#options = options
    this.#queries = queriesOf(db)
    this.#table = options.table as "outbox"
    this.#clock = options.clock ?? Date.now
  }

  /** Adds a message that is due immediately. @param own values of the table's own columns */
  async put(receiver: string, own: Insertable<Columns>, key: string | null = null): Promise<void> {
    const now = this.#clock()
    const times = { created_at: now, due_at: now, first_due_at: now }
    await this.#queries
      .insertInto(this.#table)
      .values({ id: `msg_${randomUUID()}`, receiver, key, ...times, ...own })
      .execute()
  }

  /**
   * Due messages, oldest first, at most one for each receiver.
   * @param busy receivers that must not get a message now
   * @param served keys whose messages must not be sent now
   */
  async due(
    busy: ReadonlySet<string>,
    limit: number,
    served: readonly string[] = [],
  ): Promise<(Message & Own)[]> {
    const { inOrder, maySend } = this.#options
    const now = this.#clock()
    let first = this.#queries
      .selectFrom(this.#table)
      .select((eb) => eb.fn.min("seq").as("seq"))
      .where("state", "=", WAITING)
      .where("receiver", "not in", listed(busy))
      .where((eb) => eb.or([eb("key", "is", null), eb("key", "not in", listed(served))]))
      .groupBy("receiver")
    if (!inOrder) first = first.where(hasCome(now))
    if (maySend !== undefined) first = first.where(maySend)
    const rows = await this.#queries
      .selectFrom(this.#table)
      .selectAll()
      .where(hasCome(now))
      .where("seq", "in", first)
      .orderBy("seq")
      .limit(limit)
      .execute()
    return rows.map((row) => this.#message(row))
  }

  /** Records the result of an attempt. */
  async settle(id: string, attempt: Attempt): Promise<void> {
    const now = this.#clock()
    const row = await this.#queries
      .selectFrom(this.#table)
      .select(["attempts", "first_due_at"])
      .where("id", "=", id)
      .executeTakeFirst()
    if (row === undefined) return
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(row, attempt, now)
    const { status, error } = attempt
    await this.#queries
      .updateTable(this.#table)
      .set({ state, attempts, attempted_at: now, due_at: dueAt, first_due_at: firstDueAt, status, error })
      .where("id", "=", id)
      .execute()
  }

  /** Makes a message due now, even if it was delivered or abandoned, or is waiting for another attempt. @returns false if there is no such message. */
  async retry(id: string): Promise<boolean> {
    const now = this.#clock()
    const { numUpdatedRows } = await this.#queries
      .updateTable(this.#table)
      .set({ state: "waiting", due_at: now, first_due_at: now })
      .where("id", "=", id)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Lists messages, newest first. */
  async list(
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
    values: Values = {},
  ): Promise<(Message & Own)[]> {
    const rows = await this.#queries
      .selectFrom(this.#table)
      .selectAll()
      .where(haveValues(values))
      .orderBy("seq", "desc")
      .limit(limit)
      .offset(offset)
      .execute()
    return rows.map((row) => this.#message(row))
  }

  async count(values: Values = {}): Promise<number> {
    const { n } = await this.#queries
      .selectFrom(this.#table)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where(haveValues(values))
      .executeTakeFirstOrThrow()
    return n
  }

  /** Deletes messages that were delivered or abandoned more than a week ago. */
  async prune(): Promise<void> {
    const time = (await deletionTime(this.#db, this.#clock())) - KEPT_MS
    await this.#queries
      .deleteFrom(this.#table)
      .where("state", "<>", WAITING)
      .where("attempted_at", "<", time)
      .execute()
  }

  #message(row: Selectable<OutboxRow>): Message & Own {
    return {
      id: row.id,
      receiver: row.receiver,
      key: row.key,
      state: row.state,
      attempts: row.attempts,
      createdAt: new Date(row.created_at),
      lastAttemptAt: dateOrNull(row.attempted_at),
      nextAttemptAt: dateOrNull(row.due_at),
      lastStatus: row.status,
      lastError: row.error,
      ...this.#options.own(row as object as Selectable<Columns>),
    }
  }
}

/** Whether a message is due. A message that is due later than any pause allows was postponed while the clock was ahead. */
const hasCome = (now: number) => {
  const eb = expressionBuilder<Outboxes, "outbox">()
  return eb.or([eb("due_at", "<=", now), eb("due_at", ">", now + GIVE_UP_MS)])
}

const haveValues = (values: Values) => {
  const eb = expressionBuilder<{ outbox: Record<string, StateValue> }, "outbox">()
  return eb.and(
    Object.entries(values).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column, "=", value)],
    ),
  )
}

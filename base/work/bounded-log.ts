import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Selectable,
  sql,
  type SqlBool,
} from "kysely"
import { type Queries, queriesOf } from "../store/query/queries.ts"
import type { StateStore, StateValue } from "../store/state-port.ts"

/** A table of rows that are added in order of time. */
export interface LogTable<Row> {
  readonly table: string
  /** Column with the owner of a row. */
  readonly owner: keyof Row & string
  /** Columns that identify a row. Default: `id`. */
  readonly id?: readonly (keyof Row & string)[]
  /** Column with the time of a row, in milliseconds since 1970. Default: `at`. */
  readonly time?: keyof Row & string
  /** Column that defines the order of rows. Default: the time. */
  readonly order?: keyof Row & string
  /** Default: as many rows as there is room for. */
  readonly shares?: LogShares
}

/** Maximum number of rows kept. */
export interface LogShares {
  readonly most: number
  /** Maximum number of rows per owner. */
  readonly mostOfOne: number
  /** Number of rows that a process writes before it counts the log's rows again. */
  readonly countEvery: number
}

/** Conditions that rows must meet. Column names are not qualified by a table. */
export type LogFilter<Row> = (eb: ExpressionBuilder<{ log: Row }, "log">) => readonly Expression<SqlBool>[]

/** The columns of any log table, under the name `log`. */
interface Logs {
  log: Record<string, StateValue>
}

/**
 * The rows of a log: listed newest first, and deleted oldest first when they are too old or newer rows need their
 * space. One owner's rows never push out those of owners with fewer rows. Writes must run in the caller's transaction.
 *
 * @typeParam Row the columns of the table
 */
export class BoundedLog<Row> {
  readonly #queries: Queries<Logs>
  readonly #log: {
    readonly table: "log"
    readonly owner: string
    readonly id: readonly string[]
    readonly time: string
    readonly order: string
    readonly shares: LogShares | undefined
  }
  #written = 0

  constructor(
    db: StateStore,
    { table, owner, id, time = "at" as never, order = time, shares }: LogTable<Row>,
  ) {
    this.#queries = queriesOf<Logs>(db)
    this.#log = { table: table as "log", owner, id: id ?? ["id"], time, order, shares }
  }

  /** Lists rows, newest first. */
  async list(
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
    filter?: LogFilter<Row>,
  ): Promise<Selectable<Row>[]> {
    const { table, id, order } = this.#log
    let query = this.#queries.selectFrom(table).selectAll().where(whereOf(filter)).orderBy(order, "desc")
    for (const column of id) query = query.orderBy(column, "desc")
    return (await query.limit(limit).offset(offset).execute()) as Selectable<Row>[]
  }

  async count(filter?: LogFilter<Row>): Promise<number> {
    const { n } = await this.#queries
      .selectFrom(this.#log.table)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where(whereOf(filter))
      .executeTakeFirstOrThrow()
    return n
  }

  /** Deletes up to `count` rows from before `time`. @returns the number of rows deleted */
  readonly prune = (time: number, count: number): Promise<number> =>
    this.#drop(this.#log.time, "<", time, count)

  /** Deletes the oldest `count` rows of an owner. */
  readonly dropOldest = async (owner: string, count: number): Promise<void> => {
    await this.#drop(this.#log.owner, "=", owner, count)
  }

  /**
   * Call this after writing rows. On the first call, and whenever enough rows have been added, writers with more than
   * their share lose their oldest rows.
   */
  async wrote(rows = 1): Promise<void> {
    const { shares } = this.#log
    if (shares === undefined) return
    if (this.#written === 0) await this.#keepShares(shares)
    this.#written = this.#written + rows >= shares.countEvery ? 0 : this.#written + rows
  }

  async #drop(column: string, operator: "<" | "=", value: number | string, count: number): Promise<number> {
    const { table, id, order } = this.#log
    const oldest = this.#queries
      .selectFrom(table)
      .select([...id])
      .where(column, operator, value)
      .orderBy(order)
      .limit(count)
    const { numDeletedRows } = await this.#queries
      .deleteFrom(table)
      .where(sql<SqlBool>`(${sql.join(id.map((one) => sql.ref(one)))}) in ${oldest}`)
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  async #keepShares({ most, mostOfOne }: LogShares): Promise<void> {
    const { table, owner } = this.#log
    const held = await this.#queries
      .selectFrom(table)
      .select((eb) => [eb.ref(owner).$castTo<string>().as("whose"), eb.fn.countAll<number>().as("rows")])
      .groupBy(owner)
      .execute()
    const level = fairLevel(
      held.map(({ rows }) => rows),
      most,
      mostOfOne,
    )
    for (const { whose, rows } of held) if (rows > level) await this.dropOldest(whose, rows - level)
  }
}

/** The condition of a {@link LogFilter}, for queries other than {@link BoundedLog.list}. */
export function whereOf<Row>(filter: LogFilter<Row> = () => []): Expression<SqlBool> {
  const eb = expressionBuilder<{ log: Row }, "log">()
  return eb.and([...filter(eb)])
}

/** Number of rows that each writer may keep, at least one: the highest number for which the total stays within `most`. */
export function fairLevel(counts: readonly number[], most: number, mostOfOne: number): number {
  let left = most
  const ascending = counts.map((count) => Math.min(count, mostOfOne)).toSorted((a, b) => a - b)
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at))
    if (count > share) return Math.max(1, share)
    left -= count
  }
  return mostOfOne
}

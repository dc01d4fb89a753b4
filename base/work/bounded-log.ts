import type { StateRow, StateValue } from "../store/state-port.ts"
import type { prepareOnce } from "../store/state-store.ts"

/** A table of rows that come in the order of their time. */
export interface LogTable {
  readonly table: string
  /** Column that says whose a row is. */
  readonly owner: string
  /** Columns that name a row. Default `id`. */
  readonly id?: string
  /** Milliseconds since 1970 of a row. Default `at`. */
  readonly time?: string
  /** Column that rows are in order by. Default the time. */
  readonly order?: string
  /** Default: as many rows as there is room for. */
  readonly shares?: LogShares
}

/** How many rows are kept. */
export interface LogShares {
  readonly most: number
  /** Rows of one owner. */
  readonly mostOfOne: number
  /** Written rows after which a process counts again. */
  readonly countEvery: number
}

/** Conditions in SQL that rows must meet, each with the values of its `?`. */
export type LogFilter = readonly (readonly [sql: string, ...values: StateValue[]])[]

/**
 * The rows of a log: listed newest first, and deleted oldest first when they are old or newer ones need their room. One owner's rows
 * never push out those of owners with fewer. Writes belong into the caller's transaction.
 */
export class BoundedLog {
  readonly #sql: ReturnType<typeof prepareOnce>
  readonly #log: LogTable & Required<Pick<LogTable, "id" | "time" | "order">>
  #written = 0

  constructor(
    sql: ReturnType<typeof prepareOnce>,
    { id = "id", time = "at", order = time, ...log }: LogTable,
  ) {
    this.#sql = sql
    this.#log = { ...log, id, time, order }
  }

  /** Newest first. */
  async list(
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
    filter: LogFilter = [],
  ): Promise<StateRow[]> {
    const { table, id, order } = this.#log
    const { where, values } = whereOf(filter)
    return await this.#sql(
      `select * from ${table} where ${where} order by ${order} desc, ${id.replaceAll(",", " desc,")} desc limit ? offset ?`,
    ).all(...values, limit, offset)
  }

  async count(filter: LogFilter = []): Promise<number> {
    const { where, values } = whereOf(filter)
    return Number(
      (await this.#sql(`select count(*) as n from ${this.#log.table} where ${where}`).get(...values))!["n"],
    )
  }

  /** Deletes up to `count` rows from before `time`. @returns how many there were */
  readonly prune = (time: number, count: number): Promise<number> =>
    this.#drop(`${this.#log.time} < ?`, time, count)

  /** Deletes the oldest `count` rows of an owner. */
  readonly dropOldest = async (owner: string, count: number): Promise<void> => {
    await this.#drop(`${this.#log.owner} = ?`, owner, count)
  }

  /** Rows were written: with the first, and whenever there are enough since, whoever has more than a share loses the oldest. */
  async wrote(rows = 1): Promise<void> {
    const { shares } = this.#log
    if (shares === undefined) return
    if (this.#written === 0) await this.#keepShares(shares)
    this.#written = this.#written + rows >= shares.countEvery ? 0 : this.#written + rows
  }

  async #drop(condition: string, value: StateValue, count: number): Promise<number> {
    const { table, id, order } = this.#log
    const { changes } = await this.#sql(
      `delete from ${table} where (${id}) in (select ${id} from ${table} where ${condition} order by ${order} limit ?)`,
    ).run(value, count)
    return Number(changes)
  }

  async #keepShares({ most, mostOfOne }: LogShares): Promise<void> {
    const { table, owner } = this.#log
    const held = (
      await this.#sql(`select ${owner} as owner, count(*) as n from ${table} group by ${owner}`).all()
    ).map((row) => ({ whose: String(row["owner"]), rows: Number(row["n"]) }))
    const level = fairLevel(
      held.map(({ rows }) => rows),
      most,
      mostOfOne,
    )
    for (const { whose, rows } of held) if (rows > level) await this.dropOldest(whose, rows - level)
  }
}

/** The condition of a statement that lists other rows than {@link BoundedLog.list} does. */
export const whereOf = (filter: LogFilter): { readonly where: string; readonly values: StateValue[] } => ({
  where: ["true", ...filter.map(([sql]) => sql)].join(" and "),
  values: filter.flatMap(([, ...values]) => values),
})

/** How many rows each may keep, at least one: the most that lets all together have no more than `most`. */
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

import { sql } from "kysely"
import { queriesOf } from "../query/queries.ts"
import { hasTable } from "./tables.ts"
import { type StateStore, transaction } from "../state-store.ts"

/** Counts that triggers maintain: SQL for both stores that reads them and recomputes them. */
export interface Count {
  /** The table whose rows are counted. */
  readonly of: string
  /** SQL: the rows with the current counts. */
  readonly is: string
  /** SQL: the same rows, recomputed. */
  readonly should: string
  /** SQL that corrects the current counts. */
  readonly mend: string
}

/** Number of wrong counts; 0 if nothing that these counts cover was ever stored. */
export async function miscounted(db: StateStore, { of, is, should }: Count): Promise<number> {
  if (!(await hasTable(db, of))) return 0
  const [now, anew] = [
    sql`select * from (${sql.raw(is)}) as rows_now`,
    sql`select * from (${sql.raw(should)}) as rows_anew`,
  ]
  const differ = sql`select * from (${now} except ${anew}) as gone union all select * from (${anew} except ${now}) as missing`
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${differ}) as differing`.execute(
    queriesOf(db),
  )
  return rows[0]!.n
}

/** Recomputes the counts. */
export async function recount(db: StateStore, { mend }: Count): Promise<void> {
  await transaction(db, () => db.script(mend))
}

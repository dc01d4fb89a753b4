import { hasTable } from "./tables.ts"
import { type StateStore, transaction } from "../state-store.ts"

/** Numbers that triggers keep, so that nobody has to count: what they are, and what they should be. */
export interface Count {
  /** The table whose rows are counted. */
  readonly of: string
  /** SQL: the rows with counts as they are. */
  readonly is: string
  /** SQL: the same rows, counted anew. */
  readonly should: string
  /** SQL that makes the first what the second is. */
  readonly mend: string
}

/** How many counts are not what was counted; 0 when nothing of this was ever stored. */
export async function miscounted(db: StateStore, { of, is, should }: Count): Promise<number> {
  if (!(await hasTable(db, of))) return 0
  const differ = `select * from (select * from (${is}) except select * from (${should}))
    union all select * from (select * from (${should}) except select * from (${is}))`
  return Number((await db.prepare(`select count(*) as n from (${differ})`).get())!["n"])
}

/** Counts anew. */
export async function recount(db: StateStore, { mend }: Count): Promise<void> {
  await transaction(db, () => db.exec(mend))
}

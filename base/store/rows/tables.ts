import { sql } from "kysely"
import { inWordsOf } from "../query/words.ts"
import { queriesOf } from "../query/queries.ts"
import type { QueriedStore } from "../state-port.ts"

/** Whether a table exists: the first part that opens the store might find that another part's tables do not exist yet. */
export async function hasTable(db: QueriedStore, name: string): Promise<boolean> {
  const found = inWordsOf({
    sqlite: sql`select 1 from sqlite_master where type = 'table' and name = ${name}`,
    postgres: sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${name}`,
  })
  return (await sql`${found}`.execute(queriesOf(db))).rows.length > 0
}

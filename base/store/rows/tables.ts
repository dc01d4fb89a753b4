import { PostgresStore } from "../postgres/postgres-store.ts"
import type { StateStore } from "../state-port.ts"

/** Whether a table is there: who opens the store first may find none of another part. */
export const hasTable = async (db: Pick<StateStore, "prepare">, name: string): Promise<boolean> =>
  (db instanceof PostgresStore
    ? await db
        .prepare("select 1 from pg_tables where schemaname = current_schema() and tablename = ?")
        .get(name)
    : await db.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name)) !==
  undefined

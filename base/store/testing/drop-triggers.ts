import { isOnServer, type StateStore } from "../state-store.ts"

/** Drops the triggers whose names and tables begin with `prefix`, as in a state of a version that had none. */
export function dropTriggers(db: StateStore, prefix: string): void {
  const isServer = isOnServer(db)
  const triggers = db
    .prepare(
      isServer
        ? `select tgname as name, relname as of from pg_trigger join pg_class on pg_class.oid = tgrelid
           where relnamespace = current_schema()::regnamespace and relname like ?1 and tgname like ?1 and not tgisinternal`
        : "select name, tbl_name as of from sqlite_master where type = 'trigger' and tbl_name like ?1 and name like ?1",
    )
    .all(`${prefix}%`)
  for (const { name, of } of triggers)
    db.exec(`drop trigger ${String(name)}${isServer ? ` on ${String(of)}` : ""}`)
}

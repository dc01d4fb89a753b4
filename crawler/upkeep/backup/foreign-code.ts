import { DatabaseSync } from "node:sqlite"
import { queriesOf } from "#base/store/query/queries.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { SCHEMA_VERSION } from "#base/store/state-store.ts"
import type { StateStore } from "#base/store/state-port.ts"
import { TRUSTED_TIME_STEPS } from "#base/store/clock/trusted-time.ts"
import { migrate } from "#base/store/state-store.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { SourceTable } from "../../sources/source-table.ts"
import { WebhookQueue } from "../../reporting/webhooks/webhook-queue.ts"

/** Opens parts of a state, which creates their tables and triggers. */
export type OpenParts = (db: StateStore) => void

export const openCrawlerParts: OpenParts = (db) => {
  void new SourceTable(db, new Jobs(db))
  void new WebhookQueue(db)
}

/**
 * Removes from a state foreign code that would run automatically: triggers, views and virtual tables that aren't ours.
 * A file that others were able to write to might contain a trigger that gives them a key again long after they lost it.
 * A trigger with one of our names but a different text is replaced with ours.
 *
 * @param file a `state.db` that no process has open
 * @param open the parts whose triggers may be in it
 * @returns the names of the removed and replaced objects
 */
export async function removeForeignCode(file: string, open: OpenParts): Promise<readonly string[]> {
  const ours = await triggersOf(open)
  using db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec("pragma trusted_schema = off")
  const foreign = db
    .prepare(
      `select type, name, tbl_name, sql from sqlite_master
       where type in ('trigger', 'view') or (type = 'table' and sql like 'create virtual%')`,
    )
    .all()
    .filter(({ type, name, sql }) => type !== "trigger" || !isSame(ours.get(String(name)), String(sql)))
  for (const { type, name } of foreign) {
    const quoted = `"${String(name).replaceAll('"', '""')}"`
    db.exec(`drop ${String(type)} if exists ${quoted}`)
    const own = type === "trigger" ? ours.get(String(name)) : undefined
    if (own !== undefined) db.exec(own)
  }
  return foreign.map(({ name }) => String(name))
}

/** White space is ignored because versions of Fossick differ in how much of it their statements contain. */
const isSame = (own: string | undefined, sql: string): boolean =>
  own?.replaceAll(/\s+/g, " ") === sql.replaceAll(/\s+/g, " ")

/** The triggers that our code creates, by name, as SQLite stores them. */
async function triggersOf(open: OpenParts): Promise<ReadonlyMap<string, string>> {
  using db = new SqliteStore(new DatabaseSync(":memory:"))
  await db.script(SCHEMA_VERSION)
  migrate(db, "trusted-time", TRUSTED_TIME_STEPS)
  open(db)
  const triggers = queriesOf<{ sqlite_master: { type: string; name: string; sql: string } }>(db)
    .selectFrom("sqlite_master")
    .select(["name", "sql"])
    .where("type", "=", "trigger")
  return new Map((await triggers.execute()).map(({ name, sql }) => [name, sql]))
}

import { createHash } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"

import { sql } from "kysely"
import { queriesOf } from "../query/queries.ts"
import { hasTable } from "../rows/tables.ts"
import { beginMove } from "../state-generation.ts"
import { migrateAs, OF_A_NEW_FILE, SCHEMA_VERSION, transaction } from "../state-store.ts"
import { SqliteStore } from "../sqlite/sqlite-store.ts"
import type { StateRow, StateStore } from "../state-port.ts"
import { PostgresStore, type StepTables } from "./postgres-store.ts"

// Copies the state from one kind of store to the other. The copy is read back and compared before it is accepted.

/** Everything is copied in one step: with several steps, each change by another process would restart the copy. Writers do not have to wait for it. */
const ALL_PAGES = 0x7fffffff
/** Number of rows written in one statement. */
const AT_ONCE = 100

/** A table that was copied. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** Combined SHA-256 digests of all rows, regardless of their order. */
  readonly digest: string
}

/** A table, an index or a trigger of an SQLite file, without rows. */
interface Definition {
  readonly name: string
  readonly type: "table" | "index" | "trigger"
  readonly sql: string
}

/** Writes a snapshot of the state into a new SQLite file while other processes continue to write to the state. */
export async function copyState(db: StateStore, file: string): Promise<void> {
  if (db instanceof PostgresStore) await copyToFile(db, file)
  else await backup((db as SqliteStore).file, file, { rate: ALL_PAGES })
}

/** @throws Error when the copy differs from the original */
export async function copyToFile(from: PostgresStore, file: string): Promise<CopiedTable[]> {
  // The file is created here, since SQLite would create one that everybody can read.
  closeSync(openSync(file, "wx", 0o600))
  using to = new SqliteStore(new DatabaseSync(file, { enableForeignKeyConstraints: false }))
  await to.script(OF_A_NEW_FILE)
  return await from.snapshot(
    async () =>
      await transaction(to, async () => {
        await to.script(SCHEMA_VERSION)
        const steps = queriesOf<StepTables>(from).selectFrom("schema_step").select("sql").orderBy("id")
        for (const { sql: step } of await steps.execute()) await to.script(step)
        const made = definitionsOf(to.file)
        const triggers = made.filter(({ type }) => type === "trigger")
        for (const { name } of triggers) await to.script(`drop trigger "${name}"`)
        const tables = made.filter(({ type }) => type === "table")
        // Some steps insert rows into the tables that they create.
        for (const { name } of tables) await to.script(`delete from "${name}"`)
        const copied: CopiedTable[] = []
        for (const { name } of tables) copied.push(await copyTable(from, to, name, columnsOf(to.file, name)))
        for (const trigger of triggers) await to.script(trigger.sql)
        return copied
      }),
  )
}

/**
 * Makes each part create its tables on a server, and copies all rows into them. A copy that fails leaves empty tables,
 * which Fossick refuses to open, and can be tried again.
 *
 * @param open opens every part that may be in the state
 * @throws Error if the schema already holds a state, or the copy differs from the original
 */
export async function copyToServer(
  from: SqliteStore,
  to: PostgresStore,
  open: (db: StateStore) => void,
): Promise<CopiedTable[]> {
  if (!(await beginMove(to))) throw new Error("That schema already contains a state.")
  await migrateAs(to, from, open)
  return await transaction(to, async () => {
    const tables = definitionsOf(from.file)
      .filter(({ type }) => type === "table")
      .map(({ name }) => name)
    for (const name of tables)
      if (!(await hasTable(to, name))) throw new Error(`This version of Fossick has no table ${name}.`)
    // Some steps insert rows into the tables that they create.
    await to.script(`truncate ${tables.map((name) => `"${name}"`).join(", ")}`)
    return await withoutReactions(to, tables, async () => {
      const copied: CopiedTable[] = []
      for (const name of tables) {
        copied.push(await copyTable(from, to, name, columnsOf(from.file, name)))
        await goOnCounting(from.file, to, name)
      }
      return copied
    })
  })
}

/** Runs `work` with triggers disabled and foreign keys deferred, so that a row may come before the one it refers to. */
async function withoutReactions<T>(
  to: PostgresStore,
  tables: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const { rows: links } = await sql<{ of: string; name: string }>`select r.relname as of, c.conname as name
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace`.execute(queriesOf(to))
  const alter = async (triggers: string, deferred: string) => {
    for (const name of tables) await to.script(`alter table "${name}" ${triggers} trigger user`)
    for (const { of, name } of links)
      await to.script(`alter table "${of}" alter constraint "${name}" ${deferred}`)
  }
  await alter("disable", "deferrable initially deferred")
  const result = await work()
  // PostgreSQL does not alter a table with pending checks.
  await to.script("set constraints all immediate")
  await alter("enable", "not deferrable")
  return result
}

const definitionsOf = (db: DatabaseSync): Definition[] =>
  db
    .prepare(
      "select name, type, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type = 'trigger', rowid",
    )
    .all()
    .map((row) => ({
      name: String(row["name"]),
      type: row["type"] as Definition["type"],
      sql: String(row["sql"]),
    }))

const columnsOf = (db: DatabaseSync, table: string): string[] =>
  db
    .prepare(`select name from pragma_table_info(?) order by cid`)
    .all(table)
    .map((row) => String(row["name"]))

async function copyTable(
  from: StateStore,
  to: StateStore,
  table: string,
  columns: readonly string[],
): Promise<CopiedTable> {
  const names = columns.map((column) => `"${column}"`).join(", ")
  const select = `select ${names} from "${table}"`
  const queries = queriesOf<Record<string, StateRow>>(to)
  const was = new Digest()
  let waiting: StateRow[] = []
  const write = async () => {
    if (waiting.length === 0) return
    await queries.insertInto(table).values(waiting).execute()
    waiting = []
  }
  for await (const row of from.native(select).iterate([])) {
    was.add(columns.map((column) => row[column]))
    if (waiting.push(row) >= AT_ONCE) await write()
  }
  await write()
  const is = new Digest()
  for await (const row of to.native(select).iterate([])) is.add(columns.map((column) => row[column]))
  if (was.rows !== is.rows || was.text() !== is.text())
    throw new Error(
      `The copy of ${table} differs from the original (${was.rows} rows, ${is.rows} in the copy).`,
    )
  return { table, rows: is.rows, digest: is.text() }
}

/** Makes ids of new rows continue after those of the copied rows. */
async function goOnCounting(from: DatabaseSync, to: PostgresStore, table: string): Promise<void> {
  const key = from
    .prepare("select name from pragma_table_info(?) where pk > 0 and lower(type) = 'integer'")
    .get(table)
  if (key === undefined) return
  const column = String(key["name"])
  // If the table promises not to reuse ids of deleted rows, the copy keeps that promise.
  const isKept =
    from.prepare("select 1 from sqlite_master where name = 'sqlite_sequence'").get() !== undefined
  const given = isKept ? from.prepare("select seq from sqlite_sequence where name = ?").get(table) : undefined
  const max = from.prepare(`select max("${column}") as n from "${table}"`).get()
  const last = Math.max(Number(given?.["seq"] ?? 0), Number(max!["n"] ?? 0))
  if (last > 0)
    await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, ${column}), ${last})`.execute(
      queriesOf(to),
    )
}

/** A digest of rows that does not depend on their order. */
class Digest {
  rows = 0
  readonly #sum = Buffer.alloc(32)

  add(values: readonly unknown[]): void {
    this.rows += 1
    const hash = createHash("sha256")
      .update(JSON.stringify(values.map(plain)))
      .digest()
    for (let i = 0; i < hash.length; i++) this.#sum[i]! ^= hash[i]!
  }

  text(): string {
    return this.#sum.toString("hex")
  }
}

/** The value as both stores return it: text as PostgreSQL can store it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  return typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}") : value
}

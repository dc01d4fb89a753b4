import { createHash } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"

import { hasTable } from "../rows/tables.ts"
import { OF_A_NEW_FILE, SCHEMA_VERSION, transaction } from "../state-store.ts"
import { SqliteStore } from "../sqlite/sqlite-store.ts"
import type { StateStore } from "../state-port.ts"
import { PostgresStore } from "./postgres-store.ts"

// The state from one store into the other. The copy is read back and compared before it is said to be one.

/** All in one step: in several, each change by another process would begin the copy anew. Writers do not wait for it. */
const ALL_PAGES = 0x7fffffff
/** Rows that are written in one statement. */
const AT_ONCE = 100

/** A table that was copied. */
export interface CopiedTable {
  readonly table: string
  readonly rows: number
  /** SHA-256 of each row, all of them combined: the order of rows says nothing. */
  readonly digest: string
}

/** What there is in a SQLite file beside its rows. */
interface Definition {
  readonly name: string
  readonly type: "table" | "index" | "trigger"
  readonly sql: string
}

/** Writes the state as it is at one moment into a new SQLite file, while others write to it. */
export async function copyState(db: StateStore, file: string): Promise<void> {
  if (db instanceof PostgresStore) await copyToFile(db, file)
  else await backup((db as SqliteStore).file, file, { rate: ALL_PAGES })
}

/** @throws Error when what was copied is not what was there */
export async function copyToFile(from: PostgresStore, file: string): Promise<CopiedTable[]> {
  // Made by us, since SQLite would let everybody read it.
  closeSync(openSync(file, "wx", 0o600))
  using to = new SqliteStore(new DatabaseSync(file, { enableForeignKeyConstraints: false }))
  await to.exec(OF_A_NEW_FILE)
  return await from.snapshot(
    async () =>
      await transaction(to, async () => {
        await to.exec(SCHEMA_VERSION)
        for (const { sql } of await from.prepare("select sql from schema_step order by id").all())
          await to.exec(String(sql))
        const made = definitionsOf(to.file)
        const triggers = made.filter(({ type }) => type === "trigger")
        for (const { name } of triggers) await to.exec(`drop trigger "${name}"`)
        const tables = made.filter(({ type }) => type === "table")
        // Some steps put rows into the tables that they make.
        for (const { name } of tables) await to.exec(`delete from "${name}"`)
        const copied: CopiedTable[] = []
        for (const { name } of tables) copied.push(await copyTable(from, to, name, columnsOf(to.file, name)))
        for (const { sql } of triggers) await to.exec(sql)
        return copied
      }),
  )
}

/**
 * @param to holds nothing
 * @throws Error when what was copied is not what was there
 */
export async function copyToServer(from: SqliteStore, to: PostgresStore): Promise<CopiedTable[]> {
  if (await hasTable(to, "schema_version")) throw new Error("There is a state in that schema already.")
  return await transaction(to, async () => {
    const made = definitionsOf(from.file)
    const tables = inOrder(made.filter(({ type }) => type === "table"))
    for (const { name, sql } of tables) {
      await to.exec(sql)
      if (name !== "schema_version") await to.keepStep(sql)
    }
    const copied: CopiedTable[] = []
    for (const { name } of tables) {
      copied.push(await copyTable(from, to, name, columnsOf(from.file, name)))
      await goOnCounting(from, to, name)
    }
    for (const { sql } of made.filter(({ type }) => type !== "table")) {
      await to.exec(sql)
      await to.keepStep(sql)
    }
    return copied
  })
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

/** A table behind those that its rows belong to. */
function inOrder(tables: readonly Definition[]): Definition[] {
  const found: Definition[] = []
  let left = [...tables]
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name))
    const next = left.filter(
      ({ name, sql }) =>
        ![...sql.matchAll(/\breferences "?(\w+)/gi)].some(([, other]) => other !== name && names.has(other!)),
    )
    if (next.length === 0) throw new Error("Tables belong to each other in a circle.")
    found.push(...next)
    left = left.filter((table) => !next.includes(table))
  }
  return found
}

async function copyTable(
  from: StateStore,
  to: StateStore,
  table: string,
  columns: readonly string[],
): Promise<CopiedTable> {
  const names = columns.map((column) => `"${column}"`).join(", ")
  const select = `select ${names} from "${table}"`
  const insert = (rows: number) =>
    to.prepare(
      `insert into "${table}" (${names}) values ${Array.from({ length: rows }, () => `(${columns.map(() => "?").join(", ")})`).join(", ")}`,
    )
  const was = new Digest()
  let waiting: Record<string, unknown>[] = []
  const write = async () => {
    if (waiting.length === 0) return
    await insert(waiting.length).run(
      ...waiting.flatMap((row) => columns.map((column) => row[column] as string)),
    )
    waiting = []
  }
  for await (const row of from.prepare(select).iterate()) {
    was.add(columns.map((column) => row[column]))
    if (waiting.push(row) >= AT_ONCE) await write()
  }
  await write()
  const is = new Digest()
  for await (const row of to.prepare(select).iterate()) is.add(columns.map((column) => row[column]))
  if (was.rows !== is.rows || was.text() !== is.text())
    throw new Error(`The copy of ${table} is not what was there (${was.rows} rows, ${is.rows} in the copy).`)
  return { table, rows: is.rows, digest: is.text() }
}

/** New rows go on behind those that were copied. */
async function goOnCounting(from: SqliteStore, to: PostgresStore, table: string): Promise<void> {
  const key = await from
    .prepare("select name from pragma_table_info(?) where pk > 0 and lower(type) = 'integer'")
    .get(table)
  if (key === undefined) return
  const column = String(key["name"])
  // Ids that were given and deleted are not given again where that was promised.
  const given = (await hasTable(from, "sqlite_sequence"))
    ? Number((await from.prepare("select seq from sqlite_sequence where name = ?").get(table))?.["seq"] ?? 0)
    : 0
  const max = Number((await to.prepare(`select max("${column}") as n from "${table}"`).get())!["n"] ?? 0)
  const last = Math.max(given, max)
  if (last > 0)
    await to.prepare("select setval(pg_get_serial_sequence(?, ?), ?)").get(`"${table}"`, column, last)
}

/** What rows come to, whatever their order. */
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

/** As both stores give it: text as PostgreSQL can hold it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  return typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}") : value
}

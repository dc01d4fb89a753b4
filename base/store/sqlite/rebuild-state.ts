import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { openToRead } from "./busy.ts"
import { OF_A_NEW_FILE } from "../state-store.ts"

const STATE = "state.db"
/** Prefix of the name of the file in the data folder that holds the old `state.db`, from before it was rebuilt. */
const ASIDE = "state.db.damaged-"
const DRAFT = "state.db.mending"
/** Maximum number of problems reported for one file. */
const MOST_TOLD = 3
const WAIT_MS = 2000

/** Problems with `state.db`, as SQLite words them; empty if there are none, or if there is no file. Reads the whole file and changes nothing. */
export function stateDamage(dataDir: string): string[] {
  const file = join(dataDir, STATE)
  if (!existsSync(file)) return []
  try {
    using db = openToRead(file, WAIT_MS)
    return damageIn(db)
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Checks the indexes, too, because `quick_check` does not compare them with their tables. */
function damageIn(db: DatabaseSync): string[] {
  return db
    .prepare(`pragma integrity_check(${MOST_TOLD})`)
    .all()
    .map((row) => String(Object.values(row)[0]))
    .flatMap((text) => text.split("\n"))
    .filter((text) => text !== "ok")
}

/**
 * Whether the tables of a damaged `state.db` can be read, so that its indexes can be rebuilt from them. Writes only a draft,
 * which it deletes.
 */
export function canRebuildState(dataDir: string): boolean {
  return withDraft(dataDir, () => true) ?? false
}

/**
 * Rebuilds `state.db` from its tables if all of them can be read. This repairs any damage outside the tables, such as a
 * damaged index. The old file stays beside the new one. No other process may have the file open.
 *
 * @returns the name of the old file; null if a table cannot be read, in which case nothing was changed
 */
export function rebuildState(dataDir: string, now: Date): string | null {
  return withDraft(dataDir, (draft) => {
    const file = join(dataDir, STATE)
    const aside = ASIDE + now.toISOString().replaceAll(/[:.]/g, "-")
    for (const end of ["", "-wal"])
      if (existsSync(file + end)) copyFileSync(file + end, join(dataDir, aside + end))
    syncFile(join(dataDir, aside))
    // The old log is removed before the new file exists, so that the new file is not read with it.
    for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true })
    renameSync(draft, file)
    return aside
  })
}

/** Copies all tables into a new file, and passes it to `use` if it is sound and complete; null if it cannot be created. */
function withDraft<T>(dataDir: string, use: (draft: string) => T): T | null {
  const draft = join(dataDir, DRAFT)
  removeDraft(draft)
  try {
    if (!copyTables(join(dataDir, STATE), draft)) return null
    chmodSync(draft, 0o600)
    syncFile(draft)
    return use(draft)
  } finally {
    removeDraft(draft)
  }
}

/** Removes the draft, and files that SQLite may have left beside it when its process was killed. */
function removeDraft(draft: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(draft + end, { force: true })
}

/** @returns false when a table cannot be read */
function copyTables(file: string, draft: string): boolean {
  try {
    using db = openToRead(file, WAIT_MS)
    using copy = new DatabaseSync(draft, { enableForeignKeyConstraints: false })
    copy.exec(OF_A_NEW_FILE)
    copy.exec("begin")
    const made = (types: string) =>
      db
        .prepare(
          `select sql from sqlite_master where sql is not null and name not like 'sqlite_%' and type in (${types})`,
        )
        .all()
    for (const { sql } of made("'table'")) copy.exec(String(sql))
    for (const table of tablesIn(db)) copyRows(db, copy, table)
    // Triggers are created after the rows are copied, so that copying fires none.
    for (const { sql } of made("'index', 'view', 'trigger'")) copy.exec(String(sql))
    copy.exec("commit")
    return damageIn(copy).length === 0
  } catch {
    return false
  }
}

/** Copies a table row by row: `vacuum into` copies indexes as they are, so it fails on a damaged one. */
function copyRows(db: DatabaseSync, copy: DatabaseSync, table: string): void {
  // Creating the tables may have added rows.
  copy.exec(`delete from "${table}"`)
  const columns = db.prepare(`pragma table_info("${table}")`).all()
  const names = columns.map(({ name }) => `"${String(name)}"`).join(", ")
  const read = db.prepare(`select ${names} from "${table}" not indexed`)
  read.setReadBigInts(true)
  const write = copy.prepare(
    `insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`,
  )
  for (const row of read.iterate()) write.run(...Object.values(row))
}

/** Names of the tables, including the one in which SQLite keeps the highest ids assigned. */
const tablesIn = (db: DatabaseSync): string[] =>
  db
    .prepare(
      "select name from sqlite_master where type = 'table' and (name not like 'sqlite_%' or name = 'sqlite_sequence')",
    )
    .all()
    .map(({ name }) => String(name))

/** Syncs a file to disk, so that it survives a power failure. */
function syncFile(file: string): void {
  const handle = openSync(file, "r+")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

import { DatabaseSync } from "node:sqlite"

/** The secrets in a `state.db` that were not given to the appliance by anyone. */
export interface Kept {
  /** Secrets that the appliance created itself, by name. */
  readonly secrets: ReadonlyMap<string, Uint8Array>
  /** Columns whose names suggest secrets, and that contain more than the name of a variable or a file. */
  readonly others: readonly string[]
}

const SECRET = /secret|password|passphrase|credential|cookie/i
const OWN = "account_secret"
const REFERENCE = /^(?:\$\{\w+\}|file:.+)$/

export function keptIn(file: string): Kept {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const columns = db
      .prepare(
        "select m.name as tab, c.name as col from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'",
      )
      .all()
      .map(({ tab, col }) => ({ table: String(tab), column: String(col) }))
      .filter(({ table, column }) => table !== OWN && SECRET.test(`${table}.${column}`))
    const isNamed = ({ table, column }: { table: string; column: string }) =>
      db
        .prepare(`select "${column}" as value from "${table}"`)
        .all()
        .every(({ value }) => value === null || (typeof value === "string" && REFERENCE.test(value)))
    const rows = db.prepare(`select name, value from ${OWN} order by name`).all()
    return {
      secrets: new Map(rows.map(({ name, value }) => [String(name), value as Uint8Array])),
      others: columns.filter((one) => !isNamed(one)).map(({ table, column }) => `${table}.${column}`),
    }
  } finally {
    db.close()
  }
}

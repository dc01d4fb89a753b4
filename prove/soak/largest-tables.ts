import { DatabaseSync } from "node:sqlite"

export interface TableSize {
  readonly name: string
  readonly bytes: number
}

/** The tables of an SQLite file that take most, each with its indices (https://sqlite.org/dbstat.html). */
export function largestTables(file: string, many: number): TableSize[] {
  using db = new DatabaseSync(file, { readOnly: true })
  const rows = db
    .prepare(
      `select owner.tbl_name as name, sum(used.pgsize) as bytes from dbstat used
       join sqlite_schema owner on owner.name = used.name group by 1 order by 2 desc limit ?`,
    )
    .all(many)
  return rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }))
}

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { bytesBelow } from "../running/vitals.ts"

/** A part of the data folder other than the index. */
export interface Part {
  readonly name: string
  readonly bytes: number
}

/** Names of parts of `state.db` that aren't tables. */
export const EMPTY = "empty pages of state.db"
export const WRITTEN_AHEAD = "state.db-wal"

const STATE = "state.db"
const INDEX = "index"

/** The tables of `state.db`, each with its indices, its empty space, and the files and folders beside it, except the index. */
export function partsOf(dataDir: string): Part[] {
  const others = readdirSync(dataDir)
    .filter((name) => name !== STATE && name !== INDEX)
    .map((name): Part => ({ name, bytes: bytesBelow(join(dataDir, name)) }))
  return [...tablesOf(join(dataDir, STATE)), ...others]
}

/** Largest first (https://sqlite.org/dbstat.html). */
function tablesOf(file: string): Part[] {
  using db = new DatabaseSync(file, { readOnly: true })
  const rows = db
    .prepare(
      `select owner.tbl_name as name, sum(used.pgsize) as bytes from dbstat used
       join sqlite_schema owner on owner.name = used.name group by 1 order by 2 desc`,
    )
    .all()
  const empty = Number(db.prepare("pragma freelist_count").get()!["freelist_count"])
  const each = Number(db.prepare("pragma page_size").get()!["page_size"])
  return [
    ...rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) })),
    { name: EMPTY, bytes: empty * each },
  ]
}

import type { Generated } from "kysely"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

export interface SourceTables {
  source: {
    name: string
    spec: string
    origin: "file" | "api"
    paused: Generated<number>
    created_at: number
    updated_at: number
    next_run_at: number | null
    last_run_at: Generated<number | null>
  }
  source_removal: { source: string; asked_at: number }
  /** The last run of each deleted name: runs are kept, and lists show the name again only after a later run. */
  deleted_source: { name: string; last_job: number }
}

const STEPS: readonly Step[] = [
  ({ integer, text, keyed }) =>
    `create table source (
     name ${text} primary key, spec ${text} not null, origin ${text} not null, paused ${integer} not null default 0,
     created_at ${integer} not null, updated_at ${integer} not null,
     next_run_at ${integer}, last_run_at ${integer}
   ) ${keyed};
   create table source_removal (source ${text} primary key, asked_at ${integer} not null) ${keyed};
   create table deleted_source (name ${text} primary key, last_job ${integer} not null) ${keyed};`,
]

export function migrateSources(db: StateStore): void {
  migrate(db, "sources", STEPS)
}

import type { Generated } from "kysely"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import type { PageUrl } from "#engine"
import type { RemovalReason } from "./evidence.ts"

/**
 * - `struck`: there is evidence, but not enough yet.
 * - `held`: there is enough evidence, but for too many pages at once, so the removal is waiting for the operator.
 * - `approved`: to be removed from the index by the process that writes it.
 * - `removed`: no longer in the index; a copy is kept.
 * - `restoring`: to be put back by the process that writes the index.
 */
export type RemovalState = "struck" | "held" | "approved" | "removed" | "restoring"

export interface RemovalTables {
  removal: {
    url: PageUrl
    source: string
    state: RemovalState
    reason: RemovalReason
    detail: string | null
    strikes: number
    due: number
    pinned: Generated<number>
    spares: Generated<number>
    job: number
    at: number
    keep_days: number
    expires_at: Generated<number | null>
    hash: Generated<string | null>
  }
  removed_page: { url: PageUrl; source: string; page: Uint8Array }
  removal_run: { job: number; removed: number; held: number }
}

const STEPS: readonly Step[] = [
  // `at`: the time of the latest evidence, or of the removal for removed pages. `spares`: the text is also at another
  // address. A page can belong to several sources, each of which determines separately that it is gone.
  ({ id, integer, real, text, blob, strict, keyed }) =>
    `create table removal (
     url ${text} not null, source ${text} not null, state ${text} not null, reason ${text} not null, detail ${text},
     strikes ${integer} not null, due ${integer} not null, pinned ${integer} not null default 0, spares ${integer} not null default 0,
     job ${integer} not null, at ${integer} not null, keep_days ${real} not null, expires_at ${integer}, hash ${text},
     primary key (url, source)
   ) ${keyed};
   create index removal_state on removal (state, source);
   create index removal_source on removal (source);
   create table removed_page (
     url ${text} not null, source ${text} not null, page ${blob} not null, primary key (url, source)
   ) ${strict};
   create table removal_run (job ${id}, removed ${integer} not null, held ${integer} not null) ${strict};`,
]

export function migrateRemovals(db: StateStore): void {
  migrate(db, "removals", STEPS)
}

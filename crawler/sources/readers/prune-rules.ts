import type { Engine } from "#engine"
import type { Clock } from "#base/clock.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { migrateReaders, type ReadersTables } from "./readers-schema.ts"

/** How long a rule is kept after its last page: another process may be about to write a page with it, and an older index may be restored. */
const KEPT_MS = 30 * 24 * 3_600_000
/** The maximum number of labels: with more, an index server may leave some out of its counts. */
const MOST_COUNTED = 50_000

/** Whether some rules have not been counted for a month. */
export async function hasOldRules(db: StateStore, clock: Clock): Promise<boolean> {
  migrateReaders(db)
  const old = queriesOf<ReadersTables>(db)
    .selectFrom("reader_rule")
    .select("id")
    .where("seen_at", "<", clock() - KEPT_MS)
    .limit(1)
  return (await old.executeTakeFirst()) !== undefined
}

/** Deletes the rules of labels that no page has had for a month. Authors of pages can name any readers they like, so there can be many rules. */
export async function pruneRules(
  db: StateStore,
  engine: Pick<Engine, "pagesByReaders">,
  clock: Clock,
): Promise<void> {
  const labels = new Set((await engine.pagesByReaders()).flatMap(({ label }) => label ?? []))
  if (labels.size > MOST_COUNTED) return
  const queries = queriesOf<ReadersTables>(db)
  const now = clock()
  await transaction(db, async () => {
    await queries
      .updateTable("reader_rule")
      .set({ seen_at: now })
      .where("label", "in", listed(labels))
      .execute()
    // A rule registered in the meantime is recent.
    await queries
      .deleteFrom("reader_rule")
      .where("seen_at", "<", now - KEPT_MS)
      .execute()
  })
}

import { createHash } from "node:crypto"

import { deletionTime } from "#base/store/clock/trusted-time.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

import type { WriteQueue } from "../../accounts/billing/write-queue.ts"

interface Tables {
  sign_on_shown: { digest: Uint8Array; until: number }
}

const STEPS: readonly Step[] = [
  ({ blob, integer, keyed }) =>
    `create table sign_on_shown (digest ${blob} primary key, until ${integer} not null) ${keyed};
     create index sign_on_shown_until on sign_on_shown (until)`,
]

/** Remembers one-time proofs until they would have expired. */
export function openShownOnce(
  db: StateStore,
  writes: Pick<WriteQueue, "run">,
): (id: string, until: number) => Promise<boolean> {
  migrate(db, "sign-on-shown", STEPS)
  const queries = queriesOf<Tables>(db)
  return (id, until) =>
    writes.run(async () => {
      const over = await deletionTime(db, Date.now())
      await queries.deleteFrom("sign_on_shown").where("until", "<=", over).execute()
      const { numInsertedOrUpdatedRows = 0n } = await queries
        .insertInto("sign_on_shown")
        .values({ digest: createHash("sha256").update(id).digest(), until })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    })
}

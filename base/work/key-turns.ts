import { type Expression, type RawBuilder, sql } from "kysely"
import type { PoolName } from "../flow/fair-pool.ts"
import { queriesOf } from "../store/query/queries.ts"
import type { QueriedStore } from "../store/state-port.ts"

/** A table of work that keys share the workers of, with the columns `id`, `key_id`, `state`, `created_at` and `turn_at`. */
export interface SharedWork {
  readonly table: string
  /** The state of work that waits, and of work under way. */
  readonly waiting: string
  readonly working: string
}

/** Turns among keys for work that is kept in the state, where several processes may take it up. */
export interface KeyTurns {
  /**
   * The id of the work to begin next: that of the key with the least under way; among equals, of the key whose last turn began
   * longest ago. The caller has to set `turn_at` of that work to the current time.
   */
  readonly nextId: RawBuilder<string>
  /** Whether work of another key waits that has less under way than this key: then one of this key's is to give way. */
  isOwed(keyId: string): Promise<boolean>
}

/** @param _pool which of the shared pools this is */
export function keyTurns(
  _pool: PoolName,
  { table, waiting, working }: SharedWork,
  db: QueriedStore,
): KeyTurns {
  const [work, isWaiting] = [sql.table(table), sql`state = ${sql.lit(waiting)}`]
  const underWay = (key: Expression<unknown>) =>
    sql`(select count(*) from ${work} as other where other.state = ${sql.lit(working)} and other.key_id = ${key})`
  const ofWaiting = sql.ref("waiting.key_id")
  return {
    nextId: sql`(select id from ${work} as waiting where ${isWaiting}
      order by ${underWay(ofWaiting)},
        (select coalesce(max(turn_at), 0) from ${work} as other where other.key_id = ${ofWaiting}), created_at, id
      limit 1)`,
    isOwed: async (keyId) => {
      const owed = sql`select 1 from ${work} as waiting where ${isWaiting} and key_id <> ${keyId}
        and ${underWay(ofWaiting)} < ${underWay(sql.val(keyId))} limit 1`
      return (await owed.execute(queriesOf(db))).rows.length > 0
    },
  }
}

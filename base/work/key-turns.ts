import { type Expression, type RawBuilder, sql } from "kysely"
import type { PoolName } from "../flow/fair-pool.ts"
import { queriesOf } from "../store/query/queries.ts"
import type { QueriedStore } from "../store/state-port.ts"

/** A table of work in which keys take turns, with the columns `id`, `key_id`, `state`, `created_at` and `turn_at`. */
export interface SharedWork {
  readonly table: string
  /** The states of waiting and of running work. */
  readonly waiting: string
  readonly working: string
}

/** Shares workers among keys, for work that is stored in the state, where several processes can take it. */
export interface KeyTurns {
  /**
   * The id of the work to begin next: from the key with the least running work; among equals, from the key whose last
   * turn began longest ago. The caller must set that work's `turn_at` to the current time.
   */
  readonly nextId: RawBuilder<string>
  /** Whether another key with less running work is waiting: then some of this key's running work must give way. */
  isOwed(keyId: string): Promise<boolean>
}

/** @param _pool the shared pool that the work belongs to */
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

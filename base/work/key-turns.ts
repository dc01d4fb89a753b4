import type { PoolName } from "../flow/fair-pool.ts"
import type { prepareOnce } from "../store/state-store.ts"

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
   * SQL for the id of the work whose turn it is: of the key with the least under way; among equals, of the key whose last
   * turn began longest ago. `turn_at` of what is begun has to be set to the time.
   */
  readonly nextId: string
  /** Whether work of another key waits that has less under way than this key: then one of this key's is to give way. */
  isOwed(keyId: string): Promise<boolean>
}

/** @param _pool which of the shared pools this is */
export function keyTurns(
  _pool: PoolName,
  { table, waiting, working }: SharedWork,
  sql: ReturnType<typeof prepareOnce>,
): KeyTurns {
  const underWay = (key: string) =>
    `(select count(*) from ${table} as other where other.state = '${working}' and other.key_id = ${key})`
  return {
    nextId: `select id from ${table} as waiting where state = '${waiting}'
      order by ${underWay("waiting.key_id")},
        (select coalesce(max(turn_at), 0) from ${table} as other where other.key_id = waiting.key_id), created_at, id
      limit 1`,
    isOwed: async (keyId) =>
      (await sql(
        `select 1 from ${table} as waiting where state = '${waiting}' and key_id <> ?1
           and ${underWay("waiting.key_id")} < ${underWay("?1")} limit 1`,
      ).get(keyId)) !== undefined,
  }
}

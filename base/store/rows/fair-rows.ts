import type { prepareOnce } from "../state-store.ts"

/** A log of which each writer may keep a share. */
export interface SharedLog {
  readonly table: string
  /** Column that says whose a row is. */
  readonly owner: string
  /** Column by which the oldest rows of an owner come first. */
  readonly order: string
  /** Rows of all owners together. */
  readonly most: number
  /** Rows of one owner. */
  readonly mostOfOne: number
}

/**
 * Deletes the oldest rows of whoever has more than their share, so that one owner's rows never push out those of
 * owners with fewer. Call it inside a write transaction.
 */
export function keepShares(
  sql: ReturnType<typeof prepareOnce>,
  { table, owner, order, most, mostOfOne }: SharedLog,
): void {
  const held = sql(`select ${owner} as owner, count(*) as n from ${table} group by ${owner}`).all()
  const level = fairLevel(
    held.map((row) => Number(row["n"])),
    most,
    mostOfOne,
  )
  for (const row of held) {
    if (Number(row["n"]) <= level) continue
    const whose = String(row["owner"])
    sql(
      `delete from ${table} where ${owner} = ?1 and ${order} <
         (select ${order} from ${table} where ${owner} = ?1 order by ${order} desc limit 1 offset ?2)`,
    ).run(whose, level - 1)
  }
}

/** How many rows each may keep, at least one: the most that lets all together have no more than `most`. */
export function fairLevel(counts: readonly number[], most: number, mostOfOne: number): number {
  let left = most
  const ascending = counts.map((count) => Math.min(count, mostOfOne)).toSorted((a, b) => a - b)
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at))
    if (count > share) return Math.max(1, share)
    left -= count
  }
  return mostOfOne
}

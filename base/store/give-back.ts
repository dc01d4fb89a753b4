import { setImmediate } from "node:timers/promises"

import type { StateStore } from "./state-port.ts"

/** SQLite's number for a file that can become shorter step by step. */
const INCREMENTAL = 2
/** Of the file so much may stand empty, as room for what is written next. */
const LOOSE = 0.25
/** File pages of 4 KB: so few are not worth the writing. */
const LEAST_GIVEN_BACK = 256
/** Others wait to write for as long as these take, some milliseconds. */
const GIVEN_BACK_AT_A_TIME = 128

/**
 * Gives the file system back what rows that are gone leave in `state.db`, but for some room. A file that an older version made keeps
 * its length, and its empty room is used again; a database on a server does this by itself.
 */
export async function giveBack(db: StateStore): Promise<void> {
  if (db.location() === null || pragma(db, "auto_vacuum") !== INCREMENTAL) return
  const free = () => pragma(db, "freelist_count")
  const isLoose = () => free() > Math.max(LEAST_GIVEN_BACK, pragma(db, "page_count") * LOOSE)
  if (!isLoose()) return
  while (isLoose()) {
    const before = free()
    db.exec(`pragma incremental_vacuum(${GIVEN_BACK_AT_A_TIME})`)
    if (free() >= before) break
    await setImmediate()
  }
  // The file becomes shorter when what was written ahead is brought into it.
  db.exec("pragma wal_checkpoint(passive)")
}

const pragma = (db: StateStore, name: string): number =>
  Number(Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0])

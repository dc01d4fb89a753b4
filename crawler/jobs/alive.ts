import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely"

/** Time without a heartbeat, in milliseconds, after which a running job is considered to have lost its process. */
const SILENT_MS = 10_000

/**
 * Whether a process whose last heartbeat was at `beat_at` is alive at `now`. A heartbeat far in the future is not a
 * sign of life: the clock was set back, and a living process sends another one within a second.
 */
export const isAlive = (now: number | Expression<number>): RawBuilder<SqlBool> =>
  sql`abs(${now} - beat_at) < ${sql.lit(SILENT_MS)}`

/** Whether a job that is marked as running has lost its process. */
export const isSilent = (beatAt: number): boolean => Math.abs(Date.now() - beatAt) >= SILENT_MS

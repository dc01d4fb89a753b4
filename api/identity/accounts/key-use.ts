import type { prepareOnce } from "#base/store/state-store.ts"

import { type Endpoint, ENDPOINTS } from "./keys/key-scope.ts"

type Prepare = ReturnType<typeof prepareOnce>

/** Days for which it is known what each key used: a year, and a month to compare with. */
export const USE_DAYS = 396
/** Rows of the table at most, one for each day, key and endpoint with a call; about 50 MB. Then the oldest days go. */
const MOST_ROWS = 500_000
const DAY_MS = 86_400_000

/** A table of the call log. */
export const USE_TABLE = `create table key_use (
     day text not null, key_id text not null, endpoint text not null,
     calls integer not null, credits integer not null,
     primary key (day, key_id, endpoint)
   ) strict, without rowid`

/** Calls that were answered, and the credits that fell due with them. */
export interface Use {
  readonly calls: number
  readonly credits: number
}

/** What one key used in a day or month (UTC). */
export interface KeyUse extends Use {
  /** `2026-11-22` or `2026-11`. */
  readonly time: string
  readonly keyId: string
  readonly endpoints: Readonly<Record<Endpoint, Use>>
}

/** A call that was answered. */
interface CountedCall {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  readonly endpoint: Endpoint
  readonly credits: number
}

/** Counts a call into its day. Belongs into the transaction that logs it. */
export async function countUse(
  prepare: Prepare,
  { at, keyId, endpoint, credits }: CountedCall,
): Promise<void> {
  await prepare(
    `insert into key_use values (?, ?, ?, 1, ?)
     on conflict (day, key_id, endpoint) do update set calls = calls + 1, credits = credits + excluded.credits`,
  ).run(dayOf(at), keyId, endpoint, credits)
}

/** Forgets days that are too old, and the oldest when there are too many rows. */
export async function pruneUse(prepare: Prepare, now: number): Promise<void> {
  await prepare("delete from key_use where day < ?").run(dayOf(now - USE_DAYS * DAY_MS))
  await prepare(
    "delete from key_use where day <= (select day from key_use order by day desc limit 1 offset ?)",
  ).run(MOST_ROWS)
}

/**
 * What keys used in the last days, today among them, newest first and then by key.
 * @param keyId of this key alone; null: of all
 */
export async function useOfKeys(
  prepare: Prepare,
  { days, by, keyId }: { readonly days: number; readonly by: "day" | "month"; readonly keyId: string | null },
): Promise<KeyUse[]> {
  const rows = await prepare(
    `select substr(day, 1, ?1) as time, key_id, endpoint, sum(calls) as calls, sum(credits) as credits from key_use
     where day >= ?2 and (?3 is null or key_id = ?3) group by 1, 2, 3 order by 1 desc, 2`,
  ).all(by === "day" ? 10 : 7, dayOf(Date.now() - (days - 1) * DAY_MS), keyId)
  const found = new Map<string, KeyUse>()
  for (const row of rows) {
    const [time, id] = [String(row["time"]), String(row["key_id"])]
    const use = { calls: Number(row["calls"]), credits: Number(row["credits"]) }
    const before = found.get(`${time} ${id}`)
    found.set(`${time} ${id}`, {
      time,
      keyId: id,
      calls: (before?.calls ?? 0) + use.calls,
      credits: (before?.credits ?? 0) + use.credits,
      endpoints: { ...(before?.endpoints ?? NONE), [String(row["endpoint"])]: use },
    })
  }
  return [...found.values()]
}

/** The last day on which each key was used, as the time of its beginning. */
export const lastDays = async (prepare: Prepare): Promise<[string, number][]> =>
  (await prepare("select key_id, max(day) as day from key_use group by key_id").all()).map((row) => [
    String(row["key_id"]),
    Date.parse(String(row["day"])),
  ])

const NONE = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, { calls: 0, credits: 0 }])) as Record<
  Endpoint,
  Use
>

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

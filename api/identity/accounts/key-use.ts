import { sql } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { SchemaWords } from "#base/store/query/schema-words.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { type Endpoint, ENDPOINTS } from "./keys/key-scope.ts"

/** Number of days for which each key's usage is kept: a year, plus a month for comparison. */
export const USE_DAYS = 396
/** Maximum number of rows in the table, one for each day, key and endpoint with a call; about 50 MB. Beyond that, the oldest days are deleted. */
const MOST_ROWS = 500_000
const DAY_MS = 86_400_000

/** A table of the call log. */
export const useTable = ({ text, integer, keyed }: SchemaWords): string => `create table key_use (
     day ${text} not null, key_id ${text} not null, endpoint ${text} not null,
     calls ${integer} not null, credits ${integer} not null,
     primary key (day, key_id, endpoint)
   ) ${keyed}`

interface UseTables {
  key_use: { day: string; key_id: string; endpoint: Endpoint; calls: number; credits: number }
}

/** Number of calls that were answered, and the credits charged for them. */
export interface Use {
  readonly calls: number
  readonly credits: number
}

/** Usage of one key in a day or month (UTC). */
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

const addUse = once(
  (
    q: Queries<UseTables>,
    { day, keyId, endpoint, credits }: Omit<CountedCall, "at"> & { readonly day: string },
  ) =>
    q
      .insertInto("key_use")
      .values({ day, key_id: keyId, endpoint, calls: 1, credits })
      .onConflict((conflict) =>
        conflict.columns(["day", "key_id", "endpoint"]).doUpdateSet((eb) => ({
          calls: eb("key_use.calls", "+", 1),
          credits: eb("key_use.credits", "+", eb.ref("excluded.credits")),
        })),
      ),
)

/** Counts a call under its day. Call it inside the transaction that logs the call. */
export async function countUse(db: StateStore, { at, keyId, endpoint, credits }: CountedCall): Promise<void> {
  await addUse.run(db, { day: dayOf(at), keyId, endpoint, credits })
}

/** Deletes the usage of days that are too old, and of the oldest days when there are too many rows. */
export async function pruneUse(db: StateStore, now: number): Promise<void> {
  const queries = queriesOf<UseTables>(db)
  await queries
    .deleteFrom("key_use")
    .where("day", "<", dayOf(now - USE_DAYS * DAY_MS))
    .execute()
  await queries
    .deleteFrom("key_use")
    .where("day", "<=", (eb) =>
      eb.selectFrom("key_use").select("day").orderBy("day", "desc").limit(1).offset(MOST_ROWS),
    )
    .execute()
}

/**
 * Usage of keys over the last `days` days, including today,, newest first and then by key.
 * @param keyId only this key; null for all
 */
export async function useOfKeys(
  db: StateStore,
  { days, by, keyId }: { readonly days: number; readonly by: "day" | "month"; readonly keyId: string | null },
): Promise<KeyUse[]> {
  const rows = await queriesOf<UseTables>(db)
    .selectFrom("key_use")
    .select((eb) => [
      sql<string>`substr(day, 1, ${sql.lit(by === "day" ? 10 : 7)})`.as("time"),
      "key_id as id",
      "endpoint",
      eb.fn.sum<number>("calls").as("calls"),
      eb.fn.sum<number>("credits").as("credits"),
    ])
    .where("day", ">=", dayOf(Date.now() - (days - 1) * DAY_MS))
    .$if(keyId !== null, (q) => q.where("key_id", "=", keyId!))
    .groupBy(["time", "key_id", "endpoint"])
    .orderBy("time", "desc")
    .orderBy("key_id")
    .execute()
  const found = new Map<string, KeyUse>()
  for (const { time, id, endpoint, ...use } of rows) {
    const before = found.get(`${time} ${id}`)
    found.set(`${time} ${id}`, {
      time,
      keyId: id,
      calls: (before?.calls ?? 0) + use.calls,
      credits: (before?.credits ?? 0) + use.credits,
      endpoints: { ...(before?.endpoints ?? NONE), [endpoint]: use },
    })
  }
  return [...found.values()]
}

/** The last day each key was used, as the time when that day began. */
export async function lastDays(db: StateStore): Promise<[string, number][]> {
  const rows = await queriesOf<UseTables>(db)
    .selectFrom("key_use")
    .select((eb) => ["key_id", eb.fn.max("day").as("day")])
    .groupBy("key_id")
    .execute()
  return rows.map(({ key_id: id, day }) => [id, Date.parse(day)])
}

const NONE = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, { calls: 0, credits: 0 }])) as Record<
  Endpoint,
  Use
>

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

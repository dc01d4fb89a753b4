import { type Generated, type Selectable, sql } from "kysely"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "./storage/stored-use.ts"

import type { Endpoint } from "./keys/key-scope.ts"
import { countUse, type KeyUse, lastDays, pruneUse, useOfKeys, useTable } from "./key-use.ts"

/** A call that was answered. */
export interface CallEntry {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly requestId: string
  readonly endpoint: Endpoint
  /** Depth of the search or the extraction. */
  readonly depth: string
  readonly seconds: number
  readonly credits: number
  readonly keyId: string
  /** The last characters of the key's text. */
  readonly keyHint: string
  /** Project and session; each is empty if there is none. */
  readonly project: string
  readonly session: string
  /** A keyed hash, see `human-ids.ts`. */
  readonly human: string
  /** Id of the person for whom a service made the call; empty if it made the call for itself. */
  readonly person?: string
  /** The question; null unless the operator chose to store questions. */
  readonly query: string | null
}

export interface CallFilter {
  readonly limit: number
  /** Milliseconds since 1970, `before` exclusive. */
  readonly from?: number | undefined
  readonly before?: number | undefined
  readonly endpoints?: readonly Endpoint[] | undefined
  readonly project?: string | undefined
  readonly keyId?: string | undefined
}

export const STORED_CALLS: StoredTable = {
  table: "call_log",
  key: "key_id",
  columns: ["project", "session", "query"],
}

interface CallTables {
  call_log: CallRow
}

interface CallRow {
  id: Generated<number>
  at: number
  request_id: string
  endpoint: Endpoint
  depth: string
  seconds: number
  credits: number
  key_id: string
  key_hint: string
  project: string
  session: string
  human: string
  person: Generated<string>
  query: string | null
}

const STEPS: readonly Step[] = [
  (words) => {
    const { id, text, integer, real, strict } = words
    return `create table call_log (
     id ${id}, at ${integer} not null, request_id ${text} not null, endpoint ${text} not null,
     depth ${text} not null, seconds ${real} not null, credits ${integer} not null, key_id ${text} not null,
     key_hint ${text} not null, project ${text} not null, session ${text} not null, human ${text} not null, query ${text}
   ) ${strict};
   create index call_log_by_time on call_log (at);
   create index call_log_by_key on call_log (key_id, at);
   create index call_log_by_project on call_log (project, at) where project <> '';
   ${countStored(words, STORED_CALLS)};
   ${useTable(words)}`
  },
  ({ text }) => `alter table call_log add column person ${text} not null default '';`,
]

const addCall = once((q: Queries<CallTables>, call: Required<CallEntry>) =>
  q.insertInto("call_log").values({
    at: call.at,
    request_id: call.requestId,
    endpoint: call.endpoint,
    depth: call.depth,
    seconds: call.seconds,
    credits: call.credits,
    key_id: call.keyId,
    key_hint: call.keyHint,
    project: call.project,
    session: call.session,
    human: call.human,
    person: call.person,
    query: call.query,
  }),
)

const lastCall = once((q: Queries<CallTables>, { id }: { id: string }) =>
  q.selectFrom("call_log").select("at").where("key_id", "=", id).orderBy("at", "desc").limit(1),
)

/** Only the first part of a question matters, and only this many characters are stored. */
export const MOST_QUERY_CHARS = 4000

/**
 * The answered calls, in `state.db`, until they are pruned or make room for newer ones: the first to be deleted are the
 * oldest calls of the key with the most calls. Call `add` and `prune` inside a write transaction.
 */
export class CallLog {
  readonly stored: StoredUse
  readonly #db: StateStore
  readonly #limits: StoreLimits
  readonly #log: BoundedLog<CallRow>

  /** @param bytes maximum size of all calls together */
  constructor(db: StateStore, bytes = Infinity) {
    migrate(db, "call-log", STEPS)
    this.stored = new StoredUse(db, STORED_CALLS)
    this.#db = db
    this.#limits = storeLimits(bytes, 1)
    this.#log = new BoundedLog(db, { table: "call_log", owner: "key_id" })
  }

  async add(entry: CallEntry): Promise<void> {
    // The store runs these statements in this order, and none of them waits for the previous one's result.
    await Promise.all([
      addCall.run(this.#db, {
        ...entry,
        person: entry.person ?? "",
        query: entry.query?.slice(0, MOST_QUERY_CHARS) ?? null,
      }),
      countUse(this.#db, entry),
      this.stored.makeRoom(entry.keyId, this.#limits, this.#log.dropOldest),
    ])
  }

  /** Whether the log contains this call. */
  async has({ at, requestId }: Pick<CallEntry, "at" | "requestId">): Promise<boolean> {
    const row = await queriesOf<CallTables>(this.#db)
      .selectFrom("call_log")
      .select("id")
      .where("at", "=", at)
      .where("request_id", "=", requestId)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Calls that match, newest first. */
  async list({ limit, from, before, endpoints, project, keyId }: CallFilter): Promise<CallEntry[]> {
    const rows = await this.#log.list({ limit }, (eb) => [
      ...(from === undefined ? [] : [eb("at", ">=", from)]),
      ...(before === undefined ? [] : [eb("at", "<", before)]),
      ...(project === undefined ? [] : [eb("project", "=", project), eb("project", "<>", sql.lit(""))]),
      ...(keyId === undefined ? [] : [eb("key_id", "=", keyId)]),
      ...(endpoints === undefined ? [] : [eb("endpoint", "in", listed(endpoints))]),
    ])
    return rows.map(entryOf)
  }

  /** Like {@link useOfKeys}. */
  async use(asked: Parameters<typeof useOfKeys>[1]): Promise<KeyUse[]> {
    return await useOfKeys(this.#db, asked)
  }

  /** When each of these keys was last used for a counted call, in milliseconds since 1970; rounded to the day if that call has been deleted. */
  async lastUse(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map(await lastDays(this.#db))
    for (const id of keyIds) {
      const row = await lastCall.get(this.#db, { id })
      if (row !== undefined) found.set(id, row.at)
    }
    return found
  }

  /** Deletes up to `count` calls from before `time`. @returns how many were deleted */
  async prune(time: number, count: number): Promise<number> {
    await pruneUse(this.#db, Date.now())
    return await this.#log.prune(time, count)
  }
}

const entryOf = (row: Selectable<CallRow>): CallEntry => ({
  at: row.at,
  requestId: row.request_id,
  endpoint: row.endpoint,
  depth: row.depth,
  seconds: row.seconds,
  credits: row.credits,
  keyId: row.key_id,
  keyHint: row.key_hint,
  project: row.project,
  session: row.session,
  human: row.human,
  ...(row.person !== "" && { person: row.person }),
  query: row.query,
})

import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { BoundedLog } from "#base/work/bounded-log.ts"

import {
  countStored,
  storeLimits,
  type StoreLimits,
  type StoredTable,
  StoredUse,
} from "./storage/stored-use.ts"

/** Feedback on an answer or a session. */
export interface Feedback {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /** The answer's id, as given by the caller; empty for feedback on a session. */
  readonly requestId: string
  readonly sessionId: string
  /** The fields as received, validated. */
  readonly fields: Readonly<Record<string, unknown>>
}

export const STORED_FEEDBACK: StoredTable = {
  table: "feedback",
  key: "key_id",
  columns: ["request_id", "session_id", "fields"],
}

interface FeedbackTables {
  feedback: { id: string; at: number; key_id: string; request_id: string; session_id: string; fields: string }
}
type FeedbackRow = FeedbackTables["feedback"]

const STEPS: readonly Step[] = [
  (words) => {
    const { text, integer, strict } = words
    return `create table feedback (
     id ${text} primary key, at ${integer} not null, key_id ${text} not null, request_id ${text} not null,
     session_id ${text} not null, fields ${text} not null
   ) ${strict};
   create index feedback_by_time on feedback (at);
   create index feedback_by_key on feedback (key_id, at);
   ${countStored(words, STORED_FEEDBACK)}`
  },
]

/** Maximum number of entries, however small they are; one key may have half of them. */
const MOST_ENTRIES = 100_000
/** One key may fill 1/SHARE_OF_KEY of the room, so that there is room left for the others. */
const SHARE_OF_KEY = 2

/**
 * Feedback on answers, in `state.db`, until it is pruned or makes room for newer feedback: the first to be deleted is
 * the oldest entry of the key with the most entries. Call `add` and `prune` inside a write transaction.
 */
export class FeedbackStore {
  readonly stored: StoredUse
  readonly #queries: Queries<FeedbackTables>
  readonly #limits: StoreLimits
  readonly #log: BoundedLog<FeedbackRow>
  readonly prune: BoundedLog<FeedbackRow>["prune"]

  /** @param bytes maximum size of all feedback together */
  constructor(db: StateStore, bytes = Infinity) {
    migrate(db, "feedback", STEPS)
    this.stored = new StoredUse(db, STORED_FEEDBACK)
    this.#queries = queriesOf(db)
    this.#limits = storeLimits(bytes, SHARE_OF_KEY, { entries: MOST_ENTRIES })
    this.#log = new BoundedLog(db, { table: "feedback", owner: "key_id" })
    this.prune = this.#log.prune
  }

  async add({ id, at, keyId, requestId, sessionId, fields }: Feedback): Promise<void> {
    await this.#queries
      .insertInto("feedback")
      .values({
        id,
        at,
        key_id: keyId,
        request_id: requestId,
        session_id: sessionId,
        fields: JSON.stringify(fields),
      })
      .execute()
    await this.stored.makeRoom(keyId, this.#limits, this.#log.dropOldest)
  }

  /** All entries, newest first. */
  async list(slice: { readonly limit: number; readonly offset: number }): Promise<Feedback[]> {
    return (await this.#log.list(slice)).map((row) => ({
      id: row.id,
      at: row.at,
      keyId: row.key_id,
      requestId: row.request_id,
      sessionId: row.session_id,
      fields: JSON.parse(row.fields) as Record<string, unknown>,
    }))
  }

  async count(): Promise<number> {
    return await this.#log.count()
  }
}

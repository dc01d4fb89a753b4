import { migrate, prepareOnce, type StateStore } from "#base/store/state-store.ts"

/** What somebody thinks of an answer. */
export interface Feedback {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly keyId: string
  /** Of the answer, as its caller says; empty when it is about a session. */
  readonly requestId: string
  readonly sessionId: string
  /** The fields as they came, checked. */
  readonly fields: Readonly<Record<string, unknown>>
}

const STEPS = [
  `create table feedback (
     id text primary key, at integer not null, key_id text not null, request_id text not null,
     session_id text not null, fields text not null
   ) strict;
   create index feedback_by_time on feedback (at)`,
]

/** Feedback on answers, in `state.db`, until it is pruned. `add` and `prune` belong into a write transaction. */
export class FeedbackStore {
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    migrate(db, "feedback", STEPS)
    this.#prepare = prepareOnce(db)
  }

  add({ id, at, keyId, requestId, sessionId, fields }: Feedback): void {
    this.#prepare("insert into feedback values (?, ?, ?, ?, ?, ?)").run(
      id,
      at,
      keyId,
      requestId,
      sessionId,
      JSON.stringify(fields),
    )
  }

  /** Newest first. */
  list({ limit, offset }: { readonly limit: number; readonly offset: number }): Feedback[] {
    return this.#prepare("select * from feedback order by at desc, id limit ? offset ?")
      .all(limit, offset)
      .map((row) => ({
        id: row["id"] as string,
        at: Number(row["at"]),
        keyId: row["key_id"] as string,
        requestId: row["request_id"] as string,
        sessionId: row["session_id"] as string,
        fields: JSON.parse(row["fields"] as string) as Record<string, unknown>,
      }))
  }

  count(): number {
    return Number(this.#prepare("select count(*) as n from feedback").get()!["n"])
  }

  /** Forgets up to `count` from before `time`. @returns how many there were */
  prune(time: number, count: number): number {
    const { changes } = this.#prepare(
      "delete from feedback where id in (select id from feedback where at < ? order by at limit ?)",
    ).run(time, count)
    return Number(changes)
  }
}

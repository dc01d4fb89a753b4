import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"

import type { Journal } from "../../../server/outage/journal.ts"

/** The place in a journal where a call waits. */
export interface Place {
  readonly journal: Journal
  readonly at: number
}

/** A waiting call, and its place. */
export interface LateCall<T> extends Place {
  readonly call: T
}

interface LateTables {
  late_calls: { journal: string; counted: number }
}

const STEPS: readonly Step[] = [
  ({ text, integer, strict }) => `create table late_calls (
     journal ${text} primary key,
     -- How many entries are counted, from the beginning of the journal.
     counted ${integer} not null
   ) ${strict}`,
]

/** Brings the tables up to date. */
export const migrateLateCalls = (db: StateStore): void => migrate(db, "late-calls", STEPS)

/**
 * Calls answered while the state server was away, kept in journals until they are counted. The counting transaction
 * also records how far a journal has been counted, so each call is counted once even after a kill or a commit with an
 * unknown outcome.
 *
 * @typeParam T a call that can be represented in JSON
 */
export class LateCalls<T extends object> implements AsyncDisposable {
  readonly #own: Journal
  readonly #journals: readonly [Journal, ...Journal[]]
  readonly #queries: Queries<LateTables>

  /** @param journals the first is this process's own; the others belong to processes that have ended */
  constructor(db: StateStore, journals: readonly [Journal, ...Journal[]]) {
    migrateLateCalls(db)
    this.#queries = queriesOf(db)
    this.#journals = journals
    this.#own = journals[0]
  }

  /** Calls left over from earlier processes, in order. */
  get left(): readonly LateCall<T>[] {
    return this.#journals.flatMap((journal) =>
      journal.left.map((call, at) => ({ journal, at, call: call as T })),
    )
  }

  /** Adds a call, which is on the disk once this resolves. */
  async add(call: T): Promise<Place> {
    return { journal: this.#own, at: await this.#own.append(call) }
  }

  /** Counts calls with `write`, except those already counted. Call it inside a write transaction. */
  async count(calls: readonly LateCall<T>[], write: (call: T) => Promise<unknown>): Promise<void> {
    for (const [{ id }, waiting] of Map.groupBy(calls, ({ journal }) => journal)) {
      const row = await this.#queries
        .selectFrom("late_calls")
        .select("counted")
        .where("journal", "=", id)
        .executeTakeFirst()
      const before = row?.counted ?? 0
      // Written in parallel: in sequence, every statement would add a round trip while others are waiting to write.
      const ends = await Promise.allSettled(
        waiting.filter(({ at }) => at >= before).map(({ call }) => write(call)),
      )
      for (const end of ends) if (end.status === "rejected") throw end.reason
      const counted = Math.max(before, waiting.at(-1)!.at + 1)
      await this.#queries
        .insertInto("late_calls")
        .values({ journal: id, counted })
        .onConflict((conflict) => conflict.column("journal").doUpdateSet({ counted }))
        .execute()
    }
  }

  /** Removes each journal that has no calls beyond these. @returns the ids of the removed journals */
  async removeCounted(calls: readonly Place[]): Promise<readonly string[]> {
    const gone: string[] = []
    for (const [journal, places] of Map.groupBy(calls, (place) => place.journal)) {
      const { id } = journal
      if (await journal.clear(places.at(-1)!.at + 1)) gone.push(id)
    }
    return gone
  }

  /** Deletes the counting positions recorded for removed journals. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#queries.deleteFrom("late_calls").where("journal", "=", id).execute()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const journal of this.#journals) await journal[Symbol.asyncDispose]()
  }
}

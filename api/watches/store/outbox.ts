import { randomUUID } from "node:crypto"

import { dateOrNull } from "#base/store/date-columns.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { deletionTime } from "#base/store/clock/trusted-time.ts"
import { afterAttempt, type AttemptEnd, type DeliveryState, hasComeSql } from "#crawler/webhooks/backoff.ts"

import type { Watch } from "../watch.ts"

/** A message to one receiver, about entries of one watch. */
export interface WatchDelivery {
  /** The same for every attempt, so that a receiver can drop what it had before. */
  readonly id: string
  readonly watch: string
  readonly kind: "webhook" | "email"
  readonly receiver: string
  readonly firstEntry: number
  readonly lastEntry: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  /** Null once it is over. */
  readonly nextAttemptAt: Date | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** How an attempt ended. `reason`: for the log, what the holder of the watch must not learn of this network. */
export type Attempt = AttemptEnd & { readonly status: number | null; readonly reason?: string }

/** Entries of one message at most. */
export const MOST_ENTRIES = 50
const KEPT_MS = 7 * 24 * 3_600_000

/** Messages of watches that wait for their receivers: tried again for a day, as webhooks of sources are. */
export class Outbox {
  readonly #db: StateStore
  readonly #prepare: ReturnType<typeof prepareOnce>

  /** The tables are there: see `WatchStore`. */
  constructor(db: StateStore) {
    this.#db = db
    this.#prepare = prepareOnce(db)
  }

  /** Makes messages of what a watch found since its last, one for each receiver, as far as it is time. */
  collect({ id, webhook, emails, everyMinutes, paused }: Watch, now: number): void {
    const receivers = [
      ...(webhook === null ? [] : [["webhook", webhook] as const]),
      ...emails.map((one) => ["email", one] as const),
    ]
    const row = this.#prepare("select told_to, told_at from watch where id = ?").get(id)
    if (row === undefined || paused) return
    const toldAt = row["told_at"] as number | null
    // A clock that went back holds nothing up.
    if (toldAt !== null && Math.abs(now - toldAt) < everyMinutes * 60_000) return
    const entries = this.#prepare("select seq from watch_entry where watch = ? and seq > ? order by seq")
      .all(id, row["told_to"] as number)
      .map(({ seq }) => Number(seq))
    const last = entries.at(-1)
    if (last === undefined) return
    transaction(this.#db, () => {
      const told = this.#prepare(
        "update watch set told_to = ?2, told_at = ?3 where id = ?1 and told_to = ?4",
      ).run(id, last, now, row["told_to"] as number)
      // Another process was first.
      if (Number(told.changes) === 0) return
      for (let at = 0; at < entries.length; at += MOST_ENTRIES) {
        const stretch = entries.slice(at, at + MOST_ENTRIES)
        for (const [kind, receiver] of receivers) {
          this.#prepare(
            `insert into watch_delivery (id, watch, kind, receiver, first_entry, last_entry, created_at, due_at, first_due_at)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ).run(`msg_${randomUUID()}`, id, kind, receiver, stretch[0]!, stretch.at(-1)!, now, now, now)
        }
      }
    })
  }

  /** Messages whose time has come, oldest first, at most one for each receiver, none for those that are busy. */
  due(
    now: number,
    busy: ReadonlySet<string>,
    limit: number,
    served: readonly string[] = [],
  ): WatchDelivery[] {
    return this.#prepare(
      `select * from watch_delivery where ${hasComeSql("?3")} and seq in (
         select min(delivery.seq) from watch_delivery as delivery join watch on watch.id = delivery.watch
         where state = 'waiting' and paused = 0 and receiver not in (select value from json_each(?1))
         and watch.key not in (select value from json_each(?4)) group by receiver
       ) order by seq limit ?2`,
    )
      .all(JSON.stringify([...busy]), limit, now, JSON.stringify(served))
      .map(deliveryOf)
  }

  /** Keeps how an attempt ended. */
  settle(id: string, attempt: Attempt, now: number): void {
    const row = this.#prepare("select attempts, first_due_at from watch_delivery where id = ?").get(id)
    if (row === undefined) return
    const { state, attempts, dueAt, firstDueAt } = afterAttempt(row, attempt, now)
    this.#prepare(
      `update watch_delivery set state = ?, attempts = ?, attempted_at = ?, due_at = ?, first_due_at = ?, status = ?, error = ?
       where id = ?`,
    ).run(state, attempts, now, dueAt, firstDueAt, attempt.status, attempt.error, id)
  }

  /** Newest first. */
  list(watch: string, limit: number): WatchDelivery[] {
    return this.#prepare("select * from watch_delivery where watch = ? order by seq desc limit ?")
      .all(watch, limit)
      .map(deliveryOf)
  }

  /** Forgets what has been over for a week. */
  prune(now: number): void {
    this.#prepare("delete from watch_delivery where state <> 'waiting' and attempted_at < ?").run(
      deletionTime(this.#db, now) - KEPT_MS,
    )
  }
}

function deliveryOf(row: Record<string, unknown>): WatchDelivery {
  return {
    id: String(row["id"]),
    watch: String(row["watch"]),
    kind: row["kind"] as WatchDelivery["kind"],
    receiver: String(row["receiver"]),
    firstEntry: Number(row["first_entry"]),
    lastEntry: Number(row["last_entry"]),
    state: row["state"] as DeliveryState,
    attempts: Number(row["attempts"]),
    createdAt: new Date(Number(row["created_at"])),
    lastAttemptAt: dateOrNull(row["attempted_at"]),
    nextAttemptAt: dateOrNull(row["due_at"]),
    lastStatus: row["status"] as number | null,
    lastError: row["error"] as string | null,
  }
}

import { sql, type SqlBool } from "kysely"
import type { Clock } from "#base/clock.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"
import { type Message, Outbox } from "#base/work/outbox.ts"

import type { Watch } from "../watch.ts"

/** A message's own part: it is about entries of one watch. */
export interface Watched {
  readonly watch: string
  readonly kind: "webhook" | "email"
  readonly firstEntry: number
  readonly lastEntry: number
}

export type WatchDelivery = Message & Watched

/** Entries of one message at most. */
export const MOST_ENTRIES = 50

/** Messages of watches that wait for their receivers. */
export class WatchOutbox extends Outbox<Watched> {
  readonly #db: StateStore
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #clock: Clock

  /** The tables are there: see `WatchStore`. */
  constructor(db: StateStore, clock: Clock = Date.now) {
    super(db, {
      table: "watch_delivery",
      own: (row) => ({
        watch: String(row["watch"]),
        kind: row["kind"] as Watched["kind"],
        firstEntry: Number(row["first_entry"]),
        lastEntry: Number(row["last_entry"]),
      }),
      inOrder: true,
      maySend: sql<SqlBool>`watch in (select id from watch where paused = 0)`,
      clock,
    })
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#clock = clock
  }

  /** Makes messages of what a watch found since its last, one for each receiver, as far as it is time. */
  async collect({ id, key, webhook, emails, everyMinutes, paused }: Watch): Promise<void> {
    const now = this.#clock()
    const receivers = [
      ...(webhook === null ? [] : [["webhook", webhook] as const]),
      ...emails.map((one) => ["email", one] as const),
    ]
    const row = await this.#prepare("select told_to, told_at from watch where id = ?").get(id)
    if (row === undefined || paused) return
    const toldAt = row["told_at"] as number | null
    // A clock that went back holds nothing up.
    if (toldAt !== null && Math.abs(now - toldAt) < everyMinutes * 60_000) return
    const entries = (
      await this.#prepare("select seq from watch_entry where watch = ? and seq > ? order by seq").all(
        id,
        row["told_to"] as number,
      )
    ).map(({ seq }) => Number(seq))
    const last = entries.at(-1)
    if (last === undefined) return
    await transaction(this.#db, async () => {
      const told = await this.#prepare(
        "update watch set told_to = ?2, told_at = ?3 where id = ?1 and told_to = ?4",
      ).run(id, last, now, row["told_to"] as number)
      // Another process was first.
      if (Number(told.changes) === 0) return
      for (let at = 0; at < entries.length; at += MOST_ENTRIES) {
        const stretch = entries.slice(at, at + MOST_ENTRIES)
        for (const [kind, receiver] of receivers) {
          const own = { watch: id, kind, first_entry: stretch[0]!, last_entry: stretch.at(-1)! }
          await this.put(receiver, own, key)
        }
      }
    })
  }
}

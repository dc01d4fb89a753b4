import { sql, type SqlBool } from "kysely"
import type { Clock } from "#base/clock.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { type Message, Outbox } from "#base/work/outbox.ts"

import type { Watch } from "../watch.ts"
import type { WatchTables } from "./watch-tables.ts"

/** The message-specific fields, for entries of one watch. */
export interface Watched {
  readonly watch: string
  readonly kind: "webhook" | "email"
  readonly firstEntry: number
  readonly lastEntry: number
}

export type WatchDelivery = Message & Watched

/** Maximum number of entries in one message. */
export const MOST_ENTRIES = 50

/** Messages from watches that are waiting to be sent to their receivers. */
export class WatchOutbox extends Outbox<Watched> {
  readonly #db: StateStore
  readonly #queries: Queries<WatchTables>
  readonly #clock: Clock

  /** The tables already exist; `WatchStore` creates them. */
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
    this.#queries = queriesOf(db)
    this.#clock = clock
  }

  /** Makes messages from a watch's findings since its last messages, one for each receiver, if enough time has passed. */
  async collect({ id, key, webhook, emails, everyMinutes, paused }: Watch): Promise<void> {
    const now = this.#clock()
    const receivers = [
      ...(webhook === null ? [] : [["webhook", webhook] as const]),
      ...emails.map((one) => ["email", one] as const),
    ]
    const watch = await this.#queries
      .selectFrom("watch")
      .select(["told_to as toldTo", "told_at as toldAt"])
      .where("id", "=", id)
      .executeTakeFirst()
    if (watch === undefined || paused) return
    const { toldTo, toldAt } = watch
    // A clock that was set back does not delay messages.
    if (toldAt !== null && Math.abs(now - toldAt) < everyMinutes * 60_000) return
    const rows = await this.#queries
      .selectFrom("watch_entry")
      .select("seq")
      .where("watch", "=", id)
      .where("seq", ">", toldTo)
      .orderBy("seq")
      .execute()
    const entries = rows.map(({ seq }) => seq)
    const last = entries.at(-1)
    if (last === undefined) return
    await transaction(this.#db, async () => {
      const { numUpdatedRows } = await this.#queries
        .updateTable("watch")
        .set({ told_to: last, told_at: now })
        .where("id", "=", id)
        .where("told_to", "=", toldTo)
        .executeTakeFirst()
      // Another process was first.
      if (numUpdatedRows === 0n) return
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

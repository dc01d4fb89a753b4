import type { Insertable } from "kysely"
import type { Page } from "#engine"
import { normalReaders, readersLabel } from "#engine/index/page/readers.ts"
import type { Clock } from "#base/clock.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { notePagesForNobody } from "./pages-for-nobody.ts"
import { migrateReaders, type ReadersTables } from "./readers-schema.ts"

/** A label is registered again after this time, which is a small part of the time for which rules are kept. */
const KNOWN_MS = 3_600_000

/** Stores what the labels on pages in the index mean. */
export class ReaderRules {
  readonly #db: StateStore
  readonly #clock: Clock
  /** When each label was last registered. */
  readonly #known = new Map<string, number>()

  constructor(db: StateStore, clock: Clock = Date.now) {
    migrateReaders(db)
    this.#db = db
    this.#clock = clock
  }

  /** Stores the meaning of the pages' labels. Must be called before the pages are written: a page with an unknown label is hidden. */
  async register(pages: readonly Pick<Page, "url" | "source" | "sharedWith" | "readers">[]): Promise<void> {
    if (pages.length > 0) await notePagesForNobody(this.#db, pages)
    const now = this.#clock()
    const fresh = new Map<string, Insertable<ReadersTables["reader_rule"]>>()
    for (const { readers } of pages) {
      if (readers === undefined) continue
      const label = readersLabel(readers)
      if (label === null || (this.#known.get(label) ?? -Infinity) > now - KNOWN_MS) continue
      fresh.set(label, { label, readers: JSON.stringify(normalReaders(readers)), seen_at: now })
    }
    if (fresh.size === 0) return
    await queriesOf<ReadersTables>(this.#db)
      .insertInto("reader_rule")
      .values([...fresh.values()])
      .onConflict((conflict) => conflict.column("label").doUpdateSet({ seen_at: now }))
      .execute()
    for (const label of fresh.keys()) this.#known.set(label, now)
  }
}

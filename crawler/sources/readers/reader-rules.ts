import type { Insertable } from "kysely"
import type { Page } from "#engine"
import { normalReaders, readersLabel } from "#engine/index/page/readers.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { notePagesForNobody } from "./pages-for-nobody.ts"
import { migrateReaders, type ReadersTables } from "./readers-schema.ts"

/** What the labels of pages in the index stand for. A label whose page has left stays: the same readers come again, and a row is small. */
export class ReaderRules {
  readonly #db: StateStore
  /** Labels that this object has seen in the table. */
  readonly #known = new Set<string>()

  constructor(db: StateStore) {
    migrateReaders(db)
    this.#db = db
  }

  /** Makes the readers of pages known. Call it before the pages are written: a page whose label nobody knows is hidden from everybody. */
  async register(pages: readonly Pick<Page, "url" | "source" | "sharedWith" | "readers">[]): Promise<void> {
    if (pages.length > 0) await notePagesForNobody(this.#db, pages)
    const fresh = new Map<string, Insertable<Omit<ReadersTables["reader_rule"], "id">>>()
    for (const { readers } of pages) {
      if (readers === undefined) continue
      const label = readersLabel(readers)
      if (label === null || this.#known.has(label)) continue
      fresh.set(label, { label, readers: JSON.stringify(normalReaders(readers)) })
    }
    if (fresh.size === 0) return
    await queriesOf<{ reader_rule: Omit<ReadersTables["reader_rule"], "id"> }>(this.#db)
      .insertInto("reader_rule")
      .values([...fresh.values()])
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    for (const label of fresh.keys()) this.#known.add(label)
  }
}

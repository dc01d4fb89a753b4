import type { PageUrl } from "#engine"
import { queriesOf } from "#base/store/query/queries.ts"
import { listed } from "#base/store/query/words.ts"
import { migrate, type StateStore, type Step } from "#base/store/state-store.ts"
import { heldAmong } from "../crawl/frontier/source-pages.ts"
import type { SharedPages } from "./shared-pages.ts"

interface UnrecordedTables {
  unrecorded_page: { source: string; url: PageUrl }
}

const STEPS: readonly Step[] = [
  ({ text, keyed }) =>
    `create table unrecorded_page (source ${text} not null, url ${text} not null, primary key (source, url)) ${keyed}`,
]

export function migrateUnrecorded(db: StateStore): void {
  migrate(db, "unrecorded-pages", STEPS)
}

/**
 * Tracks the pages that a source is writing to the index, from before the write until their outcomes are recorded. If a
 * process dies in between, the index has pages that no run knows and no run would remove.
 */
export class UnrecordedPages {
  readonly #db: StateStore
  readonly #source: string

  constructor(db: StateStore, source: string) {
    migrateUnrecorded(db)
    this.#db = db
    this.#source = source
  }

  async note(urls: Iterable<PageUrl>): Promise<void> {
    await this.#queries
      .insertInto("unrecorded_page")
      .values([...urls].map((url) => ({ source: this.#source, url })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async forget(urls: Iterable<PageUrl>): Promise<void> {
    await this.#queries
      .deleteFrom("unrecorded_page")
      .where("source", "=", this.#source)
      .where("url", "in", listed(urls))
      .execute()
  }

  /**
   * Removes the pages that a lost process left in the index. Only the process that works on the source may call it,
   * while it has the index open for writing.
   * @returns the pages removed from the index
   */
  async settle(shared: Pick<SharedPages, "letGo">): Promise<PageUrl[]> {
    const rows = this.#queries.selectFrom("unrecorded_page").select("url").where("source", "=", this.#source)
    const urls = (await rows.execute()).map(({ url }) => url)
    if (urls.length === 0) return []
    const held = await heldAmong(this.#db, this.#source, urls)
    const unknown = urls.filter((url) => !held.has(url))
    const left = await shared.letGo(unknown.map((url) => ({ url, isGone: false })))
    await this.forget(urls)
    return left
  }

  get #queries() {
    return queriesOf<UnrecordedTables>(this.#db)
  }
}

import type { PageUrl } from "#engine"
import { queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { learnedRules } from "./address-book.ts"
import { folded, siteOf, spellings } from "./address-forms.ts"
import { migrateTexts, ofSources, type TextTables } from "./text-store.ts"
import { withoutTracking } from "./tracking-parameters.ts"

/** Finds pages by their alternative addresses. Read-only. */
export class OtherAddresses {
  readonly #db: StateStore

  constructor(db: StateStore) {
    this.#db = db
    migrateTexts(db)
  }

  /** The pages that an address is an alternative for, according to these sources, or to any source if `null`. */
  async pagesOf(url: PageUrl, sources: readonly string[] | null): Promise<PageUrl[]> {
    const pages = queriesOf<TextTables>(this.#db).selectFrom("page_alias").select("of").distinct()
    const rows = await pages.where("url", "=", url).where(ofSources(sources)).orderBy("of").execute()
    return rows.map(({ of }) => of)
  }

  /**
   * Addresses that name the same page as `url`, likeliest first: the one crawled in its place, by the site's rules,
   * then other spellings of both.
   */
  async spellingsOf(url: PageUrl): Promise<PageUrl[]> {
    const clean = withoutTracking(url)
    const crawled = folded(clean, await learnedRules(this.#db, siteOf(clean), Date.now()))
    const all = new Set([crawled, clean, ...spellings(crawled), ...spellings(clean)])
    all.delete(url)
    return [...all]
  }
}

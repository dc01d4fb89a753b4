import type { PageUrl } from "#engine"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"
import { learnedRules } from "./address-book.ts"
import { folded, siteOf, spellings } from "./address-forms.ts"
import { migrateTexts } from "./text-store.ts"
import { withoutTracking } from "./tracking-parameters.ts"

/** Finds pages by addresses that are not theirs. It only looks. */
export class OtherAddresses {
  readonly #db: StateStore
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    this.#db = db
    this.#prepare = prepareOnce(db)
    migrateTexts(db)
  }

  /** The pages that an address is another one of, as any of these sources found; null: as any source did. */
  async pagesOf(url: PageUrl, sources: readonly string[] | null): Promise<PageUrl[]> {
    return (
      await this.#prepare(
        `select distinct of from page_alias where url = ?1 and (?2 is null or source in (select value from json_each(?2)))
       order by of`,
      ).all(url, sources && JSON.stringify(sources))
    ).map((row) => row["of"] as PageUrl)
  }

  /**
   * Addresses that name the same page, likeliest first: the one that is crawled in its place, by what was learned of the site,
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

import type { Selection } from "kysely"
import type { PageUrl } from "#engine"
import type { Validators } from "../../fetch/fetch.ts"
import type { FrontierTables, ListingKind } from "./frontier-schema.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

/** A sitemap or feed as recorded by an earlier run of the source. Times are milliseconds since 1970. */
export interface Listing {
  readonly url: PageUrl
  readonly kind: ListingKind
  /** The page or index that first named it; `null` if only the source named it, or nothing did. */
  readonly foundOn: string | null
  /** Its `lastmod` in the sitemap index that names it. */
  readonly namedAt: number | null
  readonly validators: Validators
  /** When it was last read to its end, by a run that covered all of it; `null` if never. */
  readonly readAt: number | null
}

/**
 * The sitemaps and feeds of a source, kept between runs. What a run learns is stored only if the run ends normally: a
 * run that was cut short may have left listed pages unread, so the lists have to be read again.
 */
export class Listings {
  readonly #db: StateStore
  readonly #source: string
  readonly #seen = new Map<PageUrl, Listing>()

  constructor(db: StateStore, source: string) {
    this.#db = db
    this.#source = source
  }

  async get(url: PageUrl): Promise<Listing | null> {
    const row = await this.#lists().where("url", "=", url).executeTakeFirst()
    return row ? listingOf(row) : null
  }

  async all(kind: ListingKind): Promise<Listing[]> {
    return (await this.#lists().where("kind", "=", kind).orderBy("url").execute()).map(listingOf)
  }

  /** Records immediately that the page or index `foundOn` names a list, because `foundOn` may not be read again for a while. */
  async name(url: PageUrl, kind: ListingKind, foundOn: string | null): Promise<void> {
    await this.#queries
      .insertInto("listing")
      .values({ source: this.#source, url, kind, found_on: foundOn })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** Forgets a list that no longer exists. */
  async forget(url: PageUrl): Promise<void> {
    await this.#forget().where("url", "=", url).execute()
  }

  /** Forgets all lists of the source. */
  async forgetAll(): Promise<void> {
    await this.#forget().execute()
  }

  /** Records that a list was read, or has not changed. */
  note(listing: Listing): void {
    this.#seen.set(listing.url, listing)
  }

  /** Stores the records. `whole`: whether all addresses in the lists were visited or are known. */
  async keep(whole: boolean): Promise<void> {
    await transaction(this.#db, async () => {
      for (const { url, kind, foundOn, namedAt, validators, readAt } of this.#seen.values()) {
        const { etag, lastModified } = validators
        const kept = {
          kind,
          named_at: whole ? namedAt : null,
          etag: whole ? etag : null,
          last_modified: whole ? lastModified : null,
          read_at: whole ? readAt : null,
        }
        await this.#queries
          .insertInto("listing")
          .values({ source: this.#source, url, found_on: foundOn, ...kept })
          .onConflict((conflict) =>
            conflict.columns(["source", "url"]).doUpdateSet((eb) => ({
              ...kept,
              found_on: eb.fn.coalesce("excluded.found_on", "listing.found_on"),
            })),
          )
          .execute()
      }
    })
    this.#seen.clear()
  }

  #lists() {
    return this.#queries.selectFrom("listing").select(LISTING).where("source", "=", this.#source)
  }

  #forget() {
    return this.#queries.deleteFrom("listing").where("source", "=", this.#source)
  }

  get #queries(): Queries<FrontierTables> {
    return queriesOf(this.#db)
  }
}

const LISTING = [
  "url",
  "kind",
  "found_on as foundOn",
  "named_at as namedAt",
  "etag",
  "last_modified as lastModified",
  "read_at as readAt",
] as const

const listingOf = ({
  etag,
  lastModified,
  ...list
}: Selection<FrontierTables, "listing", (typeof LISTING)[number]>): Listing => ({
  ...list,
  validators: { etag, lastModified },
})

import type { PageUrl } from "#engine"
import type { Validators } from "../../fetch/fetch.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

/** `llms`: an llms.txt, a site's list of links for language models. */
export type ListingKind = "sitemap" | "feed" | "llms"

/** A sitemap or feed as an earlier run of the source left it. Times are milliseconds since 1970. */
export interface Listing {
  readonly url: PageUrl
  readonly kind: ListingKind
  /** The page or index that named it first; null: the source, or none. */
  readonly foundOn: string | null
  /** Its `lastmod` in the index of sitemaps that names it. */
  readonly namedAt: number | null
  readonly validators: Validators
  /** When it was last read to its end, by a run that took in all of it; null: never. */
  readonly readAt: number | null
}

/**
 * The sitemaps and feeds of a source, from one run to the next. What a run learns is kept when the run came to its
 * end: one that was cut short may have left listed pages unread, and has to see the lists again.
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
    const row = await this.#db
      .prepare("select * from listing where source = ? and url = ?")
      .get(this.#source, url)
    return row ? listingOf(row) : null
  }

  async all(kind: ListingKind): Promise<Listing[]> {
    return (
      await this.#db
        .prepare("select * from listing where source = ? and kind = ? order by url")
        .all(this.#source, kind)
    ).map(listingOf)
  }

  /** Keeps at once that the page or index `foundOn` names a list: it may not be read again for a while. */
  async name(url: PageUrl, kind: ListingKind, foundOn: string | null): Promise<void> {
    await this.#db
      .prepare("insert or ignore into listing (source, url, kind, found_on) values (?, ?, ?, ?)")
      .run(this.#source, url, kind, foundOn)
  }

  /** Forgets a list that is gone. */
  async forget(url: PageUrl): Promise<void> {
    await this.#db.prepare("delete from listing where source = ? and url = ?").run(this.#source, url)
  }

  /** Forgets all lists of the source. */
  async forgetAll(): Promise<void> {
    await this.#db.prepare("delete from listing where source = ?").run(this.#source)
  }

  /** Takes down that a list was read, or is as it was. */
  note(listing: Listing): void {
    this.#seen.set(listing.url, listing)
  }

  /** Keeps what was noted. `whole`: all that the lists name was visited, or is known. */
  async keep(whole: boolean): Promise<void> {
    const keep = this.#db.prepare(
      `insert into listing (source, url, kind, found_on, named_at, etag, last_modified, read_at)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       on conflict (source, url) do update set kind = ?3, found_on = coalesce(?4, found_on), named_at = ?5, etag = ?6,
         last_modified = ?7, read_at = ?8`,
    )
    await transaction(this.#db, async () => {
      for (const { url, kind, foundOn, namedAt, validators, readAt } of this.#seen.values()) {
        const { etag, lastModified } = validators
        const kept = whole ? [namedAt, etag, lastModified, readAt] : [null, null, null, null]
        await keep.run(this.#source, url, kind, foundOn, ...kept)
      }
    })
    this.#seen.clear()
  }
}

function listingOf(row: Record<string, unknown>): Listing {
  return {
    url: row["url"] as PageUrl,
    kind: row["kind"] as ListingKind,
    foundOn: row["found_on"] as string | null,
    namedAt: row["named_at"] as number | null,
    validators: { etag: row["etag"] as string | null, lastModified: row["last_modified"] as string | null },
    readAt: row["read_at"] as number | null,
  }
}

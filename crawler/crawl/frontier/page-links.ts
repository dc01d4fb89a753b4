import { deflateRawSync, inflateRawSync } from "node:zlib"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { PageUrl } from "#engine"
import type { FrontierTables } from "./frontier-schema.ts"
import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import type { StateStore } from "#base/store/state-store.ts"

/**
 * The maximum size of one page's packed links, in bytes; if a page has more, its links are not kept, so that it is
 * always read again. A page of documentation takes 200 to 350.
 */
const MAX_PACKED_BYTES = 32 * 1024

/** Number of pages whose links are checked in one go, which takes about 20 ms. */
const CHUNK = 500

/** Links as bytes, without the host for those on the page's own host; `null` if there are too many to keep. */
export function packLinks(page: PageUrl, links: Iterable<string>): Uint8Array | null {
  const { origin } = new URL(page)
  const own = `${origin}/`
  // Sorted links repeat each other's beginnings, which makes them compress well.
  const lines = [...new Set(links)]
    .map((link) => (link.startsWith(own) ? link.slice(origin.length) : link))
    .sort()
  const packed = deflateRawSync(lines.join("\n"))
  return packed.byteLength > MAX_PACKED_BYTES ? null : packed
}

/** The links that were passed to {@link packLinks}, in another order. */
export function unpackLinks(page: PageUrl, packed: Uint8Array): string[] {
  const text = inflateRawSync(packed).toString("utf8")
  if (text === "") return []
  const { origin } = new URL(page)
  return text.split("\n").map((line) => (line.startsWith("/") ? origin + line : line))
}

interface Key {
  readonly url: PageUrl
  readonly source: string
}

const linksOf = once((q: Queries<FrontierTables>, { url, source }: Key) =>
  q.selectFrom("page_links").select("links").where("url", "=", url).where("source", "=", source),
)

const hasLinks = once((q: Queries<FrontierTables>, { url, source }: Key) =>
  q.selectFrom("page_links").select("url").where("url", "=", url).where("source", "=", source),
)

const drop = once((q: Queries<FrontierTables>, { url, source }: Key) =>
  q.deleteFrom("page_links").where("url", "=", url).where("source", "=", source),
)

const keep = once((q: Queries<FrontierTables>, { url, source, links }: Key & { links: Uint8Array }) =>
  q
    .insertInto("page_links")
    .values({ url, source, links })
    .onConflict((conflict) =>
      conflict
        .columns(["url", "source"])
        .doUpdateSet((eb) => ({ links: eb.ref("excluded.links") }))
        .whereRef("page_links.links", "<>", "excluded.links"),
    ),
)

/** Known addresses whose links are kept, with the links. */
export const withLinks = (q: Queries<FrontierTables>) =>
  q
    .selectFrom("known_address")
    .innerJoin("page_links", (on) =>
      on
        .onRef("page_links.url", "=", "known_address.url")
        .onRef("page_links.source", "=", "known_address.source"),
    )
    .select(["known_address.url", "links"])

/**
 * The links of each source's pages, in `state.db`. A page that has not changed is not read again, but a run with a
 * wider limit, depth or scope than earlier ones still needs its links.
 */
export class PageLinks {
  readonly #db: StateStore

  /** `KnownAddresses` creates the table together with its own. */
  constructor(db: StateStore) {
    this.#db = db
  }

  /** Returns `null` if the links are not known. */
  async get(source: string, url: PageUrl): Promise<string[] | null> {
    const row = await linksOf.get(this.#db, { url, source })
    return row ? unpackLinks(url, row.links) : null
  }

  async has(source: string, url: PageUrl): Promise<boolean> {
    return (await hasLinks.get(this.#db, { url, source })) !== undefined
  }

  /** Runs in the caller's transaction. If `packed` is `null`, the links are forgotten. */
  async keep(source: string, url: PageUrl, packed: Uint8Array | null): Promise<void> {
    await (packed === null
      ? drop.run(this.#db, { url, source })
      : keep.run(this.#db, { url, source, links: packed }))
  }

  /**
   * Pages of a source that link to `target`, sorted by address: at most `limit`, found by checking the source's first
   * `most` pages. Lets other work run in between.
   * @returns the pages, and whether all pages were checked
   */
  async linking(
    source: string,
    target: PageUrl,
    { limit, most }: { readonly limit: number; readonly most: number },
    signal?: AbortSignal,
  ): Promise<{ readonly urls: readonly PageUrl[]; readonly isAll: boolean }> {
    const urls: PageUrl[] = []
    let after = "" as PageUrl
    for (let looked = 0; looked < most; looked += CHUNK) {
      const rows = await queriesOf<FrontierTables>(this.#db)
        .selectFrom("page_links")
        .select(["url", "links"])
        .where("source", "=", source)
        .where("url", ">", after)
        .orderBy("url")
        .limit(CHUNK)
        .execute()
      for (const { url, links } of rows) {
        if (url === target || !unpackLinks(url, links).includes(target)) continue
        if (urls.length === limit) return { urls, isAll: false }
        urls.push(url)
      }
      if (rows.length < CHUNK) return { urls, isAll: true }
      after = rows.at(-1)!.url
      await nextTurn()
      signal?.throwIfAborted()
    }
    return { urls, isAll: false }
  }

  /**
   * The page of a source that links to `target` with the fewest steps from a seed, or `null`. Checks `most` pages, so
   * that it takes a second at most.
   */
  async naming(
    source: string,
    target: PageUrl,
    most = 20_000,
  ): Promise<{ url: PageUrl; depth: number } | null> {
    const rows = withLinks(queriesOf<FrontierTables>(this.#db))
      .select("depth")
      .where("known_address.source", "=", source)
      .orderBy("depth")
      .limit(most)
    for await (const { url, depth, links } of rows.stream())
      if (unpackLinks(url, links).includes(target)) return { url, depth }
    return null
  }
}

import { deflateRawSync, inflateRawSync } from "node:zlib"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { PageUrl } from "#engine"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"

/**
 * The links of one page in at most so many bytes; those of a page with more are not kept, so that it is always read
 * again. A page of documentation takes 200 to 350.
 */
const MAX_PACKED_BYTES = 32 * 1024

/** Pages whose links are looked through in one go: some 20 ms. */
const CHUNK = 500

/** Links as bytes, those to the page's own host without it; null when there are too many to keep. */
export function packLinks(page: PageUrl, links: Iterable<string>): Uint8Array | null {
  const { origin } = new URL(page)
  const own = `${origin}/`
  // In order they repeat each other's beginnings, which is what the compression lives on.
  const lines = [...new Set(links)]
    .map((link) => (link.startsWith(own) ? link.slice(origin.length) : link))
    .sort()
  const packed = deflateRawSync(lines.join("\n"))
  return packed.byteLength > MAX_PACKED_BYTES ? null : packed
}

/** The links that {@link packLinks} was given, in another order. */
export function unpackLinks(page: PageUrl, packed: Uint8Array): string[] {
  const text = inflateRawSync(packed).toString("utf8")
  if (text === "") return []
  const { origin } = new URL(page)
  return text.split("\n").map((line) => (line.startsWith("/") ? origin + line : line))
}

/**
 * Where the pages of each source lead, in `state.db`: a page that has not changed is not read again, and what it leads
 * to is wanted all the same by a run whose limit, depth or scope is wider than those before.
 */
export class PageLinks {
  readonly #prepare: ReturnType<typeof prepareOnce>

  /** The table is made with that of `KnownAddresses`. */
  constructor(db: StateStore) {
    this.#prepare = prepareOnce(db)
  }

  /** Null: they are not known. */
  async get(source: string, url: PageUrl): Promise<string[] | null> {
    const row = await this.#prepare("select links from page_links where url = ? and source = ?").get(
      url,
      source,
    )
    return row ? unpackLinks(url, row["links"] as Uint8Array) : null
  }

  async has(source: string, url: PageUrl): Promise<boolean> {
    return (
      (await this.#prepare("select 1 from page_links where url = ? and source = ?").get(url, source)) !==
      undefined
    )
  }

  /** Runs in the caller's transaction. `packed` null: forgets them. */
  async keep(source: string, url: PageUrl, packed: Uint8Array | null): Promise<void> {
    if (packed === null) {
      await this.#prepare("delete from page_links where url = ? and source = ?").run(url, source)
      return
    }
    await this.#prepare(
      `insert into page_links (url, source, links) values (?, ?, ?)
       on conflict (url, source) do update set links = excluded.links where links <> excluded.links`,
    ).run(url, source, packed)
  }

  /**
   * Pages of a source that link to `target`, in the order of their addresses: `limit` at most, of the first `most`.
   * Others have their turn meanwhile.
   * @returns them, and whether all pages were looked through
   */
  async linking(
    source: string,
    target: PageUrl,
    { limit, most }: { readonly limit: number; readonly most: number },
    signal?: AbortSignal,
  ): Promise<{ readonly urls: readonly PageUrl[]; readonly isAll: boolean }> {
    const urls: PageUrl[] = []
    let after = ""
    for (let looked = 0; looked < most; looked += CHUNK) {
      const rows = await this.#prepare(
        `select url, links from page_links where source = ? and url > ? order by url limit ${CHUNK}`,
      ).all(source, after)
      for (const row of rows) {
        const url = row["url"] as PageUrl
        if (url === target || !unpackLinks(url, row["links"] as Uint8Array).includes(target)) continue
        if (urls.length === limit) return { urls, isAll: false }
        urls.push(url)
      }
      if (rows.length < CHUNK) return { urls, isAll: true }
      after = String(rows.at(-1)?.["url"])
      await nextTurn()
      signal?.throwIfAborted()
    }
    return { urls, isAll: false }
  }

  /**
   * The page of a source that names `target`, with the fewest steps from a seed, or null. Looks through `most` pages,
   * so that it takes a second at the longest.
   */
  async naming(
    source: string,
    target: PageUrl,
    most = 20_000,
  ): Promise<{ url: PageUrl; depth: number } | null> {
    const rows = this.#prepare(
      `select url, depth, links from known_address join page_links using (url, source)
       where source = ? order by depth limit ?`,
    ).iterate(source, most)
    for await (const row of rows) {
      const url = row["url"] as PageUrl
      if (unpackLinks(url, row["links"] as Uint8Array).includes(target))
        return { url, depth: Number(row["depth"]) }
    }
    return null
  }
}

import { gunzipSync, gzipSync } from "node:zlib"
import type { Page, PageUrl } from "#engine"
import { replaceSql } from "#base/store/state-port.ts"
import { prepareOnce, type StateStore } from "#base/store/state-store.ts"

/** The pages that were removed, packed, until they are put back or their removal is forgotten. */
export class RemovedCopies {
  readonly #prepare: ReturnType<typeof prepareOnce>

  constructor(db: StateStore) {
    this.#prepare = prepareOnce(db)
  }

  async keep(url: PageUrl, source: string, page: Page): Promise<void> {
    await this.#prepare(replaceSql("removed_page", ["url", "source", "page"], ["url", "source"])).run(
      url,
      source,
      packPage(page),
    )
  }

  /** Null when there is none. */
  async get(url: PageUrl, source: string): Promise<Page | null> {
    const row = await this.#prepare("select page from removed_page where url = ? and source = ?").get(
      url,
      source,
    )
    return row === undefined ? null : unpackPage(row["page"] as Uint8Array)
  }

  async drop(url: PageUrl, source: string): Promise<void> {
    await this.#prepare("delete from removed_page where url = ? and source = ?").run(url, source)
  }

  /** Drops those whose removal is over: taken back, or so old that it is forgotten. */
  async dropForgotten(): Promise<void> {
    await this.#prepare(
      "delete from removed_page where (url, source) not in (select url, source from removal)",
    ).run()
  }
}

/** A page as bytes, small enough to be kept for a while. */
function packPage(page: Page): Uint8Array {
  return gzipSync(JSON.stringify(page))
}

/** The page that {@link packPage} was given. */
function unpackPage(bytes: Uint8Array): Page {
  const page = JSON.parse(gunzipSync(bytes).toString("utf8")) as Page & {
    readonly publishedAt: string | null
    readonly fetchedAt: string
  }
  return {
    ...page,
    publishedAt: page.publishedAt === null ? null : new Date(page.publishedAt),
    fetchedAt: new Date(page.fetchedAt),
  }
}

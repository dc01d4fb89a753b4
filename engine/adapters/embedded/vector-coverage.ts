import type { PageCoverage } from "../../engine.ts"
import type { Condition } from "../../index/search-index.ts"
import { isIn, whereOf } from "./filter.ts"
import { batchesOf } from "./lance/rows.ts"
import { FIRST_SECTION } from "./lance/schema.ts"
import type { IndexedPage, Tables } from "./lance/tables.ts"
import { steadyNow } from "#base/steady-time.ts"

/** How long a count is reused: counting is expensive on a large index, and only a crawl changes the result. */
const CHECK_EVERY_MS = 2000

/** How many pages have text to embed, and how many of these have readable vectors; counts all pages, or only those that match. */
export async function countEmbedded(
  { pages, vectors }: Tables,
  conditions: readonly Condition[] = [],
  sharings: readonly string[] = [],
): Promise<{ wanted: number; embedded: number }> {
  const rule = (text: string, id: "id" | "page") =>
    [text, whereOf(conditions, id, sharings)].filter((one) => one !== undefined).join(" AND ")
  const [wanted, embedded] = await Promise.all([
    pages.countRows(rule("passage_count > 0", "id")),
    vectors.countRows(rule("position = 0", "page")).catch(() => 0),
  ])
  return { wanted, embedded }
}

/** The vectors of one page, or `null` if there is no such page. */
export async function coverageOf({ pages, vectors }: Tables, id: string): Promise<PageCoverage | null> {
  const found = pages
    .query()
    .where(`${isIn("id", [id])} AND ${FIRST_SECTION}`)
    .select(["id", "revision", "passage_count"])
  for await (const batch of batchesOf<Pick<IndexedPage, "revision" | "passage_count">>(found)) {
    for (const { revision, passage_count } of batch) {
      const current = `${isIn("page", [id])} and revision = ${revision}`
      return { passages: passage_count, vectors: await vectors.countRows(current) }
    }
  }
  return null
}

/** Tracks, for a reading process, whether every page has its vectors; slightly out of date. */
export class VectorCoverage implements AsyncDisposable {
  #checking = Promise.resolve()
  #complete = false
  #versions = ""
  #checkedAt = 0

  /** Returns at once; false until the first count is done. */
  isComplete(tables: Tables): boolean {
    if (steadyNow() - this.#checkedAt > CHECK_EVERY_MS) {
      this.#checkedAt = steadyNow()
      // The search reports any failure, because it reads the same tables.
      this.#checking = this.#check(tables).catch(() => undefined)
    }
    return this.#complete
  }

  /** Waits for a count in progress: a table that is being counted can't be closed. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#checking
  }

  async #check(tables: Tables): Promise<void> {
    const versions = (await Promise.all([tables.pages.version(), tables.vectors.version()])).join()
    if (versions === this.#versions) return
    const { wanted, embedded } = await countEmbedded(tables)
    this.#complete = embedded >= wanted
    this.#versions = versions
  }
}

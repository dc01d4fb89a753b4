import type { Tables } from "./tables.ts"

/** Counting is dear on a large index, and only a crawl changes the outcome. */
const CHECK_EVERY_MS = 2000

/** How many pages have a text to embed, and how many of them have vectors. */
export async function countEmbedded({
  pages,
  vectors,
}: Tables): Promise<{ wanted: number; embedded: number }> {
  const [wanted, embedded] = await Promise.all([
    pages.countRows("passage_count > 0"),
    vectors.countRows("position = 0"),
  ])
  return { wanted, embedded }
}

/** Tells a process that reads whether every page has its vectors, as it was a moment ago. */
export class VectorCoverage {
  #complete = false
  #versions = ""
  #checkedAt = 0

  /** At once; false until the first count is done. */
  isComplete(tables: Tables): boolean {
    if (Date.now() - this.#checkedAt > CHECK_EVERY_MS) {
      this.#checkedAt = Date.now()
      // A failure is the search's to report: it reads the same tables.
      this.#check(tables).catch(() => undefined)
    }
    return this.#complete
  }

  async #check(tables: Tables): Promise<void> {
    const versions = (await Promise.all([tables.pages.version(), tables.vectors.version()])).join()
    if (versions === this.#versions) return
    const { wanted, embedded } = await countEmbedded(tables)
    this.#complete = embedded >= wanted
    this.#versions = versions
  }
}

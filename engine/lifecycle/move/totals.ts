import { createHash } from "node:crypto"
import type { ExportTotals } from "./format/export-format.ts"
import type { ExportedPage } from "./format/exported-page.ts"

/** Counts pages as they are seen, in order of their ids. */
export class RunningTotals {
  #pages = 0
  #passages = 0
  #pagesWithVectors = 0
  readonly #content = createHash("sha256")

  get pages(): number {
    return this.#pages
  }

  add({ passages, vectors, digest }: Pick<ExportedPage, "passages" | "vectors" | "digest">): void {
    this.#pages++
    this.#passages += passages
    if (vectors !== null) this.#pagesWithVectors++
    this.#content.update(digest)
  }

  /** The totals so far; more may follow. */
  totals(): ExportTotals {
    return {
      pages: this.#pages,
      passages: this.#passages,
      pagesWithVectors: this.#pagesWithVectors,
      content: this.#content.copy().digest("hex"),
    }
  }
}

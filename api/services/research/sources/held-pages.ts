import type { Hit } from "#engine"
import { MAX_PAGE_CHARS } from "#engine/answer-extraction/follow-ups.ts"
import type { ByteBudget } from "#base/flow/memory/byte-budget.ts"

import { BYTES_PER_CHAR } from "../../../server/load/memory/memory.ts"

/** Number of the best pages that are searched for follow-up questions. */
const TEXTS_HELD = 10

/** Memory for the texts of found pages that are being read, for all tasks together. */
export class PageMemory {
  readonly #budget: ByteBudget

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /**
   * Calls `work` with the best hits that fit into memory, and frees the memory afterwards.
   * @returns the result of `work`, and the number of hits left out
   */
  async read<T>(
    hits: readonly Hit[],
    work: (hits: readonly Hit[]) => Promise<T>,
  ): Promise<{ readonly made: T; readonly unread: number }> {
    using account = this.#budget.open()
    const read = hits.filter(({ markdown }) => account.reserve(markdown.length * BYTES_PER_CHAR))
    return { made: await work(read), unread: hits.length - read.length }
  }
}

/**
 * The pages that a task has seen, best first, for planning what to ask next: passages of all of them, and the whole
 * text of only the best, unless it is too long to read.
 */
export class SeenPages {
  #hits: readonly Hit[] = []

  get ranked(): readonly Hit[] {
    return this.#hits
  }

  add(hits: readonly Hit[]): void {
    this.#hits = [...this.#hits, ...hits]
      .sort((a, b) => b.score - a.score)
      .map((hit, rank) => {
        const isHeld = rank < TEXTS_HELD && hit.markdown.length <= MAX_PAGE_CHARS
        return isHeld || hit.markdown === "" ? hit : { ...hit, markdown: "" }
      })
  }
}

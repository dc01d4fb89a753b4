import type { Hit } from "#engine"
import { MAX_PAGE_CHARS } from "#engine/answer-extraction/follow-ups.ts"
import type { ByteBudget } from "#base/flow/memory/byte-budget.ts"

import { BYTES_PER_CHAR } from "../../../server/load/memory/memory.ts"

/** Follow-up questions are looked for in so many pages, the best. */
const TEXTS_HELD = 10

/** The texts of the pages found that are read now, of all tasks together. */
export class PageMemory {
  readonly #budget: ByteBudget

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /**
   * Has `work` read those of the hits that there is room for, the best first, and gives the room back.
   * @returns what `work` did, and how many hits it was not given
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
 * The pages that a task has met, best first, for planning what to ask next: passages of all, the text of the best alone,
 * and of none that is too long for anything but its passages to be read.
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

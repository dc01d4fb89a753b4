import { WorkError } from "#base/process/threads/work-threads.ts"

import { writeDiff } from "../pages/unified-diff.ts"
import type { PageTexts } from "./store/page-texts.ts"

/** Maximum number of characters of a diff that are stored. */
const MOST_CHARS = 20_000

/** Diffs of texts in unified format: each pair is compared once, however many watches the page has. */
export class Differences {
  readonly #texts: Pick<PageTexts, "get">
  readonly #signal: AbortSignal
  readonly #known = new Map<string, string | null>()

  constructor(texts: Pick<PageTexts, "get">, signal: AbortSignal) {
    this.#texts = texts
    this.#signal = signal
  }

  /** The diff of two texts; `null` if the earlier text was not stored, or the texts cannot be compared. */
  async between(
    before: string,
    after: { readonly hash: string; readonly text: string },
  ): Promise<string | null> {
    const pair = `${before} ${after.hash}`
    if (!this.#known.has(pair)) this.#known.set(pair, await this.#written(before, after.text))
    return this.#known.get(pair) ?? null
  }

  async #written(before: string, after: string): Promise<string | null> {
    const old = await this.#texts.get(before)
    if (old === null) return null
    try {
      const text = await writeDiff(old, after, this.#signal)
      return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).toWellFormed()}\n…`
    } catch (error) {
      if (error instanceof WorkError) return null
      throw error
    }
  }
}

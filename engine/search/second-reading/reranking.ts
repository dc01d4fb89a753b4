import type { SearchDepth } from "../../engine.ts"
import { ModelOutage } from "../../models/servers/availability.ts"
import type { Reranker } from "../../reranker.ts"

/** The reranker of an index, and the depth from which searches use it. */
export interface Reranking {
  readonly reranker: Reranker
  /** The lowest depth at which the reranker is asked. */
  readonly depth: Extract<SearchDepth, "basic" | "advanced">
}

/** The reranker's scores in one search, which may rank several times. */
export class Readings {
  readonly #reranking: Reranking
  readonly #question: string
  readonly #signal: AbortSignal | undefined
  readonly #scores = new Map<string, number>()
  #failure: ModelOutage | undefined

  constructor(reranking: Reranking, question: string, signal: AbortSignal | undefined) {
    this.#reranking = reranking
    this.#question = question
    this.#signal = signal
  }

  /** Why there are no scores; undefined if there are. */
  get failure(): ModelOutage | undefined {
    return this.#failure
  }

  /** The reranker's score for each text, by page id; null if there are no scores or they didn't arrive in time. */
  async of(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number> | null> {
    if (this.#failure) return null
    const unread = [...new Set(texts.values())].filter((text) => !this.#scores.has(text))
    if (unread.length > 0 && !(await this.#read(unread))) return null
    return new Map([...texts].map(([id, text]) => [id, this.#scores.get(text)!]))
  }

  async #read(unread: readonly string[]): Promise<boolean> {
    try {
      const scores = await this.#reranking.reranker.scores(this.#question, unread, this.#signal)
      for (const [i, text] of unread.entries()) this.#scores.set(text, scores[i]!)
      return true
    } catch (error) {
      if (!(error instanceof ModelOutage)) throw error
      this.#failure = error
      return false
    }
  }
}

/** Whether a search of this depth asks the reranker. */
export const isAsked = ({ depth }: Reranking, searched: SearchDepth): boolean =>
  searched === "advanced" || (searched === "basic" && depth === "basic")

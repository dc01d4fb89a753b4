import type { HeldEmbedder } from "../../models/embedders/held-embedder.ts"
import { type ShippedModel, shippedModelOf } from "../../shipped-models.ts"
import type { Engine } from "../../engine.ts"
import type { GenerationFile } from "./generation-file.ts"
import { shareOfOthers, suitedModel } from "./model-choice.ts"

/** Number of pages of a first crawl that determine which languages it contains; their vectors are created after that. */
const FIRST_PAGES = 40
/**
 * Maximum number of passages in an index whose model is changed without asking: that takes one processor ten minutes
 * with the multilingual model, and the index keeps answering. For a larger index, the decision is left to the operator,
 * who might not want an hour of work.
 */
const PASSAGES_UNASKED = 20_000

/** Maximum number of pages in an index that is migrated while a crawl is waiting: the migration takes seconds, and with more pages the crawl would wait too long. */
export const ADOPTED_AT_ONCE = 1000

/** The result of `auto`. */
export interface ModelDecision {
  /** Whether the index was made with another model. */
  readonly isAnother: boolean
  /** If false, an operator has to ask for the change. */
  readonly isMade: boolean
  /** The message for people. */
  readonly text: string
}

/** Chooses the model based on the content of the index, for the process that writes. */
export class AutoModel {
  readonly #file: GenerationFile
  readonly #held: HeldEmbedder | null
  readonly #now: ShippedModel | null
  #isFirst: boolean

  /**
   * @param embedder id of the current model
   * @param held an embedder that creates no vectors until the languages of the first pages are known; `null` if the
   * index already had pages
   */
  constructor(file: GenerationFile, embedder: string, held: HeldEmbedder | null) {
    this.#file = file
    this.#now = shippedModelOf(embedder)
    this.#held = held
    this.#isFirst = held !== null
  }

  /**
   * Checks the languages of the pages and stores the choice. If it isn't the current model, the index has to be
   * reopened.
   *
   * @param isCrawlOver whether no more pages are coming for now
   * @returns null if there is nothing to report, because it is too early or nothing has changed
   */
  async look(
    engine: Pick<Engine, "languages" | "stats">,
    { isCrawlOver }: { readonly isCrawlOver: boolean },
  ): Promise<ModelDecision | null> {
    const { choice } = await this.#file.read()
    if (choice.wanted !== "auto") {
      return { isAnother: true, isMade: true, text: `the model ${choice.wanted} was requested` }
    }
    const languages = await engine.languages()
    const pages = [...languages.values()].reduce((sum, count) => sum + count, 0)
    if (pages === 0) return null
    // A large index is rebuilt after the crawl in any case.
    if (!isCrawlOver && (this.#isFirst ? pages < FIRST_PAGES : pages > ADOPTED_AT_ONCE)) return null
    const model = suitedModel(languages, this.#isFirst ? null : this.#now)
    const isAnother = model !== this.#now
    if (!this.#isFirst && !isAnother) return null
    const isMade = this.#isFirst || (await engine.stats()).passages <= PASSAGES_UNASKED
    const share = `${Math.round(shareOfOthers(languages) * 100)} % of ${pages} pages are in languages other than English`
    if (isMade) await this.#file.change((now) => ({ choice: { ...now.choice, chosen: model } }))
    if (!isAnother) this.#held?.letGo()
    this.#isFirst = false
    const text = isMade
      ? `the ${model} model makes the vectors: ${share}`
      : `the ${model} model would suit the index better: ${share}; fossick index model ${model} switches to it`
    return { isAnother, isMade, text }
  }
}

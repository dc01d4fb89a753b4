import { ByteLru, CacheMemory } from "#base/flow/memory/cache-memory.ts"
import type { EmbedOptions, Embedder, TokenVectors } from "../../embedder.ts"
import { analyse } from "../../text/analysis/analyse.ts"
import { lateInteraction, type WeightedTokens, weighTokens } from "../ranking/late-interaction.ts"

/** Remembered scores of passages against questions: some four thousand pairs of about 1 KB each. */
const MEMORY = new CacheMemory("passages", 4 * 1024 * 1024)

/** A question against which passages are read. */
export interface LateQuestion {
  readonly text: string
  readonly language: string | null
  /** How rare a term is; the term must be one that `analyse` returns in that language. */
  readonly idf: (term: string) => number
  /** The question's token vectors, if they have already been created. */
  readonly tokens?: TokenVectors | undefined
}

/** How well a text answers the question, 0..1. */
export type ReadText = (text: string, signal: AbortSignal | undefined) => Promise<number>

/** Reads passages against a question with the embedder's token vectors, and remembers the scores. */
export class LateReader {
  readonly #embedder: Embedder
  readonly #scores = new ByteLru<string, number>(MEMORY)

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  /** False if the model produces no token vectors. */
  get isAble(): boolean {
    return this.#embedder.hasTokenVectors !== false
  }

  /** Creates the question's token vectors, unless they were given, when the question is first compared with a new text. */
  against(question: LateQuestion): ReadText {
    const asked = keyOf(question)
    const reading = new Map<string, Promise<number>>()
    let tokens: Promise<WeightedTokens> | undefined
    return async (text, signal) => {
      const pair = `${asked}\n${text}`
      const known = this.#scores.get(pair)
      if (known !== undefined) return known
      let score = reading.get(text)
      if (score === undefined) {
        tokens ??= this.#question(question, signal)
        reading.set(text, (score = this.#read(tokens, text, signal)))
      }
      try {
        this.#scores.set(pair, await score, 2 * pair.length)
        return await score
      } catch (error) {
        // The score is removed, so that a search that ranks again can repeat an interrupted reading.
        reading.delete(text)
        tokens = undefined
        throw error
      }
    }
  }

  async #question(
    { text, language, idf, tokens }: LateQuestion,
    signal: AbortSignal | undefined,
  ): Promise<WeightedTokens> {
    const options: EmbedOptions = { as: "question", ...optionsOf(signal) }
    const made = tokens ?? (await this.#embedder.tokenVectors([text], options))[0]!
    return weighTokens(text, made, language, idf)
  }

  async #read(
    question: Promise<WeightedTokens>,
    text: string,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const made = this.#embedder.tokenVectors([text], optionsOf(signal))
    const [tokens, [passage]] = await Promise.all([question, made])
    return lateInteraction(tokens, passage!, this.#embedder.traits?.cosines)
  }
}

/** The question with the weights of its words, which change with the index. */
const keyOf = ({ text, language, idf }: LateQuestion): string =>
  [text, ...analyse(text, language).map((term) => idf(term).toFixed(1))].join(" ")

const optionsOf = (signal: AbortSignal | undefined): EmbedOptions =>
  signal ? { priority: "query", signal } : { priority: "query" }

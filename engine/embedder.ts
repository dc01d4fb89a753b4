import { EngineError } from "./errors.ts"

/** Number of texts that an index passes to its embedder at a time: enough to keep the threads busy, but few enough to stop quickly. */
export const TEXTS_AT_A_TIME = 64

/** A text token by token: the text of each token, and its meaning in context. */
export interface TokenVectors {
  /** The tokens as their tokenizer writes them (`search`, `##ing`, `▁search`), without those that the tokenizer adds itself. */
  readonly tokens: readonly string[]
  /** One vector of unit length per token, row by row. */
  readonly vectors: Float32Array
}

/** Properties of a model other than its vectors. */
export interface ModelTraits {
  /** Typical cosines of unrelated texts, and of texts with the same meaning. */
  readonly cosines: CosineRange
  /** Unicode names of the scripts that the model supports, such as `Latin` or `Han`; `null` for all scripts. */
  readonly scripts: readonly string[] | null
}

export interface CosineRange {
  readonly unrelated: number
  readonly same: number
}

/** The cosine of two vectors of unit length, -1..1. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** The traits assumed for a model that declares none. */
export const PLAIN_TRAITS: ModelTraits = { cosines: { unrelated: 0, same: 1 }, scripts: null }

export const traitsOf = ({ traits }: Pick<Embedder, "traits">): ModelTraits => traits ?? PLAIN_TRAITS

/**
 * Turns text into vectors of unit length.
 *
 * - `embed()` returns one vector of `dimensions` values for each text, in order; the vector of a text does not depend
 * on the texts next to it.
 * - `tokenVectors()` returns the token vectors of each text, in order, for re-ranking by late interaction. Their size
 * depends on the length of the text: a hundred kilobytes for a passage.
 * - Work happens off the event loop. `priority: "query"` goes before waiting `"index"` work.
 * - `id` names model, pooling and prefixes: only vectors of embedders with the same id can be compared.
 */
export interface Embedder extends AsyncDisposable {
  readonly id: string
  readonly dimensions: number
  /** Default {@link PLAIN_TRAITS}. */
  readonly traits?: ModelTraits
  /** Whether the model provides token vectors. Default true. */
  readonly hasTokenVectors?: boolean
  /**
   * For a model on a server: why there are no vectors at present, as a sentence for any reader, or `null`; if set,
   * `embed()` rejects at once. Models in this process leave it out, except for one that can't be loaded.
   */
  readonly outage?: string | null | undefined
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  tokenVectors(texts: readonly string[], options?: EmbedOptions): Promise<TokenVectors[]>
}

export interface EmbedOptions {
  /** The role of the texts: some models need to know it. Default `passage`. */
  readonly as?: "question" | "passage"
  /** Default `index`. */
  readonly priority?: "query" | "index"
  /** Leaves one processor free for answering questions if this model would use all of them in this process. Default false. */
  readonly sparing?: boolean
  readonly signal?: AbortSignal
  /**
   * Called before `embed()` resolves with the number of tokens that the model read in all texts, including the tokens
   * it adds itself. Not called if the number isn't known, as with a server that doesn't report it.
   */
  readonly onTokens?: (tokens: number) => void
  /**
   * Called before `embed()` resolves with the token vectors of each text, in order, by models that produce them along
   * the way. Other models don't call it, and it isn't called for vectors that were cached.
   */
  readonly onTokenVectors?: (tokens: TokenVectors) => void
}

/** Vectors from different models cannot be compared. @throws EngineError `EMBEDDER_MISMATCH` */
export function refuseOtherEmbedder(
  index: { readonly embedder: string; readonly dimensions: number },
  embedder: Pick<Embedder, "id" | "dimensions">,
): void {
  if (index.embedder === embedder.id && index.dimensions === embedder.dimensions) return
  throw new EngineError(
    "EMBEDDER_MISMATCH",
    `The index holds vectors of ${index.embedder} (${index.dimensions} dimensions), but the configured model is ${embedder.id} (${embedder.dimensions} dimensions). The appliance makes new vectors in the background; \`fossick index upgrade\` makes them at once. Or set FOSSICK_MODEL back to its previous value.`,
  )
}

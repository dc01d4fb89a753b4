import type { EmbedOptions, Embedder, ModelTraits, TokenVectors } from "../../embedder.ts"
import { PLAIN_TRAITS, traitsOf } from "../../embedder.ts"
import { Availability, ModelOutage } from "../servers/availability.ts"

const WHAT_NOW =
  "Questions are answered by words alone, and pages wait for their vectors, until its files are back."

/** The reason, for any reader, why a model in this process provides no vectors; it doesn't name the folder. */
export const brokenInWords = (name: string): string =>
  `The embedding model ${name} cannot be opened: its files are damaged or incomplete. On the server, fossick doctor names the file and says how to restore it.`

/**
 * Replaces the model that made an index for as long as that model's damaged files can't be opened: this is an outage
 * like that of a model on a server. It checks from time to time whether the files have been restored, and acts as that
 * model from then on.
 */
export class AwaitedEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly #open: () => Promise<Embedder>
  readonly #availability: Availability
  #found: Embedder | null = null

  /**
   * @param index the model and dimensions that the index was made with
   * @param open opens the model, or throws an error that says why it can't
   * @param name name of the model in the settings
   * @param error why it couldn't be opened just now
   */
  constructor(
    index: { readonly embedder: string; readonly dimensions: number },
    open: () => Promise<Embedder>,
    { name, error }: { readonly name: string; readonly error: Error },
  ) {
    this.id = index.embedder
    this.dimensions = index.dimensions
    this.#open = open
    this.#availability = new Availability(() => this.#look())
    this.#availability.failed(
      new ModelOutage(brokenInWords(name), `${error.message} ${WHAT_NOW}`, { cause: error }),
    )
  }

  get traits(): ModelTraits {
    return this.#found === null ? PLAIN_TRAITS : traitsOf(this.#found)
  }

  /** The reason why there are no vectors at present, as a sentence for any reader. */
  get outage(): string | null {
    return this.#availability.outage?.because ?? null
  }

  async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    return await this.#model().embed(texts, options)
  }

  async tokenVectors(texts: readonly string[], options?: EmbedOptions): Promise<TokenVectors[]> {
    return await this.#model().tokenVectors(texts, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#availability[Symbol.dispose]()
    await this.#found?.[Symbol.asyncDispose]()
  }

  #model(): Embedder {
    const { outage } = this.#availability
    if (outage !== null) throw outage
    return this.#found!
  }

  async #look(): Promise<void> {
    const embedder = await this.#open()
    if (embedder.id === this.id && embedder.dimensions === this.dimensions) {
      this.#found = embedder
      return
    }
    await embedder[Symbol.asyncDispose]()
    throw new Error(`It is ${embedder.id}, but ${this.id} made the index.`)
  }
}

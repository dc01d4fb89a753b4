import type { Embedder } from "../embedder.ts"
import type {
  Engine,
  EngineStats,
  EngineSupports,
  PageCoverage,
  PageWithVectors,
  Query,
  SearchResult,
} from "../engine.ts"
import { EngineError } from "../errors.ts"
import type { Page } from "../page/page.ts"
import type { PageUrl } from "../page/page-url.ts"
import type { IndexInfo } from "../adapters/adapter.ts"
import { type GenerationContext, fits, fittingEmbedder, refuseFormat } from "./generation-context.ts"
import { openWith } from "./open-for-writing.ts"

/** Between two looks at the file that names the generation. */
const LOOK_MS = 500
/** A word that loads the model before the first question comes. */
const WARM_UP = "ready?"

/** The generation that answers. */
interface Serving {
  readonly generation: string
  /** As it was when it was opened; null when there was no index yet. */
  readonly info: IndexInfo | null
  /** Null when its format cannot be searched. */
  readonly engine: Engine | null
  readonly embedder: Embedder
  readonly isByWords: boolean
  readonly close: () => PromiseLike<void>
  /** Calls under way. */
  calls: number
  isReplaced: boolean
}

/**
 * The current generation, opened for reading. It follows: within a second after another generation has become the current
 * one, new calls are answered by that one, and the old one is closed after its last call. No call fails meanwhile.
 */
export class FollowingEngine implements Engine {
  readonly #context: GenerationContext
  readonly #afterwards: () => PromiseLike<void>
  readonly #timer: NodeJS.Timeout
  #serving: Serving
  #looking: Promise<void> | undefined
  #lastProblem = ""
  readonly #closing = new Set<Promise<void>>()
  #closed: Promise<void> | undefined

  private constructor(context: GenerationContext, serving: Serving, afterwards: () => PromiseLike<void>) {
    this.#context = context
    this.#serving = serving
    this.#afterwards = afterwards
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    }, LOOK_MS)
    this.#timer.unref()
  }

  /**
   * @param afterwards what closing does besides, such as closing the configured embedder.
   * @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `ENGINE_UNAVAILABLE`
   */
  static async open(
    context: GenerationContext,
    afterwards: () => PromiseLike<void> = () => Promise.resolve(),
  ): Promise<FollowingEngine> {
    return new FollowingEngine(context, await serve(context), afterwards)
  }

  get supports(): EngineSupports {
    return this.#serving.engine?.supports ?? unserved(this.#context.adapter.name)
  }

  /**
   * The model of the generation that answers, for whoever else compares texts: so that one model is loaded at a time.
   * Its id says when it has become another one.
   */
  get embedder(): Pick<Embedder, "id" | "embed"> {
    const using = (serving: Serving) =>
      serving.isByWords ? this.#context.models.configured : serving.embedder
    const current = () => using(this.#serving)
    return {
      get id() {
        return current().id
      },
      embed: async (texts, options) => {
        const serving = this.#enter()
        try {
          return await using(serving).embed(texts, options)
        } finally {
          this.#leave(serving)
        }
      },
    }
  }

  /** Why nothing is found, or null: what anybody may read. */
  get problem(): string | null {
    const { engine, info } = this.#serving
    if (engine || !info) return null
    return `The index has format ${info.format} and is being made anew in format ${this.#context.adapter.format}; until then nothing is found.`
  }

  index(pages: readonly Page[]): Promise<void> {
    return this.#call((engine) => engine.index(pages), readOnly)
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.#call((engine) => engine.load(pages), readOnly)
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    return this.#call((engine) => engine.remove(urls), readOnly)
  }

  search(query: Query, options?: { signal?: AbortSignal }): Promise<SearchResult> {
    return this.#call(
      (engine, { isByWords }) => engine.search(isByWords ? byWords(query) : query, options),
      () => ({ hits: [] }),
    )
  }

  get(url: PageUrl): Promise<Page | null> {
    return this.#call(
      (engine) => engine.get(url),
      () => null,
    )
  }

  async *allPages(options?: { after?: string; signal?: AbortSignal }): AsyncGenerator<PageWithVectors> {
    const serving = this.#enter()
    try {
      if (serving.engine) yield* serving.engine.allPages(options)
    } finally {
      this.#leave(serving)
    }
  }

  coverage(url: PageUrl): Promise<PageCoverage | null> {
    return this.#call(
      (engine) => engine.coverage(url),
      () => null,
    )
  }

  stats(): Promise<EngineStats> {
    return this.#call(
      (engine) => engine.stats(),
      ({ info, embedder }) => ({
        pages: 0,
        passages: 0,
        pagesWithoutVectors: 0,
        embedder: info?.embedder ?? embedder.id,
        dimensions: info?.dimensions ?? embedder.dimensions,
      }),
    )
  }

  settled(): Promise<void> {
    return this.#call((engine) => engine.settled(), readOnly)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
    try {
      this.#replace(null)
      await Promise.all(this.#closing)
    } finally {
      await this.#afterwards()
    }
  }

  async #call<T>(
    ask: (engine: Engine, serving: Serving) => Promise<T>,
    unservedAnswer: (serving: Serving) => T,
  ): Promise<T> {
    const serving = this.#enter()
    try {
      return serving.engine ? await ask(serving.engine, serving) : unservedAnswer(serving)
    } finally {
      this.#leave(serving)
    }
  }

  #enter(): Serving {
    if (this.#closed) throw new EngineError("ENGINE_CLOSED", "The engine was closed; open it again.")
    this.#serving.calls++
    return this.#serving
  }

  #leave(serving: Serving): void {
    serving.calls--
    if (serving.isReplaced && serving.calls === 0) this.#finish(serving)
  }

  /** Follows the file, and an index that was not there and now is. */
  async #look(): Promise<void> {
    try {
      const { current } = await this.#context.file.read()
      const { generation, info, embedder } = this.#serving
      if (current === generation) {
        if (info !== null) return
        const made = await this.#context.adapter.info(generation)
        if (made === null || fits(made, embedder)) return
      }
      const next = await serve(this.#context)
      try {
        if (next.engine && !next.isByWords) await next.embedder.embed([WARM_UP], { priority: "query" })
      } catch (error) {
        await next.close()
        throw error
      }
      this.#replace(next)
      this.#lastProblem = ""
    } catch (error) {
      // What answers goes on answering; told once, not twice a second.
      const { message } = error as Error
      if (message !== this.#lastProblem) this.#context.onProblem?.(error)
      this.#lastProblem = message
    }
  }

  #replace(next: Serving | null): void {
    const old = this.#serving
    if (next) this.#serving = next
    old.isReplaced = true
    if (old.calls === 0) this.#finish(old)
  }

  /** Closes a generation that nobody asks any more. */
  #finish(serving: Serving): void {
    const close = async () => {
      try {
        await serving.close()
      } catch (error) {
        this.#context.onProblem?.(error)
      }
    }
    const closing = close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}

async function serve(context: GenerationContext): Promise<Serving> {
  const { adapter, file, onProblem } = context
  const generations = await file.read()
  const generation = generations.current
  const info = await adapter.info(generation)
  if (info) refuseFormat(context, info)
  const counted = { generation, info, calls: 0, isReplaced: false }
  if (info && adapter.useOf(info.format) !== "written") {
    const embedder = context.models.configured
    return { ...counted, engine: null, embedder, isByWords: false, close: () => Promise.resolve() }
  }
  const fitting = await fittingEmbedder(context, generations, info)
  const { embedder, isMissing } = fitting
  const engine = await openWith(fitting, () =>
    adapter.open(generation, { mode: "read", embedder, ...(onProblem && { onProblem }) }),
  )
  return {
    ...counted,
    engine,
    embedder,
    isByWords: isMissing,
    close: () => engine[Symbol.asyncDispose](),
  }
}

/** The best that can be done with a question that cannot be embedded. */
function byWords(query: Query): Query {
  if (query.arms) return { ...query, arms: "lexical" }
  return query.depth === "ultra-fast" ? query : { ...query, depth: "fast" }
}

const unserved = (adapter: string): EngineSupports => ({
  adapter,
  typoTolerance: false,
  exactPhrase: true,
  readerLagMs: LOOK_MS * 2,
})

function readOnly(): never {
  throw new EngineError("READ_ONLY", "This index was opened for reading; only the crawler writes to it.")
}

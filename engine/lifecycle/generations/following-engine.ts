import { asksMeaning } from "../../search/ranking/depths.ts"
import { repeat } from "#base/flow/repeat.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import { noFacets } from "../../search/facets/count-facets.ts"
import { type Embedder, traitsOf } from "../../embedder.ts"
import type {
  Engine,
  EngineStats,
  EngineSupports,
  FacetCounts,
  FacetQuery,
  PageCoverage,
  PageWithVectors,
  PagesOfReaders,
  Query,
  SearchResult,
  Suggestion,
  SuggestionQuery,
} from "../../engine.ts"
import { EngineError, REPAIR_HINT } from "../../errors.ts"
import { ModelOutage } from "../../models/servers/availability.ts"
import type { Page } from "../../index/page/page.ts"
import type { PageUrl } from "../../index/page/page-url.ts"
import type { CheckDepth, Damage, IndexInfo } from "../../adapters/adapter.ts"
import { type GenerationContext, fits, fittingEmbedder, refuseFormat } from "./generation-context.ts"
import { FIRST_GENERATION, type Generations } from "./generation-file.ts"
import { openWith } from "./open-for-writing.ts"

/** Interval between checks of the file that names the generation. */
const LOOK_MS = 500
/** Interval between checks of the sizes of all files. */
const CHECK_MS = 10_000
/** Pause before retrying vectors that couldn't be read. */
const WORDS_ALONE_MS = 60_000
/** A word used to load the model before the first question arrives. */
const WARM_UP = "ready?"

/** The generation that answers searches. */
interface Serving {
  readonly generation: string
  /** The generation's state when it was opened; `null` if there was no index yet. */
  readonly info: IndexInfo | null
  /** `null` if the generation's format can't be searched, or the generation is damaged. */
  readonly engine: Engine | null
  readonly embedder: Embedder
  /** Whether the model that made the vectors is gone. */
  readonly isByWords: boolean
  /** Damage to the generation, except for damage that its writer repairs anyway. */
  readonly damage: readonly Damage[]
  /** Why the generation can't be searched although it has the right format. */
  readonly problem: EngineError | null
  readonly close: () => PromiseLike<void>
  /** Number of calls in progress. */
  calls: number
  isReplaced: boolean
}

/**
 * The current generation, opened for reading. It follows changes: within a second after another generation has become
 * the current one, new calls go to that one, and the old one is closed after its last call. No call fails in the
 * meantime.
 */
export class FollowingEngine implements Engine {
  readonly #context: GenerationContext
  readonly #afterwards: () => PromiseLike<void>
  readonly #looks: AsyncDisposable
  #serving: Serving
  #checkedAt = Date.now()
  #vectorsFailed: { readonly generation: string; readonly until: number } | null = null
  #lastProblem = ""
  readonly #closing = new Set<Promise<void>>()
  #closed: Promise<void> | undefined

  private constructor(context: GenerationContext, serving: Serving, afterwards: () => PromiseLike<void>) {
    this.#context = context
    this.#serving = serving
    this.#afterwards = afterwards
    this.#looks = repeat(() => this.#look(), LOOK_MS, { keepsAlive: false })
  }

  /**
   * @param afterwards anything else to do on closing, such as closing the configured embedder.
   * @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `ENGINE_UNAVAILABLE`; a damaged index isn't a
   * failure, but a {@link problem}.
   */
  static async open(
    context: GenerationContext,
    afterwards: () => PromiseLike<void> = () => Promise.resolve(),
  ): Promise<FollowingEngine> {
    return new FollowingEngine(context, await serve(context, "small"), afterwards)
  }

  get supports(): EngineSupports {
    return this.#serving.engine?.supports ?? unserved(this.#context.adapter.name)
  }

  /**
   * The model of the generation that answers searches, for other code that compares texts, so that only one model is
   * loaded at a time. Its id changes when the model does.
   */
  get embedder(): Pick<Embedder, "id" | "dimensions" | "traits" | "embed"> {
    const using = (serving: Serving) =>
      serving.isByWords ? this.#context.models.configured : serving.embedder
    const current = () => using(this.#serving)
    return {
      get id() {
        return current().id
      },
      get dimensions() {
        return current().dimensions
      },
      get traits() {
        return traitsOf(current())
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

  /** The reason, for any reader, why nothing is found; otherwise `null`. */
  get problem(): string | null {
    const { engine, info, problem } = this.#serving
    if (problem) return problem.message
    if (engine || !info) return null
    return `The index has format ${info.format} and is being rebuilt in format ${this.#context.adapter.format}; until then, searches find nothing.`
  }

  /** Whether searches leave meaning out. */
  get wordsAlone(): boolean {
    return this.#wordsAloneBecause() !== null
  }

  /** The reason why searches leave the reranker out; otherwise `null`. */
  get notReranked(): string | null {
    return this.#context.reranking?.reranker.outage ?? null
  }

  /** Problems that do not keep pages from being found, as a message for any reader. */
  get warnings(): readonly string[] {
    const { damage } = this.#serving
    const because = this.#wordsAloneBecause()
    const files = damage.filter(({ harms }) => harms !== "vectors").map(inWords)
    const { notReranked } = this
    return [
      ...(because === null ? [] : [`Pages are found by their words alone: ${because}`]),
      ...(notReranked === null ? [] : [`Pages are ranked without the reranker: ${notReranked}`]),
      ...files,
    ]
  }

  index(pages: readonly Page[]): Promise<void> {
    return this.#call((engine) => engine.index(pages), readOnly)
  }

  withVectors(urls: readonly PageUrl[]): Promise<readonly PageWithVectors[]> {
    return this.#call(
      (engine) => engine.withVectors(urls),
      () => [],
    )
  }

  load(pages: readonly PageWithVectors[]): Promise<void> {
    return this.#call((engine) => engine.load(pages), readOnly)
  }

  remove(urls: readonly PageUrl[]): Promise<void> {
    return this.#call((engine) => engine.remove(urls), readOnly)
  }

  async search(query: Query, options?: { signal?: AbortSignal }): Promise<SearchResult> {
    const because = this.#wordsAloneBecause()
    if (because !== null) return await this.#searchByWords(query, options, because)
    try {
      return await this.#call((engine) => engine.search(query, options), nothing)
    } catch (error) {
      if (error instanceof ModelOutage && !options?.signal?.aborted) {
        this.#context.onProblem?.(error)
        return await this.#searchByWords(query, options, error.because)
      }
      const isUnreadable = error instanceof EngineError && error.code === "ENGINE_UNAVAILABLE"
      if (!isUnreadable || options?.signal?.aborted) throw error
      // Perhaps only the vectors can't be read.
      const { generation } = this.#serving
      const found = await this.#searchByWords(query, options, CANNOT_READ_VECTORS)
      this.#context.onProblem?.(error)
      this.#vectorsFailed = { generation, until: Date.now() + WORDS_ALONE_MS }
      this.#checkedAt = 0
      return found
    }
  }

  async #searchByWords(
    query: Query,
    options: { signal?: AbortSignal } | undefined,
    because: string,
  ): Promise<SearchResult> {
    const found = await this.#call((engine) => engine.search(byWords(query), options), nothing)
    if (!asksMeaning(query)) return found
    leaveOut("meaning")
    return { ...found, wordsAlone: because }
  }

  /** The reason why searches leave vectors out; `null` if they don't. */
  #wordsAloneBecause(): string | null {
    const { generation, isByWords, damage, embedder } = this.#serving
    if (isByWords) return "the model that made the vectors can no longer be opened."
    const damaged = damage.find(({ harms }) => harms === "vectors")
    if (damaged) return inWords(damaged)
    if (embedder.outage) return embedder.outage
    const failed = this.#vectorsFailed
    return failed?.generation === generation && Date.now() < failed.until ? CANNOT_READ_VECTORS : null
  }

  facets(query: FacetQuery, options?: { signal?: AbortSignal }): Promise<FacetCounts> {
    return this.#call(
      (engine) => engine.facets(query, options),
      () => unfound(noFacets(query)),
    )
  }

  suggest(query: SuggestionQuery): Promise<readonly Suggestion[]> {
    return this.#call(
      (engine) => engine.suggest(query),
      () => unfound([]),
    )
  }

  get(url: PageUrl): Promise<Page | null> {
    return this.#call(
      (engine) => engine.get(url),
      () => null,
    )
  }

  holdersOf(url: PageUrl): Promise<readonly string[]> {
    return this.#call(
      (engine) => engine.holdersOf(url),
      () => [],
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

  pagesByReaders(): Promise<readonly PagesOfReaders[]> {
    return this.#call(
      (engine) => engine.pagesByReaders(),
      () => [],
    )
  }

  pagesWithoutVectors(source: string): Promise<number> {
    return this.#call(
      (engine) => engine.pagesWithoutVectors(source),
      () => 0,
    )
  }

  stats(): Promise<EngineStats> {
    return this.#call(
      (engine) => engine.stats(),
      ({ info, embedder }) => ({
        pages: 0,
        passages: 0,
        pagesWithoutVectors: 0,
        passagesWithoutVectors: 0,
        vectorsPerSecond: null,
        embedder: info?.embedder ?? embedder.id,
        dimensions: info?.dimensions ?? embedder.dimensions,
      }),
    )
  }

  languages(): Promise<ReadonlyMap<string, number>> {
    return this.#call(
      (engine) => engine.languages(),
      () => new Map(),
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
    await this.#looks[Symbol.asyncDispose]()
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
      if (serving.problem) throw serving.problem
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

  /** Follows the generations file, and notices an index that appears later. */
  async #look(): Promise<void> {
    try {
      const { current } = await this.#context.file.read()
      const { generation, info, embedder } = this.#serving
      if (current === generation && (info !== null || this.#serving.problem)) {
        await this.#check()
        return
      }
      if (current === generation) {
        const made = await this.#context.adapter.info(generation)
        if (made === null || fits(made, embedder)) return
      }
      const next = await serve(this.#context, "sizes")
      try {
        if (next.engine && !next.isByWords) await next.embedder.embed([WARM_UP], { priority: "query" })
      } catch (error) {
        await next.close()
        throw error
      }
      this.#replace(next)
      this.#lastProblem = ""
    } catch (error) {
      // The current generation keeps answering; this is reported once, not twice a second.
      const { message } = error as Error
      if (message !== this.#lastProblem) this.#context.onProblem?.(error)
      this.#lastProblem = message
    }
  }

  /** Checks from time to time whether all files are still there, and if some were missing, whether they are back. */
  async #check(): Promise<void> {
    const { generation, damage, problem } = this.#serving
    if (Date.now() - this.#checkedAt < CHECK_MS) return
    this.#checkedAt = Date.now()
    if (problem) {
      const next = await serve(this.#context, "small")
      if (next.problem?.message !== problem.message) this.#replace(next)
      else await next.close()
      return
    }
    const found = await harmful(this.#context, generation, "sizes")
    const fresh = found.filter(({ file }) => !damage.some((one) => one.file === file))
    if (fresh.length === 0) return
    this.#replace(await serve(this.#context, "sizes", damage))
  }

  #replace(next: Serving | null): void {
    const old = this.#serving
    if (next) this.#serving = next
    old.isReplaced = true
    if (old.calls === 0) this.#finish(old)
  }

  /** Closes a generation that is no longer searched. */
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

/** @param known known damage of the generation in use that a quicker check would not find */
async function serve(
  context: GenerationContext,
  depth: CheckDepth,
  known: readonly Damage[] = [],
): Promise<Serving> {
  let generation = ""
  let damage = known
  try {
    const generations = await context.file.read()
    generation = generations.current
    const found = await harmful(context, generation, depth)
    damage = [...found, ...known.filter(({ file }) => !found.some((one) => one.file === file))]
    const worst = damage.find(({ harms }) => harms === "words")
    if (worst) throw new EngineError("INDEX_DAMAGED", inWords(worst))
    for (const one of damage) {
      if (!known.includes(one)) context.onProblem?.(new EngineError("INDEX_DAMAGED", inWords(one)))
    }
    return await serveSound(context, generations, damage)
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "INDEX_DAMAGED") throw error
    context.onProblem?.(error)
    const embedder = context.models.configured
    const none = { info: null, engine: null, embedder, isByWords: false, calls: 0, isReplaced: false }
    return { ...none, generation, damage, problem: error, close: () => Promise.resolve() }
  }
}

/** Damage to a generation, except for damage that its writer repairs anyway. */
async function harmful(
  { adapter }: GenerationContext,
  generation: string,
  depth: CheckDepth,
): Promise<readonly Damage[]> {
  const found = (await adapter.check?.(generation, depth)) ?? []
  return found.filter(({ harms }) => harms !== "names" && harms !== "ranking")
}

const inWords = ({ file, damage }: Damage): string => `${file} in the data folder ${damage}. ${REPAIR_HINT}`

async function serveSound(
  context: GenerationContext,
  generations: Generations,
  damage: readonly Damage[],
): Promise<Serving> {
  const { adapter, reranking, onProblem } = context
  const generation = generations.current
  const info = await adapter.info(generation)
  if (info) refuseFormat(context, info)
  else if (generation !== FIRST_GENERATION) {
    throw new EngineError("INDEX_DAMAGED", `${generation}, the index in use, is missing. ${REPAIR_HINT}`)
  }
  const counted = { generation, info, damage, problem: null, calls: 0, isReplaced: false }
  if (info && adapter.useOf(info.format) !== "written") {
    const embedder = context.models.configured
    return { ...counted, engine: null, embedder, isByWords: false, close: () => Promise.resolve() }
  }
  const fitting = await fittingEmbedder(context, generations, info)
  const { embedder, isMissing } = fitting
  const engine = await openWith(fitting, () =>
    adapter.open(generation, {
      mode: "read",
      embedder,
      ...(reranking && { reranking }),
      ...(onProblem && { onProblem }),
    }),
  )
  return {
    ...counted,
    engine,
    embedder,
    isByWords: isMissing,
    close: () => engine[Symbol.asyncDispose](),
  }
}

const CANNOT_READ_VECTORS = `the vectors cannot be read; the server's log says why. ${REPAIR_HINT}`
const nothing = (): SearchResult => unfound({ hits: [] })

/** The empty result while an index is being rebuilt. */
function unfound<T>(none: T): T {
  leaveOut("index")
  return none
}

/** The best possible result for a question that can't be embedded. */
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

import { setTimeout as sleep } from "node:timers/promises"
import type { OldIndex } from "../../../adapters/adapter.ts"
import type { Embedder } from "../../../embedder.ts"
import type { Engine } from "../../../engine.ts"
import type { PageUrl } from "../../../index/page/page-url.ts"
import { ADOPTED_AT_ONCE } from "../auto-model.ts"
import { buildingFor, openBuilding, swapTo, targetDue } from "./build.ts"
import { delegate } from "../delegate.ts"
import { type GenerationContext, fittingEmbedder } from "../generation-context.ts"
import { openForWriting } from "../open-for-writing.ts"
import { syncPages, syncSome } from "./sync.ts"

/** Maximum number of written pages that are remembered: with more, comparing all pages is just as cheap. */
const MAX_TOUCHED = 100_000
const PROGRESS_EVERY_MS = 5000

export interface UpgradeProgress {
  /** Pages are copied first, then their vectors are created. */
  readonly step: "pages" | "vectors"
  readonly done: number
  readonly of: number
}

export interface UpgradeOptions {
  /** Interrupts the work; another call continues it. */
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: UpgradeProgress) => void) | undefined
}

/**
 * Builds the generation that will replace the current one, while the current one is being searched and written to.
 *
 * The process that holds the current generation open for writing creates an `Upgrade` and writes through its {@link
 * Upgrade.engine}. Nothing may be written while {@link Upgrade.work} is running.
 */
export class Upgrade {
  /** The current generation. Later writes to it are copied afterwards. */
  readonly engine: Engine
  readonly #context: GenerationContext
  /** Pages written since they were compared. */
  readonly #touched = new Set<PageUrl>()
  #building = ""
  /** The two generations are the same up to this page id, except for the touched pages. */
  #upTo = ""
  #compared = 0

  constructor(context: GenerationContext, engine: Engine) {
    this.#context = context
    const note = (urls: readonly PageUrl[]) => {
      // Until a build has started, there is nothing to record: everything will be compared anyway.
      if (this.#building === "") return
      for (const url of urls) this.#touched.add(url)
      if (this.#touched.size > MAX_TOUCHED) this.#restart()
    }
    this.engine = {
      ...delegate(engine),
      index: (pages) => engine.index(pages).finally(() => note(pages.map(({ url }) => url))),
      load: (pages) => engine.load(pages).finally(() => note(pages.map(({ page }) => page.url))),
      remove: (urls) => engine.remove(urls).finally(() => note(urls)),
    }
  }

  /** Whether there is anything to build. */
  async isDue(): Promise<boolean> {
    return (await targetDue(this.#context)) !== null
  }

  /**
   * Continues building, and makes the new generation the current one as soon as it contains the same pages, all with
   * their vectors. After that, this engine is the previous generation and must be closed.
   *
   * @returns whether the new generation is now the current one; also false if nothing is due, or if it was interrupted.
   */
  async work({ signal, onProgress }: UpgradeOptions): Promise<boolean> {
    const { adapter, file, models } = this.#context
    const target = await targetDue(this.#context)
    if (!target) return false
    const name = await buildingFor(this.#context, target)
    if (name !== this.#building) this.#restart()
    this.#building = name
    const info = await adapter.info((await file.read()).current)
    const all = (await this.engine.stats()).pages
    try {
      await using to = await openBuilding(this.#context, name, { embedder: models.configured })
      await syncPages({
        from: this.engine,
        to,
        withVectors: info?.embedder === target.embedder,
        after: this.#upTo,
        signal,
        onProgress: (upTo, pages) => {
          this.#upTo = upTo
          this.#compared += pages
          onProgress?.({ step: "pages", done: Math.min(this.#compared, all), of: all })
        },
      })
      const touched = [...this.#touched]
      await syncSome(touched, { from: this.engine, to })
      this.#touched.clear()
      await settled(to, { signal, ...(onProgress && { onProgress }) })
    } catch (error) {
      if (signal.aborted) return false
      throw error
    }
    await swapTo(this.#context, name)
    return true
  }

  #restart(): void {
    this.#touched.clear()
    this.#upTo = ""
    this.#compared = 0
  }
}

/** Waits until every page has its vectors. Rejects if the work is interrupted. */
export async function settled(to: Engine, { signal, onProgress }: UpgradeOptions): Promise<void> {
  signal.throwIfAborted()
  const done = to.settled().then(() => true)
  // If the work is interrupted, closing the engine ends the wait.
  done.catch(() => undefined)
  const over = new AbortController()
  const waiting = AbortSignal.any([signal, over.signal])
  // Rejects if the work is interrupted.
  const tick = () => sleep(PROGRESS_EVERY_MS, false, { signal: waiting })
  try {
    for (;;) {
      const next = tick()
      next.catch(() => undefined)
      if (await Promise.race([done, next])) return
      const { pages, pagesWithoutVectors } = await to.stats()
      onProgress?.({ step: "vectors", done: pages - pagesWithoutVectors, of: pages })
    }
  } finally {
    over.abort()
  }
}

/**
 * Copies the pages of a current generation in a read-only format into one in the current format, which then becomes the
 * current one. Vectors that can't be copied are created afterwards, by the next process that opens it for writing.
 *
 * @returns whether the current generation was replaced; also false when its format is already current, or the upgrade
 * was interrupted.
 * @throws EngineError `INDEX_LOCKED`, `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `ENGINE_UNAVAILABLE`
 */
export async function upgradeFormat(
  context: GenerationContext,
  { signal, onProgress }: UpgradeOptions,
): Promise<boolean> {
  const { adapter, file, models } = context
  if (!(await targetDue(context))) return false
  const generations = await file.read()
  const { current } = generations
  const info = await adapter.info(current)
  if (!info || !adapter.openOld || adapter.useOf(info.format) !== "pages") return false
  await using from = await adapter.openOld(current)
  if ((await file.read()).current !== current) return false
  // The format is upgraded first, with the existing model; the model is changed by the next upgrade, during which
  // searches are answered.
  await using fitting = await fittingEmbedder(context, generations, info)
  const embedder = fitting.isMissing ? models.configured : fitting.embedder
  const built = await buildFrom(context, from, {
    embedder,
    withVectors: !fitting.isMissing,
    signal,
    onProgress,
  })
  if (built === null) return false
  await swapTo(context, built.name)
  return true
}

/**
 * Copies the pages of a small index into a generation for the model that was chosen based on the pages' languages,
 * which becomes the current one before it has vectors. This is done if most pages have none anyway, or if a waiting
 * crawl will bring the pages for which the other model was chosen. Until the vectors are created, its pages are found
 * by words.
 *
 * @returns whether the current generation was replaced
 * @throws EngineError `INDEX_LOCKED`, `ENGINE_UNAVAILABLE`
 */
export async function adoptModel(
  context: GenerationContext,
  { crawlWaits, ...options }: UpgradeOptions & { readonly crawlWaits: boolean },
): Promise<boolean> {
  const { models } = context
  // If the operator asked for a model, its generation is built while the current one answers searches.
  if (!context.auto || !(await targetDue(context))) return false
  await using from = await openForWriting(context, "off")
  const { pages, pagesWithoutVectors } = await from.stats()
  if (pages > ADOPTED_AT_ONCE || !(crawlWaits || pagesWithoutVectors * 2 > pages)) return false
  const old = {
    count: () => Promise.resolve(pages),
    allPages: (range?: { after?: string; signal?: AbortSignal }) => from.allPages(range),
  }
  const built = await buildFrom(context, old, { ...options, embedder: models.configured, withVectors: false })
  if (built === null) return false
  await swapTo(context, built.name)
  return true
}

export interface BuildOptions extends UpgradeOptions {
  readonly embedder: Embedder
  /** Whether the vectors of the pages are copied too. */
  readonly withVectors: boolean
}

/**
 * Copies the pages of an index into a generation in the current format that is being built and isn't searched yet.
 * @returns the generation's name and the number of pages; null if the copying was interrupted
 */
export async function buildFrom(
  context: GenerationContext,
  from: Pick<OldIndex, "count" | "allPages">,
  { embedder, withVectors, signal, onProgress }: BuildOptions,
): Promise<{ readonly name: string; readonly pages: number } | null> {
  const name = await buildingFor(context, { format: context.adapter.format, embedder: embedder.id })
  const pages = await from.count()
  let compared = 0
  try {
    await using to = await openBuilding(context, name, { embedder, embedding: "off" })
    await syncPages({
      from,
      to,
      withVectors,
      signal,
      onProgress: (_, some) => {
        compared += some
        onProgress?.({ step: "pages", done: compared, of: pages })
      },
    })
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
  return { name, pages }
}

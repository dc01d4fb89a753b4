import type { engineSettings } from "./settings.ts"
import type { Embedder } from "./embedder.ts"
import { openEmbedder } from "./embedders/open-embedder.ts"
import type { Engine } from "./engine.ts"
import type { GenerationAdapter } from "./adapters/adapter.ts"
import { onClose } from "./generations/delegate.ts"
import { FollowingEngine } from "./generations/following-engine.ts"
import type { GenerationContext } from "./generations/generation-context.ts"
import { GenerationFile } from "./generations/generation-file.ts"
import { modelsOf, whereFrom } from "./generations/models.ts"
import { openForWriting } from "./generations/open-for-writing.ts"
import type { Values } from "#base/settings.ts"

export interface OpenEngineOptions {
  /** `write` for the one process that indexes, `read` for every other. */
  readonly mode: "read" | "write"
  /** An embedder that the caller opened and closes. Default: the one the settings name, closed with the engine. */
  readonly embedder?: Embedder
  /** `off` leaves the vectors to an engine opened later. Default `on`. */
  readonly embedding?: "on" | "off"
  /** Told of failures in the background, which are tried again. */
  readonly onProblem?: (error: unknown) => void
}

/**
 * Opens the index in use, as the settings say; opened for reading, it follows when another one is put in its place.
 * The model that made the index embeds the questions, also while another one is built for another model.
 *
 * @throws EngineError
 */
export async function openEngine(
  settings: Values<typeof engineSettings>,
  { mode, embedding, ...options }: OpenEngineOptions,
): Promise<Engine> {
  if (mode === "read") return await openSearchEngine(settings, options)
  const context = await openGenerations(settings, options)
  try {
    return onClose(await openForWriting(context, embedding), () => context[Symbol.asyncDispose]())
  } catch (error) {
    await context[Symbol.asyncDispose]()
    throw error
  }
}

/** As {@link openEngine} for reading, with what only those need who answer people: see {@link FollowingEngine}. */
export async function openSearchEngine(
  settings: Values<typeof engineSettings>,
  options: Pick<OpenEngineOptions, "embedder" | "onProblem"> = {},
): Promise<FollowingEngine> {
  const context = await openGenerations(settings, options)
  try {
    return await FollowingEngine.open(context, () => context[Symbol.asyncDispose]())
  } catch (error) {
    await context[Symbol.asyncDispose]()
    throw error
  }
}

/** The generations of the index that the settings name. Closing it closes the embedder, unless the caller opened it. */
export async function openGenerations(
  settings: Values<typeof engineSettings>,
  { embedder: given, onProblem }: Pick<OpenEngineOptions, "embedder" | "onProblem"> = {},
): Promise<GenerationContext & AsyncDisposable> {
  const adapter = await adapterOf(settings)
  const embedder = given ?? (await openEmbedder(settings))
  return {
    adapter,
    file: new GenerationFile(settings.dataDir, adapter.name),
    models: modelsOf(settings, embedder, given ? null : whereFrom(settings)),
    ...(onProblem && { onProblem }),
    async [Symbol.asyncDispose]() {
      if (!given) await embedder[Symbol.asyncDispose]()
    },
  }
}

/** Loaded when an engine is opened: who only needs the port's words starts faster and stays smaller. */
async function adapterOf(settings: Values<typeof engineSettings>): Promise<GenerationAdapter> {
  if (settings.engine === "meilisearch") {
    const { meilisearchGenerations } = await import("./adapters/meilisearch/meilisearch-generations.ts")
    return meilisearchGenerations(settings)
  }
  const { embeddedGenerations } = await import("./adapters/embedded/embedded-generations.ts")
  return embeddedGenerations(settings.dataDir)
}

import { existsSync } from "node:fs"
import path from "node:path"
import type { engineSettings } from "./settings.ts"
import type { Embedder } from "./embedder.ts"
import { AwaitedEmbedder } from "./models/embedders/awaited-embedder.ts"
import type { Purpose } from "./models/embedders/embed-protocol.ts"
import { isRemote, openEmbedder } from "./models/embedders/open-embedder.ts"
import type { Engine } from "./engine.ts"
import type { GenerationAdapter } from "./adapters/adapter.ts"
import { onClose } from "./lifecycle/generations/delegate.ts"
import { FollowingEngine } from "./lifecycle/generations/following-engine.ts"
import type { GenerationContext } from "./lifecycle/generations/generation-context.ts"
import { GenerationFile } from "./lifecycle/generations/generation-file.ts"
import { EngineError } from "./errors.ts"
import { HeldEmbedder } from "./models/embedders/held-embedder.ts"
import { shippedModel } from "./shipped-models.ts"
import { AutoModel } from "./lifecycle/generations/auto-model.ts"
import { modelFolderOf } from "./lifecycle/generations/model-choice.ts"
import { missingModel, modelsOf, whereFrom } from "./lifecycle/generations/models.ts"
import { openForWriting } from "./lifecycle/generations/open-for-writing.ts"
import { ModelOutage } from "./models/servers/availability.ts"
import { openReranker } from "./models/rerankers/open-reranker.ts"
import { indexCacheMb } from "./index-cache.ts"
import type { Values } from "#base/settings.ts"

export interface OpenEngineOptions {
  /** `write` for the one process that indexes, `read` for all others. */
  readonly mode: "read" | "write"
  /** An embedder that the caller opened and will close. Default: the one that the settings name, closed together with the engine. */
  readonly embedder?: Embedder
  /** `off` leaves the vectors to an engine opened later. Default `on`. */
  readonly embedding?: "on" | "off"
  /** Id of the model whose vectors are about to be loaded: if the model ships with Fossick, a new index is created for it. */
  readonly vectorsOf?: string
  /** Called with background failures, which are retried. */
  readonly onProblem?: (error: unknown) => void
}

/** The text embedded to load the model; any text will do. */
const FIRST_TEXT = "ready?"

interface OpenGenerationsOptions extends Pick<OpenEngineOptions, "embedder" | "onProblem" | "vectorsOf"> {
  /** The purpose of the models' threads. Default `background`, for processes that write. */
  readonly purpose?: Purpose
  /**
   * Whether to load an in-process model at once, in a separate thread while the index is being opened, rather than when
   * the first text needs it. Default false.
   */
  readonly loadsModel?: boolean
  /** See {@link openGenerations}. Default false. */
  readonly chooses?: boolean
}

/**
 * Opens the index in use, according to the settings; an engine opened for reading switches over when another index
 * replaces it. Questions are embedded with the model that made the index, even while an index for another model is
 * being built.
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

/** The engine for a process that writes, and that chooses the model based on what it writes. */
export interface ChoosingEngine {
  readonly engine: Engine
  readonly auto: AutoModel | null
}

/** Like {@link openEngine} for writing; closing the engine closes everything it opened. */
export async function openChoosingEngine(settings: Values<typeof engineSettings>): Promise<ChoosingEngine> {
  const context = await openGenerations(settings, { chooses: true })
  try {
    const engine = onClose(await openForWriting(context), () => context[Symbol.asyncDispose]())
    return { engine, auto: context.auto ?? null }
  } catch (error) {
    await context[Symbol.asyncDispose]()
    throw error
  }
}

/** Like {@link openEngine} for reading, with the extras needed to answer people: see {@link FollowingEngine}. */
export async function openSearchEngine(
  settings: Values<typeof engineSettings>,
  options: Pick<OpenGenerationsOptions, "embedder" | "onProblem" | "loadsModel"> = {},
): Promise<FollowingEngine> {
  const reranker = await openReranker(settings)
  const generations = await openGenerations(settings, { ...options, purpose: "answers" })
  const close = async () => {
    await generations[Symbol.asyncDispose]()
    await reranker?.[Symbol.asyncDispose]()
  }
  const reranking = reranker && { reranker, depth: settings.rerankerDepth }
  try {
    return await FollowingEngine.open({ ...generations, ...(reranking && { reranking }) }, close)
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens the generations of the configured index. Closing them closes the embedder, unless the caller opened it.
 *
 * @param chooses whether this process, which writes, chooses the model based on the content of the index, unless the
 * operator chose one
 */
export async function openGenerations(
  settings: Values<typeof engineSettings>,
  {
    embedder: given,
    onProblem,
    vectorsOf,
    chooses = false,
    purpose = "background",
    loadsModel = false,
  }: OpenGenerationsOptions = {},
): Promise<GenerationContext & AsyncDisposable> {
  const adapter = await adapterOf(settings)
  const file = new GenerationFile(settings.dataDir, adapter.name)
  const isSaid = given || settings.model !== "" || isRemote(settings)
  const said = isSaid ? null : await chosenModel(adapter, file, vectorsOf)
  const model = said?.folder ?? settings.model
  const open = () => openEmbedder({ ...settings, model }, purpose)
  // A missing model isn't recorded.
  let isThere = given === undefined
  const embedder =
    given ??
    (await open().catch((error: unknown) => {
      isThere = false
      return withoutModel(error, {
        settings,
        model,
        adapter,
        file,
        open,
        purpose,
        ...(onProblem && { onProblem }),
      })
    }))
  // If the model can't be loaded, the next caller that embeds a text gets the error.
  if (loadsModel && given === undefined && !isRemote(settings))
    void embedder.embed([FIRST_TEXT], { priority: "query" }).catch(() => undefined)
  const isAuto = chooses && said !== null && said.isAuto
  const held = isAuto && said.isFirst ? new HeldEmbedder(embedder) : null
  return {
    adapter,
    file,
    models: modelsOf(
      settings,
      held ?? embedder,
      !isThere ? null : whereFrom({ ...settings, model }),
      purpose,
    ),
    auto: isAuto ? new AutoModel(file, embedder.id, held) : null,
    ...(onProblem && { onProblem: outagesOnce(onProblem) }),
    async [Symbol.asyncDispose]() {
      if (!given) await embedder[Symbol.asyncDispose]()
    },
  }
}

interface WithoutModel extends Pick<OpenGenerationsOptions, "onProblem"> {
  readonly settings: Values<typeof engineSettings>
  /** The configured folder; empty for the model that ships with Fossick. */
  readonly model: string
  readonly adapter: GenerationAdapter
  readonly file: GenerationFile
  readonly open: () => Promise<Embedder>
  readonly purpose: Purpose
}

/**
 * The fallback for an existing index if the files of a model in this process are damaged: the model that made the index
 * if it is a different one that can be opened, otherwise a placeholder with which pages are found only by their words.
 * @throws `error` if nothing can be found without a model, or the settings name a folder that doesn't exist
 */
async function withoutModel(
  error: unknown,
  { settings, model, adapter, file, open, purpose, onProblem }: WithoutModel,
): Promise<Embedder> {
  const isNoFolder = settings.model !== "" && !existsSync(settings.model)
  if (!(error instanceof EngineError) || error.code !== "MODEL_UNAVAILABLE") throw error
  if (isNoFolder || settings.embeddingsUrl !== "") throw error
  const generations = await file.read()
  const info = await adapter.info(generations.current)
  // There is no index: nothing can be found.
  if (info === null) throw error
  const known = modelsOf(settings, missingModel(info), null, purpose)
  const made = await known.open(info, generations.models[info.embedder])
  if (made === null)
    return new AwaitedEmbedder(info, open, { name: path.basename(model || shippedModel), error })
  onProblem?.(error)
  return made
}

interface ChosenModel {
  readonly folder: string
  readonly isAuto: boolean
  /** Whether there is no index yet, so that nothing has been chosen. */
  readonly isFirst: boolean
}

/** The model that was chosen, used if the settings name none. */
async function chosenModel(
  adapter: GenerationAdapter,
  file: GenerationFile,
  vectorsOf: string | undefined,
): Promise<ChosenModel> {
  try {
    const { choice, current } = await file.read()
    const isAuto = choice.wanted === "auto"
    const info = isAuto && choice.chosen === null ? await adapter.info(current) : null
    const isFirst = isAuto && choice.chosen === null && info === null
    const comes = vectorsOf === undefined ? null : { embedder: vectorsOf }
    return { folder: modelFolderOf(choice, info ?? comes), isAuto, isFirst }
  } catch (error) {
    // The next caller that opens the index gets the error.
    if (error instanceof EngineError) return { folder: shippedModel, isAuto: false, isFirst: false }
    throw error
  }
}

/** Reports each outage once, however many questions and pages fail. */
function outagesOnce(tell: (error: unknown) => void): (error: unknown) => void {
  const told = new WeakSet<ModelOutage>()
  return (error) => {
    if (error instanceof ModelOutage) {
      if (told.has(error)) return
      told.add(error)
    }
    tell(error)
  }
}

/** Imported only when an engine is opened, so that callers that only need the types start faster and take less memory. */
async function adapterOf(settings: Values<typeof engineSettings>): Promise<GenerationAdapter> {
  if (settings.engine === "meilisearch") {
    const { meilisearchGenerations } = await import("./adapters/meilisearch/meilisearch-generations.ts")
    return meilisearchGenerations(settings)
  }
  if (settings.engine === "opensearch") {
    const { opensearchGenerations } = await import("./adapters/opensearch/opensearch-generations.ts")
    return opensearchGenerations(settings)
  }
  const { embeddedGenerations } = await import("./adapters/embedded/embedded-generations.ts")
  return embeddedGenerations(settings.dataDir, indexCacheMb(settings.indexCacheMb))
}

import type { Embedder } from "../../embedder.ts"
import { EngineError } from "../../errors.ts"
import type { GenerationAdapter, IndexInfo } from "../../adapters/adapter.ts"
import type { AutoModel } from "./auto-model.ts"
import type { GenerationFile, Generations, Target } from "./generation-file.ts"
import type { Reranking } from "../../search/second-reading/reranking.ts"
import { type Models, missingModel } from "./models.ts"

/** Everything needed to work on generations. */
export interface GenerationContext {
  readonly adapter: GenerationAdapter
  readonly file: GenerationFile
  readonly models: Models
  /** Set while the model is chosen based on the content of the index and this process makes the choice. */
  readonly auto?: AutoModel | null
  /** The reranker that searches use. Default: none. */
  readonly reranking?: Reranking
  /** Called with errors that don't stop the work. */
  readonly onProblem?: (error: unknown) => void
}

/** The embedder that fits an index. */
export interface FittingEmbedder extends AsyncDisposable {
  readonly embedder: Embedder
  /** Whether the model that made the index is gone: its vectors can then be neither queried nor added to. */
  readonly isMissing: boolean
}

/** @param info `null` for an index that doesn't exist yet, for which the configured model is used. */
export async function fittingEmbedder(
  { models, onProblem = () => {} }: GenerationContext,
  { models: places }: Generations,
  info: IndexInfo | null,
): Promise<FittingEmbedder> {
  if (info === null || fits(info, models.configured)) {
    // The settings' own embedder stays open because it is needed again.
    return { embedder: models.configured, isMissing: false, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const found = await models.open(info, places[info.embedder])
  if (!found) {
    const what = `The index was made with the model ${info.embedder}, which can no longer be opened: until it is rebuilt with ${models.configured.id}, its pages are found by their words alone.`
    onProblem(new EngineError("MODEL_UNAVAILABLE", what))
  }
  const embedder = found ?? missingModel(info)
  return { embedder, isMissing: !found, [Symbol.asyncDispose]: () => embedder[Symbol.asyncDispose]() }
}

export const fits = (info: IndexInfo, { id, dimensions }: Pick<Embedder, "id" | "dimensions">): boolean =>
  info.embedder === id && info.dimensions === dimensions

/** @throws EngineError `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD` when nothing can be done with the format. */
export function refuseFormat({ adapter }: GenerationContext, { format }: IndexInfo): void {
  const use = adapter.useOf(format)
  if (use === "too-new") {
    throw new EngineError(
      "INDEX_FORMAT_TOO_NEW",
      `The index has format ${format}; this Fossick reads up to ${adapter.format}. Start a newer Fossick, or go back to the index that was kept: \`fossick index rollback\`.`,
    )
  }
  if (use === "too-old") {
    throw new EngineError(
      "INDEX_FORMAT_TOO_OLD",
      `The index has format ${format}, which this Fossick cannot read; it writes ${adapter.format}. Start the Fossick that made it, or move the index away and crawl again.`,
    )
  }
}

export const sameTarget = (one: Target | null, other: Target): boolean =>
  one?.format === other.format && one.embedder === other.embedder

import { existsSync } from "node:fs"
import path from "node:path"
import type { engineSettings } from "../../settings.ts"
import type { Embedder } from "../../embedder.ts"
import type { Purpose } from "../../models/embedders/embed-protocol.ts"
import { openEmbedder } from "../../models/embedders/open-embedder.ts"
import { remoteModelOf } from "../../models/embedders/remote/remote-embedder.ts"
import { EngineError } from "../../errors.ts"
import type { Values } from "#base/settings.ts"
import { SHIPPED_MODELS } from "../../shipped-models.ts"
import type { IndexInfo } from "../../adapters/adapter.ts"

/** The embedders needed for generations. */
export interface Models {
  /** The embedder that the settings name. */
  readonly configured: Embedder
  /** How to find `configured` again when the settings name another model; `null` if unknown. */
  readonly configuredFrom: string | null
  /** Reopens another embedder from its earlier location; `null` if it can no longer be opened. */
  open(info: IndexInfo, from: string | undefined): Promise<Embedder | null>
}

/** Models in folders and from the hub, according to the settings. */
export function modelsOf(
  settings: Values<typeof engineSettings>,
  configured: Embedder,
  configuredFrom: string | null,
  purpose: Purpose = "background",
): Models {
  return {
    configured,
    configuredFrom,
    async open(info, from) {
      for (const place of placesOf(settings, info, from)) {
        const embedder = await openEmbedder({ ...settings, ...place }, purpose).catch((error: unknown) => {
          if (error instanceof EngineError) return null
          throw error
        })
        if (embedder?.id === info.embedder && embedder.dimensions === info.dimensions) return embedder
        await embedder?.[Symbol.asyncDispose]()
      }
      return null
    },
  }
}

type Place = Partial<Values<typeof engineSettings>>

/**
 * Settings under which a model might be found: for a server's model, its name on the current server. Otherwise the
 * stored location, the same location in a data folder that was moved, and the models that ship with Fossick.
 */
function placesOf(
  { dataDir, embeddingsUrl }: Values<typeof engineSettings>,
  { embedder, dimensions }: IndexInfo,
  from: string | undefined,
): Place[] {
  const atServer = remoteModelOf(embedder)
  if (atServer !== null) {
    return embeddingsUrl === "" ? [] : [{ embeddingsModel: atServer, embeddingsDimensions: dimensions }]
  }
  const shipped = Object.values(SHIPPED_MODELS)
  const here = { embeddingsUrl: "", embeddingsModel: "", modelHub: "" }
  if (!from) return shipped.map((model) => ({ ...here, model }))
  const [owner = "", name = ""] = from.split(/[\\/]/).slice(-2)
  const folders = new Set([from, path.join(dataDir, "models", owner, name), ...shipped])
  return [...folders].map((model) => ({ ...here, model }))
}

/**
 * The path by which the settings' model can be found again from any working directory: a folder, or empty. Nothing is
 * stored for a model on a server: only the settings contain its address and key.
 */
export function whereFrom(
  settings: Pick<Values<typeof engineSettings>, "model" | "dataDir" | "embeddingsUrl">,
): string {
  const { model, dataDir } = settings
  if (model === "" || settings.embeddingsUrl !== "" || Object.values(SHIPPED_MODELS).includes(model))
    return ""
  const kept = existsSync(model) ? model : path.join(dataDir, "models", model)
  return path.resolve(kept)
}

/**
 * A placeholder for a model that no longer exists, so that the index it made can be opened. It must not be asked for
 * vectors.
 */
export function missingModel({ embedder, dimensions }: IndexInfo): Embedder {
  const refuse = () =>
    Promise.reject(
      new EngineError("MODEL_UNAVAILABLE", `The model ${embedder}, which made the index, cannot be opened.`),
    )
  return {
    id: embedder,
    dimensions,
    embed: refuse,
    tokenVectors: refuse,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

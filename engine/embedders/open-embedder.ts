import path from "node:path"
import { existsSync } from "node:fs"
import type { engineSettings } from "../settings.ts"
import type { Embedder } from "../embedder.ts"
import type { Values } from "#base/settings.ts"
import type { Purpose } from "./embed-protocol.ts"
import { TransformersEmbedder, shippedModel } from "./transformers-embedder.ts"

type EmbedderSettings = Pick<Values<typeof engineSettings>, "dataDir" | "model" | "modelHub" | "embedThreads">

/**
 * The embedder that the settings name. A model that is a folder is read from there, whatever the hub.
 * `background`: its threads let all else on the machine go first, where that can be had.
 *
 * @throws EngineError `MODEL_UNAVAILABLE`
 */
export async function openEmbedder(
  settings: EmbedderSettings,
  purpose: Purpose = "answers",
): Promise<Embedder> {
  const model = settings.model || shippedModel
  const fromHub = settings.modelHub !== "" && !existsSync(model)
  return TransformersEmbedder.open({
    model,
    ...(fromHub ? { hub: settings.modelHub, cacheDir: path.join(settings.dataDir, "models") } : {}),
    threads: settings.embedThreads,
    purpose,
  })
}

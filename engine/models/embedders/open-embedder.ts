import path from "node:path"
import { existsSync } from "node:fs"
import type { engineSettings } from "../../settings.ts"
import type { Embedder } from "../../embedder.ts"
import type { Values } from "#base/settings.ts"
import type { Purpose } from "./embed-protocol.ts"
import { checkModelServers } from "../servers/settings.ts"
import { RemoteEmbedder, type RemoteSettings } from "./remote/remote-embedder.ts"
import { TransformersEmbedder, shippedModel } from "./transformers-embedder.ts"

type EmbedderSettings = Pick<
  Values<typeof engineSettings>,
  "dataDir" | "model" | "modelHub" | "embedThreads"
> &
  Partial<RemoteSettings>

/** Whether a server creates the vectors. */
export const isRemote = (settings: EmbedderSettings): settings is EmbedderSettings & RemoteSettings =>
  Boolean(settings.embeddingsUrl)

/**
 * Opens the embedder that the settings name: one on a server takes precedence over a model in this process. A model
 * that is a folder is read from there, regardless of the hub. `background`: its threads yield to all other work on the
 * machine, if the system supports that.
 *
 * @throws EngineError `MODEL_UNAVAILABLE`; SettingsError
 */
export async function openEmbedder(
  settings: EmbedderSettings,
  purpose: Purpose = "answers",
): Promise<Embedder> {
  checkModelServers(settings)
  if (isRemote(settings)) return RemoteEmbedder.open(settings)
  const model = settings.model || shippedModel
  const fromHub = settings.modelHub !== "" && !existsSync(model)
  return TransformersEmbedder.open({
    model,
    ...(fromHub ? { hub: settings.modelHub, cacheDir: path.join(settings.dataDir, "models") } : {}),
    threads: settings.embedThreads,
    purpose,
  })
}

import { checkModelServers } from "../servers/settings.ts"
import type { Reranker } from "../../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"
import { RemoteReranker, type RerankerSettings } from "./remote-reranker.ts"

/** Opens the reranker named in the settings; null if none is named. @throws EngineError `MODEL_UNAVAILABLE`; SettingsError */
export async function openReranker(
  settings: RerankerSettings & { readonly reranker: string },
): Promise<Reranker | null> {
  checkModelServers(settings)
  if (settings.rerankerUrl !== "") return new RemoteReranker(settings)
  return settings.reranker === ""
    ? null
    : await CrossEncoder.open(settings.reranker, { timeoutMs: settings.rerankerTimeoutMs })
}

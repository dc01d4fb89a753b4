import path from "node:path"
import { checkModelServers } from "../model-servers/settings.ts"
import type { Reranker } from "../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"
import { RemoteReranker, type RerankerSettings } from "./remote-reranker.ts"

/** The folder of the cross-encoder that ships with Fossick; it reads English. */
export const shippedReranker = path.join(import.meta.dirname, "..", "models", "ms-marco-MiniLM-L-12-v2")

/** Ten to twenty-five pairs of some 10 ms wait for each other; a second thread would take another 107 MB. */
const ANSWER_THREADS = 1

/**
 * What chooses the sentences of answers, or null when the settings want none. Its threads start when it is first asked.
 *
 * @throws EngineError `MODEL_UNAVAILABLE`
 */
export async function openAnswerReranker(settings: {
  readonly answerReranker: "shipped" | "off"
  readonly rerankerTimeoutMs: number
}): Promise<Reranker | null> {
  return settings.answerReranker === "off"
    ? null
    : await CrossEncoder.open(shippedReranker, settings.rerankerTimeoutMs, ANSWER_THREADS)
}

/** The reranker that the settings name, or null when they name none. @throws EngineError `MODEL_UNAVAILABLE`; SettingsError */
export async function openReranker(
  settings: RerankerSettings & { readonly reranker: string },
): Promise<Reranker | null> {
  checkModelServers(settings)
  if (settings.rerankerUrl !== "") return new RemoteReranker(settings)
  return settings.reranker === ""
    ? null
    : await CrossEncoder.open(settings.reranker, settings.rerankerTimeoutMs)
}

import path from "node:path"
import type { engineSettings } from "./config.ts"
import type { Embedder } from "./embedder.ts"
import { openEmbedder } from "./embedders/open-embedder.ts"
import type { Engine } from "./engine.ts"
import type { Values } from "./settings.ts"

export interface OpenEngineOptions {
  /** `write` for the one process that indexes, `read` for every other. */
  readonly mode: "read" | "write"
  /** An embedder that the caller opened and closes. Default: the one the settings name, closed with the engine. */
  readonly embedder?: Embedder
  /** `off` leaves the vectors to an engine opened later. Default `on`. */
  readonly embedding?: "on" | "off"
  readonly replaceVectors?: boolean
  /** Told of failures in the background, which are tried again. */
  readonly onProblem?: (error: unknown) => void
}

/**
 * Opens the engine that the settings name.
 *
 * @throws EngineError
 */
export async function openEngine(
  settings: Values<typeof engineSettings>,
  { embedder: given, ...options }: OpenEngineOptions,
): Promise<Engine> {
  // Loaded when an engine is opened: who only needs the port's words starts faster and stays smaller.
  const { EmbeddedEngine } = await import("./adapters/embedded/embedded-engine.ts")
  const embedder = given ?? (await openEmbedder(settings))
  try {
    const dir = path.join(settings.dataDir, "index")
    return await EmbeddedEngine.open({ ...options, dir, embedder, ownsEmbedder: !given })
  } catch (error) {
    if (!given) await embedder[Symbol.asyncDispose]()
    throw error
  }
}

import { existsSync } from "node:fs"
import { readModelFolder } from "#engine/models/embedders/model-folder.ts"
import { RemoteEmbedder } from "#engine/models/embedders/remote/remote-embedder.ts"
import { openReranker } from "#engine/models/rerankers/open-reranker.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"
import { ModelServerError } from "#engine/models/servers/model-server.ts"
import { SHIPPED_MODELS } from "#engine/shipped-models.ts"
import { type Check, type Found, PATIENCE_MS, wrong } from "./check.ts"
import type { DoctorSettings } from "./settings-checks.ts"

export const modelCheck = (settings: DoctorSettings): Check => ({
  name: "model",
  async run() {
    const { model, modelHub, embeddingsUrl } = settings
    if (embeddingsUrl !== "") return await tryEmbeddings(settings)
    if (model !== "" && modelHub !== "" && !existsSync(model)) return []
    try {
      const folders = model === "" ? Object.values(SHIPPED_MODELS) : [model]
      for (const folder of folders) await readModelFolder(folder)
      return []
    } catch (error) {
      const advice =
        model === ""
          ? "Install Fossick again: some of its files are missing."
          : "Set FOSSICK_MODEL to english, multilingual or a folder that holds a model, or leave it empty."
      return wrong((error as Error).message, advice)
    }
  },
})

/** Checks the files of the model that reads units of pages for answers. */
export const unitReaderCheck = ({ readsUnits }: DoctorSettings): Check => ({
  name: "unit reader",
  async run() {
    if (!readsUnits) return []
    try {
      const reader = await openUnitReader()
      await reader[Symbol.asyncDispose]()
      return []
    } catch (error) {
      return wrong(
        (error as Error).message,
        "Install Fossick again. Until then, answers are chosen without it.",
      )
    }
  },
})

/** Asks the server for a vector. Only a word of our own is sent, so the server's error message can be shown. */
async function tryEmbeddings(settings: DoctorSettings): Promise<Found> {
  const advice =
    "Check FOSSICK_EMBEDDINGS_URL, FOSSICK_EMBEDDINGS_MODEL, FOSSICK_EMBEDDINGS_KEY and the server: docs/remote-models.md."
  try {
    await using embedder = await RemoteEmbedder.open(settings, { keep: false })
    await embedder.embed([TRIED], { priority: "query" })
    return []
  } catch (error) {
    return wrong(`${(error as Error).message}${saidIn(error as Error)}`, advice)
  }
}

const TRIED = "ready?"

/** The server's own message, if it sent one. */
export function saidIn({ cause }: { cause?: unknown }): string {
  return cause instanceof ModelServerError && cause.said !== "" ? ` Response: ${cause.said}` : ""
}

/** Has the reranker, if there is one, compare two words. */
export const rerankerCheck = (settings: DoctorSettings): Check => ({
  name: "reranker",
  async run() {
    try {
      await using reranker = await openReranker({ ...settings, rerankerTimeoutMs: PATIENCE_MS })
      await reranker?.scores(TRIED, [TRIED])
      return []
    } catch (error) {
      const advice =
        settings.reranker === ""
          ? "Check FOSSICK_RERANKER_URL, FOSSICK_RERANKER_MODEL, FOSSICK_RERANKER_KEY and the server: docs/remote-models.md."
          : "Set FOSSICK_RERANKER to a folder that holds a cross-encoder, or leave it empty: docs/remote-models.md."
      return wrong(`${(error as Error).message}${saidIn(error as Error)}`, advice)
    }
  },
})

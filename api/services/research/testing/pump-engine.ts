import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Page } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"

import { PUMP_PAGES } from "./pump-pages.ts"

export interface PumpEngine extends AsyncDisposable {
  readonly engine: EmbeddedEngine
  readonly embedder: TransformersEmbedder
}

/** An index of pages made with the shipped model, in a folder that is deleted together with the index. */
export async function openPumpEngine(pages: readonly Page[] = PUMP_PAGES): Promise<PumpEngine> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-research-"))
  const embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
  const engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
  await engine.index(pages)
  await engine.settled()
  return {
    engine,
    embedder,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await embedder[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

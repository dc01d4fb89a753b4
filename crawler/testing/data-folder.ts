import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStateStore } from "#base/store/state-store.ts"
import type { Embedder } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"

/** A data folder with its state and an empty index, whose vectors need no model unless one is given. All of it is disposed of with the stack. */
export async function openDataFolder(
  opened: AsyncDisposableStack,
  embedder: Embedder = new HashingEmbedder(),
) {
  const dir = await mkdtemp(join(tmpdir(), "fossick-data-"))
  opened.defer(() => rm(dir, { recursive: true }))
  const db = await openStateStore(dir)
  opened.defer(() => db.close())
  const engine = opened.use(await EmbeddedEngine.open({ dir: join(dir, "index"), mode: "write", embedder }))
  return { dir, db, embedder, engine }
}

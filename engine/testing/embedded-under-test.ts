import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import type { AdapterUnderTest } from "./contract/stage.ts"
import { HashingEmbedder } from "./hashing-embedder.ts"

/** The embedded engine for the contract suite, in its own folders under the system's temporary one. */
export const adapter: AdapterUnderTest = {
  module: import.meta.url,
  freshPlace: () => mkdtemp(path.join(tmpdir(), "fossick-engine-")),
  removePlace: (place) => rm(place, { recursive: true, force: true }),
  open: (place, { mode = "write", embedder = new HashingEmbedder(), embedding = "on" } = {}) =>
    EmbeddedEngine.open({ dir: path.join(place, "index"), mode, embedder, embedding }),
}

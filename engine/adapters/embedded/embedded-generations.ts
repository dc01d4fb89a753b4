import { rm } from "node:fs/promises"
import path from "node:path"
import type { GenerationAdapter } from "../../generations/adapter.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"
import { INDEX_FORMAT, OLD_FORMATS, readAnyManifest } from "./manifest.ts"
import { openOldIndex } from "./old-index.ts"

/** Embedded indexes: each generation in a folder of its name in the data folder. */
export function embeddedGenerations(dataDir: string): GenerationAdapter {
  const folder = (generation: string) => path.join(dataDir, generation)
  return {
    name: "embedded",
    format: INDEX_FORMAT,
    useOf(format) {
      if (format === INDEX_FORMAT) return "written"
      if (format > INDEX_FORMAT) return "too-new"
      return OLD_FORMATS.includes(format) ? "pages" : "too-old"
    },
    info: (generation) => readAnyManifest(folder(generation)),
    open: (generation, options) => EmbeddedEngine.open({ ...options, dir: folder(generation) }),
    openOld: (generation) => openOldIndex(folder(generation)),
    drop: (generation) => rm(folder(generation), { recursive: true, force: true }),
  }
}

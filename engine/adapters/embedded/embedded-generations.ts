import { readdir, rm, stat, statfs } from "node:fs/promises"
import path from "node:path"
import type { GenerationAdapter } from "../adapter.ts"
import { checkIndex, indexedIn } from "./check.ts"
import { countReadable, openDamagedIndex } from "./damaged-index.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"
import { INDEX_FORMAT, OLD_FORMATS, readAnyManifest } from "./files/manifest.ts"
import { openOldIndex } from "./old-index.ts"

/**
 * Embedded indexes: each generation is in a folder in the data folder, named after the generation.
 *
 * @param cacheMb how many megabytes of an index are cached when it is opened for reading. Default: depends on the
 * machine
 */
export function embeddedGenerations(dataDir: string, cacheMb?: number): GenerationAdapter {
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
    open: (generation, options) =>
      EmbeddedEngine.open({
        ...options,
        ...(cacheMb !== undefined && { cacheMb }),
        dir: folder(generation),
        dataDir,
      }),
    openOld: (generation) => openOldIndex(folder(generation)),
    check: (generation, depth) => checkIndex(folder(generation), depth),
    indexed: (generation) => indexedIn(folder(generation)),
    openDamaged: (generation) => openDamagedIndex(folder(generation)),
    async present() {
      const names = (await readdir(dataDir).catch(() => [])).filter((name) =>
        /^index(-[1-9]\d*)?$/.test(name),
      )
      return names.map((name) => ({ name, pages: countReadable(folder(name)) }))
    },
    async room(generation) {
      const { bavail, bsize } = await statfs(dataDir)
      return { taken: await sizeOf(folder(generation)), free: bavail * bsize }
    },
    drop: (generation) => rm(folder(generation), { recursive: true, force: true }),
  }
}

async function sizeOf(dir: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue
    // Another process might be cleaning up at the same time.
    const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => null)
    bytes += found?.size ?? 0
  }
  return bytes
}

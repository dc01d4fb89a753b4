import { readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import path from "node:path"
import type { engineSettings } from "../../settings.ts"
import type { GenerationAdapter } from "../adapter.ts"
import { SettingsError, type Values } from "#base/settings.ts"
import { INDEX_FORMAT, dropIndexes, readManifest } from "./server/indexes.ts"
import { suggestionsFile } from "../server/server-engine.ts"
import { openMeilisearch } from "./meilisearch-engine.ts"
import { Server } from "./server/server.ts"

const PATIENCE_MS = 10_000

type MeilisearchSettings = Pick<
  Values<typeof engineSettings>,
  "dataDir" | "meiliUrl" | "meiliKey" | "meiliKeyFile" | "meiliIndex"
>

/**
 * Indexes on a Meilisearch server: each generation consists of indexes whose names begin with the generation's name.
 *
 * @throws SettingsError when the key is given twice, or its file cannot be read.
 */
export function meilisearchGenerations(settings: MeilisearchSettings): GenerationAdapter {
  const url = settings.meiliUrl
  const key = keyOf(settings)
  const lockDir = path.join(settings.dataDir, "locks")
  const nameOf = (generation: string) => `${settings.meiliIndex}-${generation}`
  const asking = async <T>(ask: (server: Server) => Promise<T>): Promise<T> => {
    const server = new Server({ url, key, patienceMs: PATIENCE_MS })
    try {
      return await ask(server)
    } catch (error) {
      throw server.explain(error)
    }
  }
  return {
    name: "meilisearch",
    format: INDEX_FORMAT,
    useOf(format) {
      if (format === INDEX_FORMAT) return "written"
      return format > INDEX_FORMAT ? "too-new" : "too-old"
    },
    info: (generation) => asking((server) => readManifest(server, nameOf(generation))),
    open: (generation, options) =>
      openMeilisearch({
        ...options,
        url,
        key,
        lockDir,
        name: nameOf(generation),
        dataDir: settings.dataDir,
      }),
    async drop(generation) {
      const name = nameOf(generation)
      await asking((server) => dropIndexes(server, name))
      for (const end of ["", "-wal", "-shm"]) {
        await rm(suggestionsFile({ lockDir, name }) + end, { force: true })
      }
    },
  }
}

function keyOf({ meiliKey, meiliKeyFile }: MeilisearchSettings): string {
  if (meiliKeyFile === "") return meiliKey
  if (meiliKey !== "") {
    throw new SettingsError(["FOSSICK_MEILI_KEY and FOSSICK_MEILI_KEY_FILE are both set: set only one"])
  }
  let key
  try {
    key = readFileSync(meiliKeyFile, "utf8").trim()
  } catch {
    throw new SettingsError([`FOSSICK_MEILI_KEY_FILE: cannot read ${meiliKeyFile}`])
  }
  if (key === "") throw new SettingsError([`FOSSICK_MEILI_KEY_FILE: ${meiliKeyFile} is empty`])
  return key
}

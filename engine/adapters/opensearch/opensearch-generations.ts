import { rm } from "node:fs/promises"
import path from "node:path"
import type { GenerationAdapter } from "../adapter.ts"
import { suggestionsFile } from "../server/server-engine.ts"
import { openOpenSearch } from "./opensearch-engine.ts"
import { Cluster } from "./server/cluster.ts"
import { dropIndexes, INDEX_FORMAT, readManifest } from "./server/indexes.ts"
import { clusterOf, type OpenSearchSettings, spreadOf } from "./settings.ts"

const PATIENCE_MS = 10_000

/**
 * Indexes on an OpenSearch cluster: each generation consists of indexes whose names begin with the generation's name.
 *
 * @throws SettingsError as {@link clusterOf}
 */
export function opensearchGenerations(
  settings: OpenSearchSettings & { readonly dataDir: string },
): GenerationAdapter {
  const reached = clusterOf(settings)
  const lockDir = path.join(settings.dataDir, "locks")
  const nameOf = (generation: string) => `${settings.opensearchIndex}-${generation}`
  const asking = async <T>(ask: (cluster: Cluster) => Promise<T>): Promise<T> => {
    await using cluster = new Cluster({ ...reached, patienceMs: PATIENCE_MS })
    try {
      return await ask(cluster)
    } catch (error) {
      throw cluster.explain(error)
    }
  }
  return {
    name: "opensearch",
    format: INDEX_FORMAT,
    useOf(format) {
      if (format === INDEX_FORMAT) return "written"
      return format > INDEX_FORMAT ? "too-new" : "too-old"
    },
    info: (generation) => asking((cluster) => readManifest(cluster, nameOf(generation))),
    open: (generation, options) =>
      openOpenSearch({
        ...options,
        cluster: reached,
        spread: spreadOf(settings),
        lockDir,
        name: nameOf(generation),
        dataDir: settings.dataDir,
      }),
    async drop(generation) {
      const name = nameOf(generation)
      await asking((cluster) => dropIndexes(cluster, name))
      for (const end of ["", "-wal", "-shm"]) {
        await rm(suggestionsFile({ lockDir, name }) + end, { force: true })
      }
    },
  }
}

import type { Router } from "@koa/router"

import type { Engine } from "#engine"
import { diskOf } from "#base/disk-space.ts"
import { secondsLeft } from "#engine/lifecycle/filling/filling-rate.ts"

import type { RequestState } from "../../../context.ts"
import { memoryBytes } from "../../history/history.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import type { AdminParts } from "../admin-parts.ts"
import { indexOperations } from "../operations/index-and-model.ts"

/** The contents of the index, the progress of its vectors, and the machine's remaining disk space and memory. */
export function indexRoutes(
  router: Router<RequestState>,
  { engine, engineConfig }: Pick<AdminParts, "engine" | "engineConfig">,
): void {
  serve(router, indexOperations.indexState, async () => ({
    index: await indexOnWire(engine),
    machine: machineOf(engineConfig.dataDir),
  }))
}

/** The contents of the index, and the progress of its vectors. */
export async function indexOnWire(engine: Pick<Engine, "stats" | "supports">) {
  const stats = await engine.stats()
  return {
    engine: engine.supports.adapter,
    embedder: stats.embedder,
    dimensions: stats.dimensions,
    pages: stats.pages,
    passages: stats.passages,
    pages_without_vectors: stats.pagesWithoutVectors,
    passages_without_vectors: stats.passagesWithoutVectors,
    vectors_per_second: stats.vectorsPerSecond,
    seconds_left: secondsLeft(stats),
  }
}

/** Disk and memory as this process sees them; in a container, the container's. */
function machineOf(dataDir: string) {
  const disk = diskOf(dataDir)
  return {
    disk_free_bytes: disk?.freeBytes ?? null,
    disk_bytes: disk?.totalBytes ?? null,
    memory_free_bytes: process.availableMemory(),
    memory_bytes: memoryBytes(),
    process_memory_bytes: process.memoryUsage.rss(),
  }
}

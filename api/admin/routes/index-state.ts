import type { Router } from "@koa/router"

import type { Engine } from "#engine"
import { secondsLeft } from "#engine/filling/filling-rate.ts"

import type { RequestState } from "../../context.ts"

/** What the index holds, and how far its vectors are. */
export function indexRoutes(router: Router<RequestState>, { engine }: { readonly engine: Engine }): void {
  router.get("/index", async (ctx) => {
    const stats = await engine.stats()
    ctx.body = {
      index: {
        engine: engine.supports.adapter,
        embedder: stats.embedder,
        dimensions: stats.dimensions,
        pages: stats.pages,
        passages: stats.passages,
        pages_without_vectors: stats.pagesWithoutVectors,
        passages_without_vectors: stats.passagesWithoutVectors,
        vectors_per_second: stats.vectorsPerSecond,
        seconds_left: secondsLeft(stats),
      },
    }
  })
}

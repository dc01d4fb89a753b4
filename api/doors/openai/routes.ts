import type { Router } from "@koa/router"

import type { Embedder } from "#engine"

import type { RequestState } from "../../context.ts"
import type { Door } from "../../server/door.ts"
import { admission } from "../../server/middleware/admission.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { embeddings, models } from "./embeddings.ts"
import { getStore, listStores, searchStore, type VectorStoreParts } from "./vector-stores.ts"

export interface OpenaiRouteParts extends Door, Omit<VectorStoreParts, "embedder"> {
  readonly embedder: VectorStoreParts["embedder"] & Pick<Embedder, "id" | "dimensions" | "embed">
  readonly limits: SearchLimits
}

/** The calls of OpenAI's API that an index can answer. */
export function openaiRoutes(router: Router<RequestState>, parts: OpenaiRouteParts): void {
  const { key, body, admissions, embedder } = parts
  const search = admission(admissions, "search")
  const look = admission(admissions, "sources")
  router.post("/v1/embeddings", key, body, search, embeddings(embedder))
  router.get("/v1/models", key, look, models(embedder, true))
  router.get("/v1/models/:model", key, look, models(embedder, false))
  router.get("/v1/vector_stores", key, look, listStores(parts))
  router.get("/v1/vector_stores/:id", key, look, getStore(parts))
  router.post("/v1/vector_stores/:id/search", key, body, search, searchStore(parts.limits, parts))
}

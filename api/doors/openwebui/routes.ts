import type { Router } from "@koa/router"

import type { Middleware, RequestState } from "../../context.ts"
import type { Door } from "../../server/door.ts"
import { admission } from "../../server/middleware/admission.ts"
import type { PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { externalLoad, type LoadParts } from "./load.ts"
import { externalSearch } from "./search.ts"

export interface OpenWebuiRouteParts extends Door, LoadParts, PlainSearchParts {
  readonly limits: SearchLimits
  /** Refuses calls that read live pages; null if they are served. */
  readonly refuseLive: Middleware | null
}

/** Open WebUI's external search and external web loader. */
export function openWebuiRoutes(router: Router<RequestState>, parts: OpenWebuiRouteParts): void {
  const { key, body, admissions, refuseLive } = parts
  router.post(
    "/openwebui/search",
    key,
    body,
    admission(admissions, "search"),
    externalSearch(parts.limits, parts),
  )
  router.post(
    "/openwebui/load",
    key,
    body,
    admission(admissions, "extract"),
    refuseLive ?? externalLoad(parts),
  )
}

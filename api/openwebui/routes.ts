import type { Router } from "@koa/router"

import type { KeyStore } from "../accounts/keys/keys.ts"
import type { Admissions } from "../accounts/limits/admission.ts"
import type { Middleware, RequestState } from "../context.ts"
import type { FirecrawlParts } from "../firecrawl/scrape.ts"
import { admission } from "../middleware/admission.ts"
import { authentication } from "../middleware/authentication.ts"
import { jsonBody } from "../middleware/json-body.ts"
import type { SearchLimits } from "../tavily/search.ts"
import { externalLoad } from "./load.ts"
import { externalSearch, type ExternalSearchParts } from "./search.ts"

export interface OpenWebuiRouteParts extends FirecrawlParts, Pick<ExternalSearchParts, "images"> {
  readonly embedder: FirecrawlParts["embedder"] & ExternalSearchParts["embedder"]
  readonly keys: Pick<KeyStore, "verify">
  readonly admissions: Admissions
  readonly limits: SearchLimits
  readonly bodyLimit: number
  /** Refuses what reads live pages; null: it is served. */
  readonly refuseLive: Middleware | null
}

/** What Open WebUI calls its external search and its external web loader. */
export function openWebuiRoutes(router: Router<RequestState>, parts: OpenWebuiRouteParts): void {
  const { admissions, refuseLive } = parts
  const key = authentication(parts.keys, { bodyKey: false }).beforeBody
  const body = jsonBody(parts.bodyLimit)
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

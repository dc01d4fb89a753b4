import type { Router } from "@koa/router"

import type { Context, RequestState } from "../../context.ts"
import type { Door } from "../../server/door.ts"
import { admission } from "../../server/middleware/admission.ts"
import type { OtherApi } from "../../server/middleware/error-envelope.ts"
import { formBody } from "./form-body.ts"
import type { PlainSearchParts } from "../plain-search.ts"
import type { SearchLimits } from "../../core/ask/question.ts"
import { autocompleter } from "./autocompleter.ts"
import { searxngKey } from "./searxng-key.ts"
import { searxngConfig } from "./searxng-config.ts"
import { searxngSearch } from "./searxng-search.ts"

/** The prefix of the paths of SearXNG's API. */
const ROOT = "/searxng"

/** SearXNG's paths, and refusals in SearXNG's JSON format. */
export const searxngApi: OtherApi = {
  owns: (path) => path === ROOT || path.startsWith(`${ROOT}/`),
  refusal: ({ status, message, isSpent }) => ({
    status: isSpent ? 429 : status,
    body: { error: message },
  }),
}

export interface SearxngRouteParts extends Door, PlainSearchParts {
  readonly limits: SearchLimits
  /** The appliance's public address; empty to use the address the caller used. */
  readonly publicUrl: string
  /** Key for callers that send none; empty if there isn't one. */
  readonly keyOfAll: string
  /** Refuses calls without a key if their host name might belong to someone else. */
  readonly checkName: (ctx: Context) => void
}

/** The calls of SearXNG's API. */
export function searxngRoutes(router: Router<RequestState>, parts: SearxngRouteParts): void {
  const { admissions } = parts
  const key = searxngKey(parts.keys, parts.keyOfAll, parts.checkName)
  const form = formBody(parts.bodyLimit, parts.arriving)
  const search = searxngSearch(parts.limits, parts)
  const admit = admission(admissions, "search")
  // Clients are configured with the address of either the search or the instance.
  for (const path of [ROOT, `${ROOT}/search`]) {
    router.get(path, key, admit, search)
    router.post(path, key, form, admit, search)
  }
  router.get(`${ROOT}/autocompleter`, key, admission(admissions, "suggest"), autocompleter())
  router.get(`${ROOT}/config`, key, admission(admissions, "sources"), searxngConfig())
}

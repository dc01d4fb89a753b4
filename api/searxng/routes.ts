import type { Router } from "@koa/router"

import type { KeyStore } from "../accounts/keys/keys.ts"
import type { Admissions } from "../accounts/limits/admission.ts"
import type { Context, RequestState } from "../context.ts"
import { admission } from "../middleware/admission.ts"
import type { OtherApi } from "../middleware/error-envelope.ts"
import { formBody } from "./form-body.ts"
import type { SearchLimits } from "../tavily/search.ts"
import { searxngKey } from "./searxng-key.ts"
import { searxngConfig, type SearxngParts, searxngSearch } from "./searxng-search.ts"

/** What stands before the paths of SearXNG's API. */
const ROOT = "/searxng"

/** SearXNG's paths, and refusals as it gives them in JSON. */
export const searxngApi: OtherApi = {
  owns: (path) => path === ROOT || path.startsWith(`${ROOT}/`),
  refusal: ({ status, message }) => ({
    status: status === 432 || status === 433 ? 429 : status,
    body: { error: message },
  }),
}

export interface SearxngRouteParts extends SearxngParts {
  readonly keys: Pick<KeyStore, "verify">
  readonly admissions: Admissions
  readonly limits: SearchLimits
  /** Key of those who send none; empty: there is none. */
  readonly keyOfAll: string
  readonly bodyLimit: number
}

/** The calls of SearXNG's API. */
export function searxngRoutes(router: Router<RequestState>, parts: SearxngRouteParts): void {
  const { admissions } = parts
  const key = searxngKey(parts.keys, parts.keyOfAll)
  const forms = new WeakMap<Context, URLSearchParams>()
  const form = formBody(parts.bodyLimit, (ctx, fields) => forms.set(ctx, fields))
  const search = searxngSearch(parts.limits, parts, (ctx) => forms.get(ctx) ?? null)
  const admit = admission(admissions, "search")
  // Clients are given either the address of the search or of the instance.
  for (const path of [ROOT, `${ROOT}/search`]) {
    router.get(path, key, admit, search)
    router.post(path, key, form, admit, search)
  }
  router.get(`${ROOT}/config`, key, admission(admissions, "sources"), searxngConfig())
}

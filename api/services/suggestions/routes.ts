import type { Router } from "@koa/router"

import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { RequestState } from "../../context.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import type { QueryLog } from "../queries/query-log.ts"
import { browserSuggest, suggest } from "./suggest.ts"

/** First path segment of the call below. */
export const SUGGEST_PATH = "suggest"

/** The call that a search box makes with each letter: free, and within the scope of its key. */
export function suggestRoutes(
  router: Router<RequestState>,
  {
    keys,
    admissions,
    queries,
  }: {
    readonly keys: Pick<KeyStore, "verify">
    readonly admissions: Admissions
    /** Where questions are kept; left out: nowhere. */
    readonly queries?: Pick<QueryLog, "alike"> | undefined
  },
): void {
  const key = authentication(keys, { bodyKey: false }).beforeBody
  const admit = admission(admissions, "suggest")
  router.get("/suggest", key, admit, suggest(queries))
  router.get("/suggest/opensearch", key, admit, browserSuggest())
}

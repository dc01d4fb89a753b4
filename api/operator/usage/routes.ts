import type { Router } from "@koa/router"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { optionalJsonBody } from "../../server/middleware/query-parameters.ts"
import type { Middleware, RequestState } from "../../context.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import { jsonBody } from "../../server/middleware/json-body.ts"
import { deactivateKeys } from "./deactivate-keys.ts"
import { feedback } from "./feedback.ts"
import { generateKeys } from "./generate-keys.ts"
import { keyInfo } from "./key-info.ts"
import { logs } from "./logs.ts"
import { FEEDBACK_BYTES } from "./schema.ts"
import { requestPage } from "./page-requests.ts"
import { usage } from "./usage.ts"

/** Last path segments of the calls below. */
export const ACCOUNT_PATHS = [
  "usage",
  "logs",
  "feedback",
  "page-requests",
  "generate-keys",
  "deactivate-keys",
  "key-info",
]

/** The calls about keys and their usage: free, and not limited by a key's scope. */
export function accountRoutes(
  router: Router<RequestState>,
  accounts: Accounts,
  admissions: Admissions,
  config: {
    readonly bodyKey: boolean
    readonly bodyLimit: number
    /** Refuses requests when their data could not be stored. */
    readonly mayKeep: Middleware
  },
): void {
  const key = authentication(accounts.keys, config)
  const headerKey = authentication(accounts.keys, { bodyKey: false })
  const body = jsonBody(config.bodyLimit)
  const mayBeEmpty = optionalJsonBody(config.bodyLimit)
  const feedbackBody = jsonBody(FEEDBACK_BYTES)

  router.get("/usage", headerKey.beforeBody, admission(admissions, "usage"), usage(accounts))
  router.post(
    "/logs",
    key.beforeBody,
    mayBeEmpty,
    key.afterBody,
    admission(admissions, "logs"),
    logs(accounts),
  )
  router.post(
    "/feedback",
    key.beforeBody,
    feedbackBody,
    key.afterBody,
    config.mayKeep,
    admission(admissions, "feedback"),
    feedback(accounts),
  )
  router.post(
    "/page-requests",
    key.beforeBody,
    feedbackBody,
    key.afterBody,
    config.mayKeep,
    admission(admissions, "feedback"),
    requestPage(accounts),
  )
  router.post(
    "/generate-keys",
    key.beforeBody,
    body,
    key.afterBody,
    config.mayKeep,
    admission(admissions, "keys"),
    generateKeys(accounts),
  )
  router.post(
    "/deactivate-keys",
    key.beforeBody,
    mayBeEmpty,
    key.afterBody,
    config.mayKeep,
    admission(admissions, "keys"),
    deactivateKeys(accounts),
  )
  // The handler checks the key itself, because the holder of an expired key may ask why it is refused.
  router.get("/key-info", keyInfo(accounts))
}

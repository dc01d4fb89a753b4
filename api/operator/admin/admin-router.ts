import { METHODS } from "node:http"

import { Router } from "@koa/router"

import type { AdminParts } from "./admin-parts.ts"
import { applianceRoutes } from "../../faces/admin-routes.ts"
import type { RequestState } from "../../context.ts"
import { authentication, type CallerKeys } from "../../server/middleware/authentication.ts"
import { keyRoutes } from "../usage/key-routes.ts"
import { paymentRoutes } from "../../doors/x402/books/payment-routes.ts"
import { publicKeyRoutes } from "../../identity/public-keys/admin-routes.ts"
import { auditRoutes } from "../audit/admin-routes.ts"
import { lookingBefore } from "../audit/auditing.ts"
import { openLooks } from "../audit/looks.ts"
import { outboundRoutes } from "../outbound/admin-routes.ts"
import { PageCounts } from "../people/pages-in-reach.ts"
import { peopleRoutes } from "../people/people-routes.ts"
import { readersRoutes } from "../people/readers-routes.ts"
import { eventRoutes } from "./events/routes.ts"
import { byRole } from "./gate.ts"
import { feedbackRoutes } from "./routes/feedback.ts"
import { indexRoutes } from "./routes/index-state.ts"
import { jobRoutes } from "./routes/jobs.ts"
import { modelRoutes } from "./routes/model.ts"
import { oauthRoutes } from "./routes/oauth.ts"
import { pageRequestRoutes } from "./routes/page-requests.ts"
import { pageStateRoutes } from "./routes/page/page-state.ts"
import { pageRoutes } from "./routes/page/pages.ts"
import { draftRoutes } from "./routes/drafts/drafts.ts"
import { proposeRoutes } from "./routes/drafts/propose.ts"
import { networkRoutes } from "./routes/networks/networks.ts"
import { removalRoutes } from "./routes/removals.ts"
import { refuseChanges } from "../../read-only.ts"
import { optionalJsonBody } from "../../server/middleware/query-parameters.ts"
import { historyRoutes } from "../history/admin-routes.ts"
import { queryRoutes } from "../../services/queries/admin-routes.ts"
import { judgedRoutes } from "../judging/admin-routes.ts"
import { judgedRunRoutes } from "../judging/run-routes.ts"
import { ruleRoutes } from "../rules/admin-routes.ts"
import { sourceRoutes } from "./routes/sources.ts"
import { backupRoutes } from "../upkeep/backup-routes.ts"
import { type ApiSettings, settingRoutes } from "../upkeep/setting-routes.ts"
import { vectorRoutes } from "../upkeep/vector-routes.ts"
import { usageRoutes } from "./routes/usage.ts"
import { webhookRoutes } from "./routes/webhooks.ts"

export interface AdminConfig {
  readonly bodyLimit: number
  /** Settings that are shown with their values. */
  readonly apiSettings: ApiSettings
}

/**
 * `/admin/…`, for keys with the role admin, and for operators if a call allows them. A key in the body is not accepted:
 * half of these calls have no body.
 */
export function adminRouter(
  parts: AdminParts,
  keys: CallerKeys,
  { bodyLimit, apiSettings }: AdminConfig,
  readOnly: string | null = null,
): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: "/admin", methods: METHODS })
  router.use(
    authentication(keys, { bodyKey: false }).beforeBody,
    byRole,
    refuseChanges(readOnly),
    optionalJsonBody(bodyLimit),
    lookingBefore(openLooks(parts)),
  )
  applianceRoutes(router, parts)
  sourceRoutes(router, parts)
  jobRoutes(router, parts)
  indexRoutes(router, parts)
  eventRoutes(router, parts)
  modelRoutes(router, parts)
  removalRoutes(router, parts)
  pageRoutes(router, parts)
  pageStateRoutes(router, parts)
  proposeRoutes(router, parts)
  draftRoutes(router, parts)
  networkRoutes(router, { ...parts, apiSettings })
  ruleRoutes(router, parts)
  queryRoutes(router, parts)
  judgedRoutes(router, parts)
  judgedRunRoutes(router, parts)
  vectorRoutes(router, parts)
  historyRoutes(router, parts)
  backupRoutes(router, parts)
  settingRoutes(router, apiSettings)
  webhookRoutes(router, parts)
  feedbackRoutes(router, parts)
  pageRequestRoutes(router, parts)
  oauthRoutes(router, parts)
  usageRoutes(router, parts)
  const counts = new PageCounts(parts.engine)
  peopleRoutes(router, { ...parts, counts })
  readersRoutes(router, { ...parts, counts })
  keyRoutes(router, parts)
  publicKeyRoutes(router, parts)
  paymentRoutes(router, parts)
  auditRoutes(router, parts)
  outboundRoutes(router, parts)
  return router
}

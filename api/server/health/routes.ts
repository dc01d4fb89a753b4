import type { Router } from "@koa/router"

import type { RequestState } from "../../context.ts"
import type { StateOutage } from "../outage/state-outage.ts"
import { oneOfParameter } from "../middleware/query-parameters.ts"
import { type Check, EXCLUDABLE, healthOf } from "./health.ts"

/** Whether the process is alive, and whether all its parts work; anyone may ask. */
export function healthRoutes(
  router: Router<RequestState>,
  {
    checks,
    notes,
    warnings,
    outage,
    onFailure,
  }: {
    readonly checks: Readonly<Record<string, Check>>
    readonly notes: Readonly<Record<string, Check>> | undefined
    readonly warnings: () => Promise<readonly string[]>
    /** During a bridged outage, parts that fail only because of the outage do not make the appliance unready. */
    readonly outage: Pick<StateOutage, "isBridged">
    /** Called with each error that a check throws. */
    readonly onFailure: (check: string, error: unknown) => void
  },
): void {
  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok" }
  })
  const look = healthOf(checks, onFailure, notes, warnings)
  router.get("/readyz", async (ctx) => {
    const excluded = oneOfParameter(ctx, "exclude", EXCLUDABLE)
    const found = await look()
    const missing = found.unwell.filter((name) => name !== excluded)
    const isBridged = outage.isBridged && missing.every((name) => found.away.includes(name))
    const isReady = missing.length === 0
    ctx.status = isReady || isBridged ? 200 : 503
    ctx.body = {
      status: isReady ? "ready" : isBridged ? "degraded" : "not ready",
      checks: found.checks,
      ...(found.warnings.length > 0 && { warnings: found.warnings }),
    }
  })
}

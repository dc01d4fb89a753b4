import type { Router } from "@koa/router"

import type { RequestState } from "../../context.ts"
import { oneOfParameter, sliceOf, timeParameter } from "../../server/middleware/query-parameters.ts"
import { QUERY_REPORTS, type QueryLog } from "./query-log.ts"

/** What was asked, where the operator has it kept: `/admin/queries`. */
export function queryRoutes(router: Router<RequestState>, { queries }: { readonly queries: QueryLog }): void {
  router.get("/queries", async (ctx) => {
    const report = oneOfParameter(ctx, "report", QUERY_REPORTS) ?? "top"
    const from = timeParameter(ctx, "from") ?? 0
    const before = timeParameter(ctx, "before") ?? Date.now() + 1
    const slice = sliceOf(ctx)
    const found = await queries.report(report, { from, before, ...slice })
    ctx.body = {
      enabled: queries.isOn,
      report,
      queries: found.queries.map(({ topScore, lastAt, ...line }) => ({
        ...line,
        top_score: topScore,
        last_at: new Date(lastAt).toISOString(),
      })),
      total: found.total,
      ...slice,
    }
  })

  router.delete("/queries", async (ctx) => {
    ctx.body = { deleted: await queries.clear() }
  })
}

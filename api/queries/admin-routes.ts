import type { Router } from "@koa/router"

import type { Context, RequestState } from "../context.ts"
import { badRequest } from "../errors.ts"
import { oneOfParameter, parameter, sliceOf } from "../middleware/query-parameters.ts"
import { QUERY_REPORTS, type QueryLog } from "./query-log.ts"

/** What was asked, where the operator has it kept: `/admin/queries`. */
export function queryRoutes(router: Router<RequestState>, { queries }: { readonly queries: QueryLog }): void {
  router.get("/queries", (ctx) => {
    const report = oneOfParameter(ctx, "report", QUERY_REPORTS) ?? "top"
    const from = timeOf(ctx, "from") ?? 0
    const before = timeOf(ctx, "before") ?? Date.now() + 1
    const slice = sliceOf(ctx)
    const found = queries.report(report, { from, before, ...slice })
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

  router.delete("/queries", (ctx) => {
    ctx.body = { deleted: queries.clear() }
  })
}

function timeOf(ctx: Context, name: string): number | undefined {
  const text = parameter(ctx, name)
  if (text === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw badRequest(`Invalid ${name}. Must be a time like 2026-01-31T00:00:00Z.`)
  return time
}

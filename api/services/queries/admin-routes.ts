import type { Router } from "@koa/router"

import type { RequestState } from "../../context.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { queryOperations } from "./operations.ts"
import type { QueryLog } from "./query-log.ts"

/** The questions that were asked, if the operator has them stored: `/admin/queries`. */
export function queryRoutes(router: Router<RequestState>, { queries }: { readonly queries: QueryLog }): void {
  serve(router, queryOperations.listQueries, async ({ query: { report, from = 0, before, ...slice } }) => {
    const found = await queries.report(report, { from, before: before ?? Date.now() + 1, ...slice })
    return {
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

  serve(router, queryOperations.deleteQueries, async () => ({ deleted: await queries.clear() }))
}

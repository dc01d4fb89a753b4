import type { Router } from "@koa/router"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import { unprocessable } from "../../../server/middleware/query-parameters.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { removalOperations as calls } from "../operations/removals.ts"
import { knownSource, requireSourceField } from "../source-filter.ts"
import { heldOnWire, removalOnWire } from "../wire.ts"

/** Pages that are gone, or seem to be: lists them, decides on them, and restores them. */
export function removalRoutes(router: Router<RequestState>, { db, removals }: AdminParts): void {
  serve(router, calls.listRemovals, async ({ query }) => {
    const { limit, offset, state } = query
    const source = await knownSource(query.source, db)
    return {
      removals: (await removals.list(state, { limit, offset, ...(source !== undefined && { source }) })).map(
        removalOnWire,
      ),
      total: await removals.count(state, source),
      limit,
      offset,
      held: (await removals.held()).map(heldOnWire),
    }
  })

  for (const answer of ["approve", "reject"] as const) {
    serve(router, calls[`${answer}Removals`], async ({ body: { source } }) => {
      await requireSourceField(source, db)
      const pages = await removals[answer](source)
      if (pages === 0) {
        throw new ApiError(
          409,
          `No removals of ${JSON.stringify(source.slice(0, 200))} are waiting for an answer.`,
        )
      }
      return { source, pages }
    })
  }

  serve(router, calls.restoreRemovals, async ({ body: { urls, source, job_id: job } }) => {
    const given = [urls, source, job].filter((one) => one !== undefined).length
    if (given !== 1)
      throw unprocessable([{ field: "", message: "Give exactly one of urls, source and job_id" }])
    if (source !== undefined) await requireSourceField(source, db)
    const pages = await removals.restore(
      urls ? { urls } : source !== undefined ? { source } : { job: job as number },
    )
    if (pages === 0) throw new ApiError(409, "None of these pages can be restored.")
    return { pages }
  })
}

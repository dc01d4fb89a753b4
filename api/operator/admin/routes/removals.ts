import type { Router } from "@koa/router"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import type { AdminParts } from "../admin-parts.ts"
import {
  oneOfParameter,
  sliceOf,
  strictBody,
  unprocessable,
} from "../../../server/middleware/query-parameters.ts"
import { requireSourceField, sourceParameter } from "../source-filter.ts"
import { REMOVAL_STATES, removalsBody, restoreBody } from "../schemas.ts"
import { heldOnWire, removalOnWire } from "../wire.ts"

/** Pages that are gone, or seem to be: list them, say yes or no, put them back. */
export function removalRoutes(router: Router<RequestState>, { db, removals }: AdminParts): void {
  const readSource = strictBody(removalsBody)
  const readRestore = strictBody(restoreBody)

  router.get("/removals", async (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const state = oneOfParameter(ctx, "state", REMOVAL_STATES) ?? "held"
    const source = await sourceParameter(ctx, db)
    ctx.body = {
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
    router.post(`/removals/${answer}`, async (ctx) => {
      const { source } = readSource(ctx)
      await requireSourceField(source, db)
      const pages = await removals[answer](source)
      if (pages === 0) {
        throw new ApiError(409, `No removals of ${JSON.stringify(source.slice(0, 200))} wait for an answer.`)
      }
      ctx.status = 202
      ctx.body = { source, pages }
    })
  }

  router.post("/removals/restore", async (ctx) => {
    const { urls, source, job_id: job } = readRestore(ctx)
    const given = [urls, source, job].filter((one) => one !== undefined).length
    if (given !== 1) throw unprocessable([{ field: "", message: "Give one of urls, source and job_id" }])
    if (source !== undefined) await requireSourceField(source, db)
    const pages = await removals.restore(
      urls ? { urls } : source !== undefined ? { source } : { job: job as number },
    )
    if (pages === 0) throw new ApiError(409, "None of these pages is removed and kept for restoring.")
    ctx.status = 202
    ctx.body = { pages }
  })
}

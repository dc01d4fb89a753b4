import type { Router } from "@koa/router"

import { type Engine, toPageUrl } from "#engine"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { PageRequestStore, type WantedPage } from "../../../identity/accounts/page-request-store.ts"
import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { sliceOf } from "../../../server/middleware/query-parameters.ts"

/** What callers miss in the index. */
export function pageRequestRoutes(
  router: Router<RequestState>,
  { db, engine }: { readonly db: StateStore; readonly engine: Pick<Engine, "coverage"> },
): void {
  const store = new PageRequestStore(db)
  const onWire = async ({ id, url, question, comment, keys, firstAt, lastAt }: WantedPage) => {
    const page = toPageUrl(url)
    return {
      id,
      url: url === "" ? null : url,
      query: question === "" ? null : question,
      comment: comment === "" ? null : comment,
      keys,
      first_at: new Date(firstAt).toISOString(),
      last_at: new Date(lastAt).toISOString(),
      in_index: page !== null && (await engine.coverage(page)) !== null,
    }
  }

  router.get("/page-requests", async (ctx) => {
    const slice = sliceOf(ctx)
    ctx.body = {
      requests: await Promise.all((await store.list(slice)).map(onWire)),
      total: await store.count(),
      ...slice,
    }
  })

  router.delete("/page-requests/:id", async (ctx) => {
    const id = ctx.params["id"]!
    if (!(await transaction(db, () => store.settle(id)))) {
      throw new ApiError(404, `There is no request ${JSON.stringify(id.slice(0, 100))}.`)
    }
    ctx.body = { id, settled: true }
  })
}

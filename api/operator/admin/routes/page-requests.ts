import type { Router } from "@koa/router"

import { type Engine, toPageUrl } from "#engine"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { PageRequestStore, type WantedPage } from "../../../identity/accounts/page-request-store.ts"
import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { callerOperations } from "../operations/callers.ts"

/** Pages and answers that callers can't find in the index. */
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

  serve(router, callerOperations.listPageRequests, async ({ query }) => ({
    requests: await Promise.all((await store.list(query)).map(onWire)),
    total: await store.count(),
    ...query,
  }))

  serve(router, callerOperations.settlePageRequest, async ({ path: { id } }) => {
    if (!(await transaction(db, () => store.settle(id)))) {
      throw new ApiError(404, `There is no request ${JSON.stringify(id.slice(0, 100))}.`)
    }
    return { id, settled: true } as const
  })
}

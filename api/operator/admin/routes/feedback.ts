import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import { FeedbackStore } from "../../../identity/accounts/feedback-store.ts"
import type { RequestState } from "../../../context.ts"
import { sliceOf } from "../../../server/middleware/query-parameters.ts"
import { feedbackOnWire } from "../wire.ts"

/** What callers think of the answers they got. */
export function feedbackRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new FeedbackStore(db)

  router.get("/feedback", async (ctx) => {
    const slice = sliceOf(ctx)
    ctx.body = {
      feedback: (await store.list(slice)).map(feedbackOnWire),
      total: await store.count(),
      ...slice,
    }
  })
}

import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import { FeedbackStore } from "../../../identity/accounts/feedback-store.ts"
import type { RequestState } from "../../../context.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { callerOperations } from "../operations/callers.ts"
import { feedbackOnWire } from "../wire.ts"

/** Callers' opinions on the answers they got. */
export function feedbackRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new FeedbackStore(db)

  serve(router, callerOperations.listFeedback, async ({ query }) => ({
    feedback: (await store.list(query)).map(feedbackOnWire),
    total: await store.count(),
    ...query,
  }))
}

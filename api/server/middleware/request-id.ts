import { randomUUID } from "node:crypto"

import type { Middleware } from "../../context.ts"

/** Gives every request an id of our own: one sent by the caller could not be trusted to be unique. */
export function requestId(): Middleware {
  return async (ctx, next) => {
    ctx.state.requestId = randomUUID()
    ctx.state.startedAt = performance.now()
    ctx.set("X-Request-Id", ctx.state.requestId)
    await next()
  }
}

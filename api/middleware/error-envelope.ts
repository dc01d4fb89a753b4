import { STATUS_CODES } from "node:http"

import { callerGone, type Context, type Middleware } from "../context.ts"
import { envelope, toApiError } from "../errors.ts"

/** Statuses of the contract that HTTP has no reason phrase for. Some clients show nothing but the phrase. */
const reasonPhrases: Readonly<Record<number, string>> = {
  432: "Plan Limit Exceeded",
  433: "Pay As You Go Limit Exceeded",
}

/**
 * Turns everything that goes wrong, also what Koa and the router answer by themselves (404, 405), into the
 * contract's envelope. The failure itself goes to the log only.
 */
export function errorEnvelope(): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const answer = toApiError(error)
      // Work that a caller leaves is cut short, which is no failure.
      if (answer.status >= 500 && !callerGone(ctx)) ctx.state.log.error({ err: error }, "request failed")
      ctx.set(answer.headers)
      fail(ctx, answer.status, answer.message, answer.fields)
      return
    }
    if (ctx.status >= 400 && (ctx.body === undefined || ctx.body === null)) {
      fail(ctx, ctx.status, unserved(ctx))
    }
  }
}

function fail(
  ctx: Context,
  status: number,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
): void {
  // Not ctx.throw(): Koa knows no status 432 or 433 and would answer 500.
  ctx.status = status
  ctx.message = STATUS_CODES[status] ?? reasonPhrases[status] ?? "Error"
  ctx.body = envelope(message, fields)
}

function unserved(ctx: Context): string {
  if (ctx.status === 404)
    return `Nothing is served at ${ctx.path.slice(0, 200)}. The endpoints are in the handbook at /docs/.`
  if (ctx.status === 405) {
    return `${ctx.method} is not allowed here. Allowed: ${ctx.response.get("Allow") || "none"}.`
  }
  return STATUS_CODES[ctx.status] ?? "Error"
}

import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import type { ArrivingBodies } from "../../server/load/arriving-bodies.ts"
import { bodyText } from "../../server/middleware/json-body.ts"

/**
 * Reads a body sent by an HTML form (`application/x-www-form-urlencoded`) into `ctx.state.body`; if a name occurs
 * several times, its first field is used. A request without a body gets no fields: some clients send a POST with all
 * fields in the address.
 */
export function formBody(limit: number, arriving: ArrivingBodies): Middleware {
  return async (ctx, next) => {
    const type = ctx.get("Content-Type").split(";")[0]!.trim().toLowerCase()
    if (!hasBody(ctx)) {
      ctx.state.body = {}
      await next()
      return
    }
    if (type !== "application/x-www-form-urlencoded") {
      throw new ApiError(415, "Unsupported content type. Send the body as application/x-www-form-urlencoded.")
    }
    const text = await bodyText(ctx.req, ctx.get("Content-Encoding"), limit, arriving)
    ctx.state.body = Object.fromEntries([...new URLSearchParams(text)].toReversed())
    await next()
  }
}

/** RFC 9112 §6: a body is announced by its length or by its transfer coding. */
const hasBody = (ctx: Context): boolean =>
  ctx.get("Transfer-Encoding") !== "" || !["", "0"].includes(ctx.get("Content-Length"))

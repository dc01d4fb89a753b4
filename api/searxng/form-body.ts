import type { Context, Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import { arrivingBodies, bodyText } from "../middleware/json-body.ts"

/** Reads a body as HTML forms send it (`application/x-www-form-urlencoded`). */
export function formBody(limit: number, take: (ctx: Context, fields: URLSearchParams) => void): Middleware {
  const arriving = arrivingBodies(limit)
  return async (ctx, next) => {
    const type = ctx.get("Content-Type").split(";")[0]!.trim().toLowerCase()
    if (type !== "application/x-www-form-urlencoded") {
      throw new ApiError(415, "Unsupported content type. Send the body as application/x-www-form-urlencoded.")
    }
    take(ctx, new URLSearchParams(await bodyText(ctx.req, ctx.get("Content-Encoding"), limit, arriving)))
    await next()
  }
}

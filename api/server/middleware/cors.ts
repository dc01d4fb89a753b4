import type { Middleware } from "../../context.ts"

const METHODS = "GET, HEAD, POST, PUT, DELETE, OPTIONS"
/** Headers that clients send, besides those that are always allowed. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "X-Client-Source",
  "X-Human-Id",
  "X-Idempotency-Key",
  "X-Project-ID",
  "X-Session-Id",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Last-Event-ID",
].join(", ")
const RESPONSE_HEADERS = "X-Request-Id, X-Fossick-Degraded, Retry-After, WWW-Authenticate, Mcp-Session-Id"
/** Seconds for which a browser may cache the response; no browser caches it for more than two hours. */
const MAX_AGE = "7200"

/**
 * Cross-origin requests (Fetch standard, section 3.3) from web pages of `origins`, or of any origin with `*`. No
 * cookies are involved: a page needs a key like any other caller.
 */
export function cors(origins: readonly string[]): Middleware {
  const any = origins.includes("*")
  return async (ctx, next) => {
    if (origins.length === 0) {
      await next()
      return
    }
    const origin = ctx.get("Origin")
    if (!any) ctx.vary("Origin")
    const allowed = origin !== "" && (any || origins.includes(origin))
    if (allowed) {
      ctx.set("Access-Control-Allow-Origin", any ? "*" : origin)
      ctx.set("Access-Control-Expose-Headers", RESPONSE_HEADERS)
      ctx.set("Cross-Origin-Resource-Policy", "cross-origin")
    }
    if (allowed && ctx.method === "OPTIONS" && ctx.get("Access-Control-Request-Method") !== "") {
      ctx.set("Access-Control-Allow-Methods", METHODS)
      ctx.set("Access-Control-Allow-Headers", REQUEST_HEADERS)
      ctx.set("Access-Control-Max-Age", MAX_AGE)
      ctx.status = 204
      return
    }
    await next()
  }
}

import Koa from "koa"

import type { Middleware, RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { degradation } from "../../server/degradation.ts"
import { errorEnvelope } from "../../server/middleware/error-envelope.ts"
import { requestId } from "../../server/middleware/request-id.ts"
import { logUnwritten, requestLog } from "../../server/middleware/request-log.ts"
import { type PaidSearchParts, paidSearch } from "./paid-search.ts"
import { pricing, PRICING_PATH } from "./pricing.ts"

/** The paid search as an HTTP application, without a socket. It neither opens nor closes any resources. */
export function paidApp(parts: PaidSearchParts): Koa<RequestState> {
  const app = new Koa<RequestState>()
  logUnwritten(app, parts.log)
  app.use(requestId())
  app.use(requestLog(parts.log))
  app.use(degradation())
  app.use(errorEnvelope())
  app.use(neverCached)
  app.use(routes({ POST: paidSearch(parts) }, pricing(parts.terms, parts.sold)))
  return app
}

const neverCached: Middleware = async (ctx, next) => {
  ctx.set("Cache-Control", "no-store")
  await next()
}

/** No router is used: paths that a router treats as equal, such as /SEARCH or /search/, might reach the search without payment. */
function routes(search: { readonly POST: Middleware }, prices: object): Middleware {
  return async (ctx, next) => {
    if (ctx.path === "/search") {
      if (ctx.method === "POST") return search.POST(ctx, next)
      return allowOnly(ctx, "POST")
    }
    if (ctx.path === PRICING_PATH) {
      if (ctx.method !== "GET" && ctx.method !== "HEAD") return allowOnly(ctx, "GET, HEAD")
      ctx.body = prices
      return undefined
    }
    throw new ApiError(404, `Only POST /search is served here, and its price at ${PRICING_PATH}.`)
  }
}

function allowOnly(ctx: Parameters<Middleware>[0], methods: string): undefined {
  ctx.set("Allow", methods)
  ctx.status = 405
}

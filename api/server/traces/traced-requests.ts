import { traced } from "#base/telemetry/traces/tracing.ts"

import type { Middleware } from "../../context.ts"

/**
 * Records each call as a trace, or as a step of its caller's trace, named after its route, since a path may contain
 * private text.
 */
export const tracedRequests = (): Middleware => async (ctx, next) => {
  const parent = ctx.get("traceparent")
  await traced(
    ctx.method,
    {
      kind: "server",
      parent: parent === "" ? undefined : parent,
      attributes: { "http.request.method": ctx.method, "fossick.request.id": ctx.state.requestId },
    },
    async (span) => {
      await next()
      const { _matchedRoute: matched } = ctx as { readonly _matchedRoute?: unknown }
      const route = typeof matched === "string" ? matched.replaceAll(/:(\w+)/g, "{$1}") : null
      if (route !== null) span.rename(`${ctx.method} ${route}`)
      span.set({ "http.response.status_code": ctx.status, ...(route !== null && { "http.route": route }) })
      if (ctx.status >= 500) span.fail()
    },
  )
}

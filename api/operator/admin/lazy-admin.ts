import type { Router } from "@koa/router"

import type { CallerKeys } from "../../server/middleware/authentication.ts"
import type { Middleware, RequestState } from "../../context.ts"
import type { AdminParts } from "./admin-parts.ts"
import type { AdminConfig } from "./admin-router.ts"

/**
 * The admin API, loaded with its first request: the code that reads sources and traces pages takes up more than ten
 * megabytes, and most processes that answer never need it.
 *
 * @param open opens its parts; called once
 * @param readOnly the message to callers who try to change something; null if changes are allowed
 */
export function lazyAdmin(
  open: () => Promise<AdminParts>,
  keys: CallerKeys,
  config: AdminConfig,
  readOnly: string | null = null,
): Middleware {
  let opening: Promise<Router<RequestState>> | undefined
  const load = async () => {
    const { adminRouter } = await import("./admin-router.ts")
    return adminRouter(await open(), keys, config, readOnly)
  }
  return async (ctx, next) => {
    if (ctx.path !== "/admin" && !ctx.path.startsWith("/admin/")) {
      await next()
      return
    }
    const router = await (opening ??= load().catch((error: unknown) => {
      opening = undefined
      throw error
    }))
    await router.routes()(ctx as never, () => router.allowedMethods()(ctx as never, next))
  }
}

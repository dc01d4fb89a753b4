import type { Middleware } from "./context.ts"
import { ApiError } from "./errors.ts"

const REFUSED = 403

/** Refuses every call, with what the appliance says of itself. */
export const refuseAll =
  (notice: string): Middleware =>
  () => {
    throw new ApiError(REFUSED, `${notice} Pages are not read live.`)
  }

/** Refuses what would change something, with what the appliance says of itself; null: nothing is refused. */
export const refuseChanges =
  (notice: string | null): Middleware =>
  async (ctx, next) => {
    if (notice !== null && ctx.method !== "GET" && ctx.method !== "HEAD") throw new ApiError(REFUSED, notice)
    await next()
  }

import type { Middleware } from "../../context.ts"
import { asContinuing, isReading } from "../outage/continuing.ts"

/** Has calls that only read the index continue while the server of the state is away. Comes once their path is the one that is served. */
export function continuingCalls({ isCovered }: { readonly isCovered: boolean }): Middleware {
  // Also where it says no: a tool's call comes out of one that continues.
  return async (ctx, next) => await asContinuing(isCovered && isReading(ctx.method, ctx.path), next)
}

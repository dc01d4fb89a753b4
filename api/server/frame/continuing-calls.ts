import type { Middleware } from "../../context.ts"
import { asContinuing, isReading } from "../outage/continuing.ts"

/** Lets calls that only read the index continue while the PostgreSQL server is away. Runs once the path has its final form. */
export function continuingCalls({ isCovered }: { readonly isCovered: boolean }): Middleware {
  // The flag is set even when it is false, because a tool's call runs inside an MCP call that continues.
  return async (ctx, next) => await asContinuing(isCovered && isReading(ctx.method, ctx.path), next)
}

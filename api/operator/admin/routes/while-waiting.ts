import type { Context } from "../../../context.ts"

/** Aborted when the caller hangs up. */
export function whileWaiting(ctx: Context): AbortSignal {
  const gone = new AbortController()
  ctx.res.once("close", () => gone.abort())
  return gone.signal
}

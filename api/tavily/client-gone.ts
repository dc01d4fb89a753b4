import type { Context } from "../context.ts"

/** Aborts when the caller hangs up before the answer is written, so that nobody works for nobody. */
export function clientGone(ctx: Context): AbortSignal {
  const controller = new AbortController()
  ctx.res.once("close", () => {
    if (!ctx.res.writableEnded) controller.abort()
  })
  return controller.signal
}

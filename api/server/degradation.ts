import { countedDegraded, type DegradedPart } from "#base/flow/degraded.ts"

import { callerGone, type Context, type Middleware } from "../context.ts"

/** Names what an answer of any shape was made without, separated by commas; left out of complete answers. */
export const DEGRADED_HEADER = "X-Fossick-Degraded"

/**
 * Collects what the answer to each request is made without, and says so in a header, so that a client of any API can tell. An answer
 * that lacks something today may be complete a second later, so nothing on the way may keep it.
 */
export function degradation(): Middleware {
  return async (ctx, next) => {
    const degraded = (ctx.state.degraded = countedDegraded(() => !callerGone(ctx)))
    await degraded.collect(next)
    if (degraded.parts.length === 0 || ctx.status >= 400) return
    ctx.set(DEGRADED_HEADER, degraded.parts.join(", "))
    ctx.set("Cache-Control", "no-store")
  }
}

/** An answer of our own, with what it was made without. Make it last: what is left out later is missed. */
export function withDegraded<T extends object>(
  { state: { degraded } }: Context,
  answer: T,
): T & { readonly degraded?: readonly DegradedPart[] } {
  const { parts } = degraded
  return parts.length === 0 ? answer : { ...answer, degraded: parts }
}

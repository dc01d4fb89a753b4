import { countedDegraded, type DegradedPart } from "#base/flow/degraded.ts"

import { callerGone, type Context, type Middleware } from "../context.ts"

/** The header that names the parts missing from an answer, separated by commas; complete answers don't have it. */
export const DEGRADED_HEADER = "X-Fossick-Degraded"

/**
 * Collects the parts missing from each answer, and names them in a header that clients of any API can read. The same
 * answer may be complete a second later, so no cache may keep it.
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

/** Adds `degraded` to an answer of our own API. Call this last: parts that drop out afterwards are not named. */
export function withDegraded<T extends object>(
  { state: { degraded } }: Context,
  answer: T,
): T & { readonly degraded?: readonly DegradedPart[] } {
  const { parts } = degraded
  return parts.length === 0 ? answer : { ...answer, degraded: parts }
}

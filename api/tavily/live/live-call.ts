import { callerGone, type Context } from "../../context.ts"

/** Seconds kept back from the caller's own clock, so that an answer arrives before the caller gives up. */
const MARGIN_SECONDS = 1

/** Aborts when the caller hangs up before the answer is written, so that nobody works for nobody. */
export function clientGone(ctx: Context): AbortSignal {
  const controller = new AbortController()
  if (callerGone(ctx)) controller.abort()
  ctx.res.once("close", () => {
    if (!ctx.res.writableEnded) controller.abort()
  })
  return controller.signal
}

/**
 * Aborts when the answer of a live call has to be written: shortly before `timeout` seconds have passed since
 * the request came in, or when the caller hangs up.
 */
export function liveDeadline(ctx: Context, timeout: number): AbortSignal {
  const seconds = Math.max(timeout - MARGIN_SECONDS, timeout / 2)
  const spent = performance.now() - ctx.state.startedAt
  return AbortSignal.any([
    clientGone(ctx),
    AbortSignal.timeout(Math.max(0, Math.round(seconds * 1000 - spent))),
  ])
}

/** `work`, or null as soon as `signal` aborts. What `work` does later is not waited for. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) {
    work.catch(() => {})
    return null
  }
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const onAbort = () => resolve(null)
  signal.addEventListener("abort", onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    if (signal.aborted) return null
    throw error
  } finally {
    signal.removeEventListener("abort", onAbort)
    work.catch(() => {})
  }
}

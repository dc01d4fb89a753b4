import { type Context, whenClosed } from "../../../context.ts"

/** A signal that aborts when the caller hangs up. */
export function whileWaiting(ctx: Context): AbortSignal {
  const gone = new AbortController()
  whenClosed(ctx, () => gone.abort())
  return gone.signal
}

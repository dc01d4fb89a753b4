import type { Logger } from "pino"

import type { Middleware } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { isSignOn, originProblem } from "../../sessions/presented.ts"
import { SignOnError } from "../provider.ts"
import type { SignOn } from "../sign-on.ts"

/**
 * Determines the person that a proxy vouches for in a call, before sessions are checked. As with a session, a call that
 * can change something counts as the person's only if it comes from a page of this appliance: browsers send the proxy's
 * credentials from every page.
 */
export function recognised({
  signOn,
  publicUrl,
  log,
}: {
  readonly signOn: Pick<SignOn, "recognise">
  readonly publicUrl: string
  readonly log: Logger
}): Middleware {
  const own = URL.parse(publicUrl)?.origin
  return async (ctx, next) => {
    if (ctx.get("Authorization") === "" && !isSignOn(ctx)) {
      const { rawHeaders, socket } = ctx.req
      try {
        const found = await signOn.recognise({ peer: socket.remoteAddress ?? "", rawHeaders })
        if (found !== null) {
          ctx.state.recognised = found
          if (originProblem(ctx, own) === null) ctx.state.presented = found.key
        }
      } catch (error) {
        if (!(error instanceof SignOnError)) throw error
        log.warn({ reason: error.detail }, "a call from a proxy was refused: {reason}")
        throw new ApiError(400, error.message)
      }
    }
    await next()
  }
}

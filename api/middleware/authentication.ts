import type { ApiKey, KeyStore } from "../accounts/keys.ts"
import type { Context, Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"

type Keys = Pick<KeyStore, "verify">

/**
 * Lets a request pass that carries a valid key: `Authorization: Bearer <key>`, or, with `bodyKey`, the older
 * field `api_key` of the JSON body. The header wins when both are there.
 *
 * Two steps around the body reader: a request with a header is judged before its body is read.
 */
export function authentication(
  keys: Keys,
  options: { readonly bodyKey: boolean },
): { readonly beforeBody: Middleware; readonly afterBody: Middleware } {
  return {
    beforeBody: async (ctx, next) => {
      const header = ctx.get("Authorization")
      if (header !== "" || !options.bodyKey) {
        const bearer = /^bearer +(\S+) *$/i.exec(header)?.[1]
        ctx.state.key = admit(ctx, bearer === undefined ? null : keys.verify(bearer))
      }
      await next()
    },
    afterBody: async (ctx, next) => {
      const state: Partial<Context["state"]> = ctx.state
      if (state.key === undefined) {
        const given = ctx.state.body["api_key"]
        ctx.state.key = admit(ctx, typeof given === "string" ? keys.verify(given) : null)
      }
      await next()
    },
  }
}

function admit(ctx: Context, key: ApiKey | null): ApiKey {
  if (key !== null) return key
  ctx.set("WWW-Authenticate", "Bearer")
  throw new ApiError(401, "Unauthorized: missing or invalid API key.")
}

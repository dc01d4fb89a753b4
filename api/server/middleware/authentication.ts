import type { ApiKey, KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"

/** The store of callers' keys. */
export type CallerKeys = Pick<KeyStore, "verify"> & Partial<Pick<KeyStore, "verifyWriter" | "actFor">>

/**
 * Lets a request pass if it carries a valid key: `Authorization: Bearer <key>`, or, with `bodyKey`, the older field
 * `api_key` of the JSON body. The header wins when both are present. Without a header, a user's session is used
 * instead.
 *
 * There is one step before the body reader and one after, so that a request with a header is checked before its body is
 * read.
 */
export function authentication(
  keys: CallerKeys,
  options: { readonly bodyKey: boolean },
): { readonly beforeBody: Middleware; readonly afterBody: Middleware } {
  return {
    beforeBody: async (ctx, next) => {
      const { presented } = ctx.state
      if (presented !== undefined) ctx.state.key = presented
      else if (ctx.get("Authorization") !== "" || !options.bodyKey) {
        const bearer = bearerOf(ctx)
        ctx.state.key = await admitted(ctx, keys, bearer)
      }
      await next()
    },
    afterBody: async (ctx, next) => {
      const state: Partial<Context["state"]> = ctx.state
      if (state.key === undefined) {
        const given = ctx.state.body["api_key"]
        ctx.state.key = admit(typeof given === "string" ? await keyOf(ctx, keys, given) : null)
      }
      await next()
    },
  }
}

/** The key with this text; for a service's key, the key with which it acts for the person the request names. `null` if the key is invalid. */
export const keyOf = async (ctx: Context, keys: CallerKeys, text: string): Promise<ApiKey | null> =>
  (await keys.verify(text)) ?? (await keys.actFor?.(text, (name) => ctx.get(name))) ?? null

async function admitted(ctx: Context, keys: CallerKeys, bearer: string | null): Promise<ApiKey> {
  const key = bearer === null ? null : await keyOf(ctx, keys, bearer)
  if (key === null && bearer !== null && (await keys.verifyWriter?.(bearer)))
    throw new ApiError(403, "Access denied. This key may only send documents; it can't search or read.")
  return admit(key)
}

/** Lets a request pass if its header carries a key that may send documents. */
export function writerAuthentication(
  keys: Pick<KeyStore, "verify" | "verifyWriter"> & Partial<Pick<KeyStore, "verifyService">>,
): Middleware {
  return async (ctx, next) => {
    const bearer = bearerOf(ctx)
    const key = bearer === null ? null : await keys.verifyWriter(bearer)
    if (
      key === null &&
      bearer !== null &&
      ((await keys.verify(bearer)) ?? (await keys.verifyService?.(bearer)))
    )
      throw new ApiError(403, "Access denied. This call needs a key with the role write or admin.")
    ctx.state.key = admit(key)
    await next()
  }
}

function admit(key: ApiKey | null): ApiKey {
  if (key === null) throw unauthorized()
  return key
}

/** The key in the Authorization header as it was sent, or null. */
export const bearerOf = (ctx: Context): string | null =>
  /^bearer +(\S+) *$/i.exec(ctx.get("Authorization"))?.[1] ?? null

/** The response to a key that is missing, wrong or expired. @param challenge how a key may be sent (RFC 9110, section 11.6.1) */
export const unauthorized = (challenge = "Bearer"): ApiError =>
  new ApiError(401, "Unauthorized: missing or invalid API key.", {}, { "WWW-Authenticate": challenge })

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { bearerOf, type CallerKeys, keyOf, unauthorized } from "../../server/middleware/authentication.ts"

/**
 * Admits requests with a valid key, as a bearer token or as user name or password in the address (RFC 7617), since many
 * SearXNG clients support nothing else. Requests without a key may use the key from the settings.
 * @param keyOfAll key for requests without one; empty if there is no such key
 * @param checkName refuses calls without a key if their host name might belong to someone else
 */
export function searxngKey(
  keys: CallerKeys,
  keyOfAll: string,
  checkName: (ctx: Context) => void,
): Middleware {
  return async (ctx, next) => {
    const header = ctx.get("X-API-Key")
    const isNone = ctx.get("Authorization") === "" && header === ""
    const given = isNone ? [keyOfAll] : [header, bearerOf(ctx) ?? "", ...basicOf(ctx)]
    let key: ApiKey | null = null
    // Tries the keys in order and stops at the first valid one, because an unknown key cannot be verified while the
    // state server is away.
    for (const one of given) if (key === null && one !== "") key = await keyOf(ctx, keys, one)
    if (key === null) {
      // Makes browsers ask for the key.
      throw unauthorized('Basic realm="Fossick", charset="UTF-8"')
    }
    if (isNone) checkName(ctx)
    ctx.state.isLent = isNone
    ctx.state.key = key
    await next()
  }
}

function basicOf(ctx: Context): readonly string[] {
  const [, encoded = ""] = /^basic +(\S+) *$/i.exec(ctx.get("Authorization")) ?? []
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const at = text.indexOf(":")
  return at < 0 ? [] : [text.slice(at + 1), text.slice(0, at)]
}

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { bearerOf, type CallerKeys, keyOf, unauthorized } from "../../server/middleware/authentication.ts"

/**
 * Lets a request pass that carries a valid key, as a bearer token or as user name or password in the address (RFC
 * 7617), since many SearXNG clients support nothing else. Requests without a key may use the key of the settings.
 * @param keyOfAll key for requests without one; empty: there is none
 * @param checkName refuses calls without a key under names that may be a stranger's
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
    // In order, up to the first valid key: while the state is away, an unknown one cannot be verified.
    for (const one of given) if (key === null && one !== "") key = await keyOf(ctx, keys, one)
    if (key === null) {
      // Browsers ask for it then.
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

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { isValid } from "../../identity/accounts/keys/keys.ts"
import type { Middleware } from "../../context.ts"
import { bearerOf, unauthorized } from "../../server/middleware/authentication.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { KeyInfo } from "./described/account-operations.ts"

/** GET /key-info: information about the key in the header, even an expired one; anyone who has the key's text may see it. */
export function keyInfo({ keys }: Pick<Accounts, "keys">): Middleware {
  return async (ctx) => {
    const text = bearerOf(ctx)
    const made = text === null ? null : await keys.lookUp(text)
    const valid = text === null ? null : await keys.verify(text)
    if (made === null && valid === null) throw unauthorized()
    ctx.body = {
      name: made === null ? valid!.id : made.name,
      created: made?.createdAt.toISOString().slice(0, 19) ?? null,
      expires_at: made?.expiresAt ? `${made.expiresAt.toISOString().slice(0, 19)}Z` : "never",
      key_type: made?.keyType ?? "production",
      status: made === null || isValid(made) ? "active" : "deactivated",
    } satisfies Of<typeof KeyInfo>
  }
}

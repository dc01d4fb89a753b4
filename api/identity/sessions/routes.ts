import type { Router } from "@koa/router"

import type { KeyStore } from "../accounts/keys/keys.ts"
import { MOST_TYPED, tooManyWrong, WrongKeys } from "./wrong-keys.ts"
import type { Context, RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { jsonBody } from "../../server/middleware/json-body.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { clearToken, setToken, tokenOf } from "./cookie.ts"
import { checkOrigin, openKeyOf } from "./presented.ts"
import { isSameOrigin } from "./same-origin.ts"
import { sessionSchema } from "./schema.ts"
import type { Identity, Sessions } from "./sessions.ts"

export const SESSION_PATH = "session"

/** Maximum size of a body, which contains only a key. */
const BODY_BYTES = 4096

/** Routes for signing in and out, and for asking who a browser's user is. */
export function sessionRoutes(
  router: Router<RequestState>,
  {
    sessions,
    keys,
    openKey,
    publicUrl,
    applianceName = async () => null,
  }: {
    readonly sessions: Sessions
    readonly keys: Pick<KeyStore, "verify">
    readonly openKey: string
    readonly publicUrl: string
    /** The appliance's name; if left out, it has no name. */
    readonly applianceName?: (() => Promise<string | null>) | undefined
  },
): void {
  const own = URL.parse(publicUrl)?.origin
  const wrong = new WrongKeys(MOST_TYPED)
  const read = bodyReader(sessionSchema)
  const answer = async (
    ctx: Context,
    identity: (Pick<Identity, "key"> & Partial<Identity> & { readonly user?: string }) | null,
    signOutUrl: string | null = null,
  ) => {
    ctx.set("Cache-Control", "no-store")
    ctx.body = {
      appliance_name: await applianceName(),
      signed_in: identity !== null,
      is_open: (await openKeyOf(keys, openKey)) !== null,
      role: identity?.key.role ?? null,
      user: identity && (identity.user ?? (await sessions.userOf(identity))),
      key_hint: identity?.key.hint ?? null,
      expires_at: identity?.expiresAt?.toISOString() ?? null,
      ways: sessions.ways,
      sign_out_url: signOutUrl,
    }
  }

  router.get(`/${SESSION_PATH}`, async (ctx) => {
    const token = tokenOf(ctx)
    const { recognised = null } = ctx.state
    await answer(ctx, recognised ?? (token === null ? null : await sessions.whoIs(token)))
  })
  router.post(`/${SESSION_PATH}`, jsonBody(BODY_BYTES), async (ctx) => {
    // Another site can't sign a user in with a key that is not theirs.
    if (!isSameOrigin(ctx, own)) throw new ApiError(403, NOT_FROM_HERE)
    const { key } = read(ctx.state.body)
    const begun = await sessions.signIn(key)
    if (begun === null) {
      if (await wrong.isTooMany(ctx)) throw tooManyWrong()
      throw new ApiError(401, "This key is not valid: it is wrong, disabled or expired.")
    }
    const before = tokenOf(ctx)
    if (before !== null) await sessions.signOut(before)
    setToken(ctx, begun.token, begun.expiresAt)
    // The signed-in user, for the log and the audit log.
    ctx.state.key = begun.key
    await answer(ctx, begun)
  })
  router.delete(`/${SESSION_PATH}`, async (ctx) => {
    checkOrigin(ctx, own)
    const token = tokenOf(ctx)
    const who = token === null ? null : await sessions.whoIs(token)
    if (who !== null) ctx.state.key = who.key
    const further = token === null ? null : await sessions.signOut(token)
    clearToken(ctx)
    // A person that a proxy vouches for has to sign out at the proxy.
    await answer(ctx, ctx.state.recognised ?? null, further)
  })
}

const NOT_FROM_HERE =
  "Access denied. Sessions begin on a page of this appliance; other programs send their key with each call."

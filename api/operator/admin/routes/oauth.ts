import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { wholeNumber } from "../../../server/middleware/query-parameters.ts"
import { type Grant, OAuthStore } from "../../../identity/oauth/oauth-store.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"

/** The programs that somebody let in with their key. */
export function oauthRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new OAuthStore(db)

  router.get("/oauth/grants", async (ctx) => {
    const limit = wholeNumber(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    ctx.body = { grants: (await store.grants(limit)).map(grantOnWire) }
  })

  router.delete("/oauth/grants/:id", async (ctx) => {
    const id = ctx.params["id"] ?? ""
    if (!(await store.revoke(id))) throw new ApiError(404, "There is no such grant, or it is over.")
    ctx.body = { id, revoked: true }
  })
}

const grantOnWire = ({ id, client, clientName, key, collections, createdAt, usedAt, revokedAt }: Grant) => ({
  id,
  client_id: client,
  client_name: clientName,
  key_id: key,
  collections,
  created_at: createdAt.toISOString(),
  used_at: usedAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})

import type { Router } from "@koa/router"

import type { StateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { serve } from "../../../server/serving/serve-operation.ts"
import { callerOperations } from "../operations/callers.ts"
import { type Grant, OAuthStore } from "../../../identity/oauth/oauth-store.ts"

/** The programs that users admitted with their key. */
export function oauthRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new OAuthStore(db)

  serve(router, callerOperations.listGrants, async ({ query: { limit } }) => ({
    grants: (await store.grants(limit)).map(grantOnWire),
  }))

  serve(router, callerOperations.revokeGrant, async ({ path: { id } }) => {
    if (!(await store.revoke(id))) throw new ApiError(404, "There is no such grant, or it was revoked.")
    return { id, revoked: true } as const
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

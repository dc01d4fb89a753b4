import type { Router } from "@koa/router"

import { unknownSource } from "#crawler/sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"

import { rateLimitsText } from "../accounts/limits/rate-limits.ts"
import type { PublicKey, PublicKeySpec } from "../accounts/public-keys/public-key.ts"
import { MOST_PUBLIC_KEYS, PublicKeyStore } from "../accounts/public-keys/public-key-store.ts"
import { readPublicKey } from "../accounts/public-keys/read-spec.ts"
import { openCollections, unknownCollection } from "../accounts/reach/collections.ts"
import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { sliceOf, strictBody, unprocessable } from "../../server/middleware/query-parameters.ts"
import { type PublicKeyBody, publicKeyBody } from "./schema.ts"

/** Keys for web pages: `/admin/public-keys`. */
export function publicKeyRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new PublicKeyStore(db)
  const collections = openCollections(db)
  const read = strictBody<PublicKeyBody>(publicKeyBody)
  const specOf = (body: PublicKeyBody): PublicKeySpec => {
    const checked = readPublicKey(body, {
      unknownSource: (names) => unknownSource(db, names),
      unknownCollection: (names) => unknownCollection(collections, names),
    })
    if ("problems" in checked) throw unprocessable(checked.problems)
    return checked.spec
  }

  router.get("/public-keys", (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const all = store.list()
    ctx.body = { public_keys: all.slice(offset, offset + limit).map(onWire), total: all.length }
  })

  router.post("/public-keys", (ctx) => {
    const { disabled = false, ...written } = read(ctx)
    const spec = specOf(written)
    if (!store.hasRoom()) {
      throw new ApiError(409, `There may be ${MOST_PUBLIC_KEYS} public keys at most. Delete one first.`)
    }
    const made = store.create(spec)
    ctx.status = 201
    ctx.body = onWire(disabled ? store.change(made.id, spec, true)! : made)
  })

  router.get("/public-keys/:id", (ctx) => {
    ctx.body = onWire(known(store, ctx.params["id"]!))
  })

  router.put("/public-keys/:id", (ctx) => {
    const { disabled = false, ...written } = read(ctx)
    const spec = specOf(written)
    const { id } = known(store, ctx.params["id"]!)
    ctx.body = onWire(store.change(id, spec, disabled)!)
  })

  router.delete("/public-keys/:id", (ctx) => {
    const { id } = known(store, ctx.params["id"]!)
    store.delete(id)
    ctx.body = { id, deleted: true }
  })
}

/** @throws ApiError 404 */
function known(store: PublicKeyStore, id: string): PublicKey {
  const key = store.get(id)
  if (key === null) throw new ApiError(404, "There is no such public key; GET /admin/public-keys lists them.")
  return key
}

/** As programs get it. */
export const onWire = (key: PublicKey) => ({
  id: key.id,
  key: key.text,
  name: key.name,
  source: key.source,
  collection: key.collection,
  origins: key.origins,
  answers: key.answers,
  rate_limits: key.rateLimits && rateLimitsText(key.rateLimits),
  credits: key.credits,
  created_at: key.createdAt.toISOString(),
  disabled_at: key.disabledAt?.toISOString() ?? null,
})

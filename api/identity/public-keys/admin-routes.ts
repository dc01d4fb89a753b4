import type { Router } from "@koa/router"

import { unknownSource } from "#crawler/sources/source-names.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

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
  const specOf = async (body: PublicKeyBody): Promise<PublicKeySpec> => {
    const checked = await readPublicKey(body, {
      unknownSource: (names) => unknownSource(db, names),
      unknownCollection: (names) => unknownCollection(collections, names),
    })
    if ("problems" in checked) throw unprocessable(checked.problems)
    return checked.spec
  }

  router.get("/public-keys", async (ctx) => {
    const { limit, offset } = sliceOf(ctx)
    const all = await store.list()
    ctx.body = { public_keys: all.slice(offset, offset + limit).map(onWire), total: all.length }
  })

  router.post("/public-keys", async (ctx) => {
    const { disabled = false, ...written } = read(ctx)
    const spec = await specOf(written)
    const made = await transaction(db, async () => {
      if (!(await store.hasRoom())) {
        throw new ApiError(409, `There may be ${MOST_PUBLIC_KEYS} public keys at most. Delete one first.`)
      }
      const key = await store.create(spec)
      return disabled ? (await store.change(key.id, spec, true))! : key
    })
    ctx.status = 201
    ctx.body = onWire(made)
  })

  router.get("/public-keys/:id", async (ctx) => {
    ctx.body = onWire(await known(store, ctx.params["id"]!))
  })

  router.put("/public-keys/:id", async (ctx) => {
    const { disabled = false, ...written } = read(ctx)
    const spec = await specOf(written)
    const changed = await store.change(ctx.params["id"]!, spec, disabled)
    if (changed === null) throw unknown()
    ctx.body = onWire(changed)
  })

  router.delete("/public-keys/:id", async (ctx) => {
    const { id } = await known(store, ctx.params["id"]!)
    await store.delete(id)
    ctx.body = { id, deleted: true }
  })
}

/** @throws ApiError 404 */
async function known(store: PublicKeyStore, id: string): Promise<PublicKey> {
  const key = await store.get(id)
  if (key === null) throw unknown()
  return key
}

const unknown = () => new ApiError(404, "There is no such public key; GET /admin/public-keys lists them.")

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

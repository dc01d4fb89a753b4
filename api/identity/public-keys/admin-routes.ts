import type { Router } from "@koa/router"

import { unknownSource } from "#crawler/sources/source-names.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

import { rateLimitsText } from "../accounts/rates/rate-limits.ts"
import type { PublicKey, PublicKeySpec } from "../accounts/public-keys/public-key.ts"
import { MOST_PUBLIC_KEYS, PublicKeyStore } from "../accounts/public-keys/public-key-store.ts"
import { readPublicKey } from "../accounts/public-keys/read-spec.ts"
import { openCollections, unknownCollection } from "../accounts/reach/collections.ts"
import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { type PublicKeyBody, publicKeyOperations as calls } from "./operations.ts"

/** Keys for web pages: `/admin/public-keys`. */
export function publicKeyRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const store = new PublicKeyStore(db)
  const collections = openCollections(db)
  const specOf = async (body: Omit<PublicKeyBody, "disabled">): Promise<PublicKeySpec> => {
    const checked = await readPublicKey(body, {
      unknownSource: (names) => unknownSource(db, names),
      unknownCollection: (names) => unknownCollection(collections, names),
    })
    if ("problems" in checked) throw unprocessable(checked.problems)
    return checked.spec
  }

  serve(router, calls.listPublicKeys, async ({ query: { limit, offset } }) => {
    const all = await store.list()
    return { public_keys: all.slice(offset, offset + limit).map(onWire), total: all.length }
  })

  serve(router, calls.createPublicKey, async ({ body: { disabled, ...written } }) => {
    const spec = await specOf(written)
    const made = await transaction(db, async () => {
      if (!(await store.hasRoom())) {
        throw new ApiError(409, `There can be at most ${MOST_PUBLIC_KEYS} public keys. Delete one first.`)
      }
      const key = await store.create(spec)
      return disabled ? (await store.change(key.id, spec, true))! : key
    })
    return onWire(made)
  })

  serve(router, calls.getPublicKey, async ({ path }) => onWire(await known(store, path.id)))

  serve(router, calls.changePublicKey, async ({ path, body: { disabled, ...written } }) => {
    const spec = await specOf(written)
    const changed = await store.change(path.id, spec, disabled)
    if (changed === null) throw unknown()
    return onWire(changed)
  })

  serve(router, calls.deletePublicKey, async ({ path }) => {
    const { id } = await known(store, path.id)
    await store.delete(id)
    return { id, deleted: true } as const
  })
}

/** Finds a public key by its id. @throws ApiError 404 */
async function known(store: PublicKeyStore, id: string): Promise<PublicKey> {
  const key = await store.get(id)
  if (key === null) throw unknown()
  return key
}

const unknown = () => new ApiError(404, "There is no such public key; GET /admin/public-keys lists them.")

/** A public key in the form that programs receive. */
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

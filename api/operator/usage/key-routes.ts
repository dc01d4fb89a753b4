import type { Router } from "@koa/router"

import { keyChange } from "#base/audit/field-changes.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { transaction } from "#base/store/state-store.ts"
import { goneSources, unknownSource } from "#crawler/sources/source-names.ts"

import { CallLog } from "../../identity/accounts/call-log.ts"
import { type KeyScope, readScope, ScopeError, strayLimit } from "../../identity/accounts/keys/key-scope.ts"
import {
  isOver,
  type KeySpec,
  type MadeKey,
  OPERATOR,
  openKeyStore,
} from "../../identity/accounts/keys/keys.ts"
import { signingSecretOf } from "../../identity/accounts/keys/acting-key.ts"
import {
  actsProblem,
  principalsProblem,
  readPrincipals,
} from "../../identity/accounts/keys/key-principals.ts"
import { keyOnWire } from "../../identity/accounts/keys/key-wire.ts"
import { parseRateLimits } from "../../identity/accounts/rates/rate-limits.ts"
import {
  goneCollections,
  openCollections,
  unknownCollection,
} from "../../identity/accounts/reach/collections.ts"
import type { RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { serve } from "../../server/serving/serve-operation.ts"
import { keyOperations as calls, type MakeKeyBody } from "./described/key-operations.ts"

const HOUR_MS = 3_600_000
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/

/** The keys of the appliance, one at a time: `/admin/keys`. A running appliance queries the store on each call, so a change takes effect immediately. */
export function keyRoutes(router: Router<RequestState>, { db }: { readonly db: StateStore }): void {
  const keys = openKeyStore(db, "")
  const collections = openCollections(db)
  const log = new CallLog(db)

  const shown = async (key: MadeKey, lastUse: ReadonlyMap<string, number>) => {
    const at = lastUse.get(key.id)
    return {
      ...keyOnWire(key),
      status: statusOf(key),
      last_used_at: at === undefined ? null : new Date(at).toISOString(),
      gone_sources: await goneSources(db, key.scope.sources ?? []),
      gone_collections: await goneCollections(collections, key.scope.collections ?? []),
    }
  }
  const known = async (id: string): Promise<MadeKey> => {
    const key = (await keys.list()).find((one) => one.id === id)
    if (key === undefined) throw new ApiError(404, `There is no key ${JSON.stringify(id.slice(0, 100))}.`)
    return key
  }
  const show = async (id: string) => await shown(await known(id), await log.lastUse([id]))
  const make = async (spec: KeySpec) => {
    const text = await keys.create(spec)
    const made = (await keys.lookUp(text))!
    const secret = made.actsForPeople === null ? null : await signingSecretOf(db, made)
    return { key: text, signing_secret: secret, ...(await show(made.id)) }
  }

  serve(router, calls.listKeys, async ({ ctx, query: { limit, offset } }) => {
    const all = await keys.list()
    const made = all.slice(offset, offset + limit)
    const lastUse = await log.lastUse([OPERATOR.id, ...made.map(({ id }) => id)])
    const operator = lastUse.get(OPERATOR.id)
    return {
      keys: await Promise.all(made.map((key) => shown(key, lastUse))),
      current_key_id: ctx.state.key.id,
      operator_last_used_at: operator === undefined ? null : new Date(operator).toISOString(),
      collections: (await collections.list()).map(({ name }) => name),
      total: all.length,
      limit,
      offset,
    }
  })

  serve(router, calls.makeKey, async ({ body }) => {
    const scope = scopeOf(body)
    const problem =
      (await unknownCollection(collections, scope.collections ?? [])) ??
      (await unknownSource(db, scope.sources ?? []))
    if (problem !== null) {
      const field =
        (await unknownCollection(collections, scope.collections ?? [])) === null ? "sources" : "collections"
      throw unprocessable([{ field, message: `is wrong: ${problem.replace(/[.]$/, "")}` }])
    }
    return await make(specOf(body, scope))
  })

  serve(router, calls.disableKey, async ({ ctx, path }) => {
    const { id } = await known(path.id)
    refuseOwn(ctx.state.key.id, id)
    await keys.disable(id)
    return await show(id)
  })

  serve(router, calls.enableKey, async ({ path }) => {
    const { id } = await known(path.id)
    await keys.enable(id)
    return await show(id)
  })

  serve(router, calls.rotateKey, async ({ ctx, path, body: { overlap_hours: hours } }) => {
    const rotated = await transaction(db, async () => {
      const before = await known(path.id)
      if (statusOf(before) !== "active")
        throw new ApiError(409, "This key is no longer accepted. Make another one.")
      const { madeBy, ...same } = before
      const made = await make({ ...same, ...(madeBy !== null && { madeBy }) })
      if (hours === 0) await keys.disable(before.id)
      else await keys.endBy(before.id, new Date(Date.now() + hours * HOUR_MS))
      return made
    })
    ctx.state.keysChanged = [keyChange(rotated, "made")]
    return rotated
  })

  serve(router, calls.deleteKey, async ({ ctx, path }) => {
    const { id } = await known(path.id)
    refuseOwn(ctx.state.key.id, id)
    await transaction(db, () => keys.delete(id))
    return { id, deleted: true } as const
  })
}

const statusOf = (key: MadeKey): "active" | "disabled" | "expired" => {
  if (key.disabledAt !== null) return "disabled"
  return isOver(key) ? "expired" : "active"
}

/** Callers who disable the key they are using might have no other way in. */
function refuseOwn(own: string, id: string): void {
  if (own !== id) return
  throw new ApiError(409, "You are using this key. Sign in with another key with the role admin to end it.")
}

function scopeOf({ endpoints, sources, collections, domains }: MakeKeyBody): KeyScope {
  try {
    return readScope({ endpoints, sources, collections, domains })
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error
    const field = /Invalid (\w+)/.exec(error.message)?.[1] ?? ""
    throw unprocessable([
      { field, message: error.message.replace(/^Invalid \w+\. /, "").replace(/[.]$/, "") },
    ])
  }
}

/** @throws ApiError 422 */
function specOf(body: MakeKeyBody, scope: KeyScope): KeySpec {
  const { role, name, credits, per, may_make_keys: mayMakeKeys } = body
  const stray = strayLimit(role, scope)
  if (stray !== null)
    throw unprocessable([
      { field: stray.field, message: `can't limit a key with the role ${role}: ${stray.why}` },
    ])
  const { principals = [], acts_for_people: actsForPeople = null } = body
  const wrong = principalsProblem({ role, principals })
  if (wrong !== null) throw unprocessable([{ field: "principals", message: wrong }])
  const mistake = actsForPeople && actsProblem({ role, principals, mayMakeKeys: mayMakeKeys === true })
  if (mistake !== null) throw unprocessable([{ field: "acts_for_people", message: mistake }])
  if ((role === "write" || role === "operator") && mayMakeKeys === true)
    throw unprocessable([
      { field: "may_make_keys", message: `must be false for a key with the role ${role}` },
    ])
  return {
    role,
    name,
    scope,
    principals: readPrincipals(principals),
    actsForPeople,
    projects: [...new Set(body.projects ?? [])],
    creditLimit: credits === undefined ? null : { credits, per },
    rateLimits: ratesOf(body),
    mayMakeKeys: role === "admin" || mayMakeKeys === true,
    expiresAt: endOf(body),
  }
}

function ratesOf({ rate_limits: text }: MakeKeyBody) {
  if (text === undefined || text.trim() === "") return null
  try {
    return parseRateLimits(text)
  } catch (error) {
    throw unprocessable([{ field: "rate_limits", message: (error as Error).message }])
  }
}

function endOf({ expires_at: text }: MakeKeyBody): Date | null {
  if (text === undefined) return null
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (time > Date.now()) return new Date(time)
  throw unprocessable([
    { field: "expires_at", message: "must be a future time, such as 2027-01-31T00:00:00Z" },
  ])
}

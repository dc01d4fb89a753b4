import { keyChange } from "#base/audit/field-changes.ts"

import { unknownCollection } from "../../identity/accounts/reach/collections.ts"
import type { Accounts } from "../../identity/accounts/accounts.ts"
import { isUnlimited, type KeyScope, readScope, ScopeError } from "../../identity/accounts/keys/key-scope.ts"
import { principalsProblem, readPrincipals } from "../../identity/accounts/keys/key-principals.ts"
import type { ApiKey, KeySpec } from "../../identity/accounts/keys/keys.ts"
import type { Principal } from "#engine/index/page/readers.ts"
import type { Middleware } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { bodyReader } from "../../server/wire/validate.ts"
import { presentWarnings, unknownFields } from "../../server/wire/warnings.ts"
import { type GenerateKeysRequest, generateKeysSchema } from "./schema.ts"
import type { Of } from "../../server/schema/schemas.ts"
import type { KeysGenerated } from "./described/account-operations.ts"

const HOUR_MS = 3_600_000

const TOO_MANY =
  "Access denied. This key would have made more keys than FOSSICK_KEYS_PER_KEY on this server allows. Keys that have ended " +
  "still count for FOSSICK_LOG_DAYS."

type Parts = Pick<Accounts, "keys" | "collections" | "unknownSource" | "ledger" | "writes">

/** POST /generate-keys: creates keys with an expiry. No key may have more rights than the key that creates it. */
export function generateKeys({ keys, collections, unknownSource, ledger, writes }: Parts): Middleware {
  const read = bodyReader(generateKeysSchema)
  return async (ctx) => {
    const { key: maker, requestId } = ctx.state
    const request = read(ctx.state.body)
    const {
      permission_level: level,
      key_limit: credits,
      ttl_hours: hours,
      count,
      key_type: keyType,
    } = request
    const expiresAt = new Date(Date.now() + hours * HOUR_MS)
    checkMaker(maker, request, expiresAt)
    const principals = principalsFor(request, maker)
    const scope = await scopeOf(request, maker, { collections, unknownSource })
    const spec = (index: number): KeySpec => ({
      role: level === "admin" ? "admin" : "search",
      name: nameOf(request, expiresAt, index),
      keyType,
      scope,
      principals,
      projects: projectsOf(request, maker),
      creditLimit: { credits, per: "total" },
      rateLimits: maker.rateLimits,
      mayMakeKeys: level === "admin" || (request.scope?.length ?? 0) > 0,
      expiresAt,
      madeBy: maker.id,
      generation: requestId,
    })
    const size = Buffer.byteLength(JSON.stringify([scope, principals, spec(1).projects, request.name]))
    const made = await writes.run(async () => {
      if (!(await keys.hasRoom(maker.id, count, size))) throw new ApiError(403, TOO_MANY)
      if ((await ledger.left(maker)) < count * credits) return null
      const texts: string[] = []
      for (let i = 1; i <= count; i++) texts.push(await keys.create(spec(i)))
      return texts
    })
    if (made === null) {
      throw new ApiError(403, "Access denied. This key has fewer credits left than it would hand out.")
    }
    ctx.state.keysChanged = await Promise.all(
      made.map(async (text) => keyChange((await keys.lookUp(text))!, "made")),
    )
    ctx.set("Cache-Control", "no-store")
    ctx.body = {
      keys: made,
      expires_at: secondsOf(expiresAt),
      created: secondsOf(new Date()).slice(0, -1),
      message:
        `${count} keys generated successfully with ${credits} credits each. ` +
        `These keys will be automatically deactivated after ${hours} hours`,
      ...presentWarnings(unknownFields(generateKeysSchema, ctx.state.body)),
      request_id: requestId,
    } satisfies Of<typeof KeysGenerated>
  }
}

/** @throws ApiError when the key is not allowed to make such keys */
function checkMaker(maker: ApiKey, request: GenerateKeysRequest, expiresAt: Date): void {
  if (!maker.mayMakeKeys) throw new ApiError(403, "Access denied. This key may not make keys.")
  if (request.permission_level === "admin" && request.scope !== undefined) {
    throw badRequest("Invalid scope. Must not be given with permission_level 'admin'.")
  }
  if (maker.role !== "admin" && (request.permission_level === "admin" || request.scope !== undefined)) {
    throw new ApiError(
      403,
      "Access denied. This key can only make keys of the level 'user', without a scope.",
    )
  }
  if (maker.expiresAt !== null && expiresAt > maker.expiresAt) {
    throw badRequest("Invalid ttl_hours. Keys must not outlast the key that makes them.")
  }
}

async function scopeOf(
  request: GenerateKeysRequest,
  maker: ApiKey,
  { collections, unknownSource }: Pick<Parts, "collections" | "unknownSource">,
): Promise<KeyScope> {
  const scope = scopeWritten(request)
  if (isUnlimited(scope)) return maker.scope
  if (request.permission_level === "admin") {
    throw badRequest(
      "Invalid permission_level. Keys of the level 'admin' cannot be limited to a part of the index.",
    )
  }
  if (!isUnlimited(maker.scope)) {
    throw new ApiError(
      403,
      "Access denied. Keys that this key makes have the same limits as this key, and no others.",
    )
  }
  // Checked after the maker's own limits, so that a limited maker does not learn which collections exist.
  const unknown = await unknownCollection(collections, scope.collections ?? [])
  if (unknown !== null) throw badRequest(`Invalid collections. ${unknown.replace(/(?<!\?)$/, ".")}`)
  const noSource = await unknownSource(scope.sources ?? [])
  if (noSource !== null) throw badRequest(`Invalid sources. ${noSource.replace(/(?<!\?)$/, ".")}`)
  return scope
}

function scopeWritten(request: GenerateKeysRequest): KeyScope {
  try {
    return readScope(request)
  } catch (error) {
    throw error instanceof ScopeError ? badRequest(error.message) : error
  }
}

/** The users and groups of the new keys; the key that creates them must have these itself. */
function principalsFor(
  { permission_level: level, principals: written = [] }: GenerateKeysRequest,
  maker: ApiKey,
): readonly Principal[] {
  const wrong = principalsProblem({ role: level === "admin" ? "admin" : "search", principals: written })
  if (wrong !== null) throw badRequest(`Invalid principals. ${wrong.replace(/^m/, "M")}.`)
  const principals = readPrincipals(written)
  if (maker.principals !== null && !principals.every((one) => maker.principals?.includes(one)))
    throw new ApiError(403, "Access denied. This key does not read as all of those users and groups.")
  return principals
}

function projectsOf({ projects }: GenerateKeysRequest, maker: ApiKey): readonly string[] {
  if (projects === undefined) return maker.projects
  if (maker.projects.length > 0 && !projects.every((one) => maker.projects.includes(one))) {
    throw new ApiError(403, "Access denied. This key does not belong to all of those projects.")
  }
  return [...new Set(projects)]
}

function nameOf(
  { name, key_type: type, count }: GenerateKeysRequest,
  expiresAt: Date,
  index: number,
): string {
  if (name === undefined) return `${type}-${secondsOf(expiresAt)}-#${index}`
  return count === 1 ? name : `${name}-#${index}`
}

/** `2026-02-25T01:14:45Z` */
const secondsOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

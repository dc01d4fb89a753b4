import type { Actor, AuditLog } from "#base/audit/audit-log.ts"
import { fieldChanges } from "#base/audit/field-changes.ts"

import type { WriteQueue } from "../../identity/accounts/billing/write-queue.ts"
import type { KeyStore } from "../../identity/accounts/keys/keys.ts"
import type { Context, Middleware } from "../../context.ts"
import { toApiError } from "../../errors.ts"
import { changesNothing } from "./asking-calls.ts"

/**
 * The objects that calls change, by the first segment after `/admin`, in the form shown in an entry. An object is null
 * if there is none with that name.
 */
export type Looks = Readonly<Record<string, (id: string) => unknown>>

export interface AuditingParts {
  readonly audit: AuditLog
  readonly keys: Pick<KeyStore, "nameOf">
  readonly writes: Pick<WriteQueue, "run">
  /** Called when a change could not be logged. */
  readonly onProblem: (error: unknown, action: string) => void
}

/**
 * Logs each change made with a key with the role admin or operator, or by a signed-in person with that role, before the
 * change is acknowledged, and each change to keys by any caller. Refused calls change nothing and are not
 * logged; failed calls are logged, because they may have changed something.
 */
export function auditing({ audit, keys, writes, onProblem }: AuditingParts): Middleware {
  const actorOf = async ({ state }: Context): Promise<Actor> => ({
    kind: state.presented === undefined ? "key" : "session",
    id: state.key.id,
    name: await keys.nameOf(state.key.id),
  })
  const note = async (ctx: Context, status: number): Promise<void> => {
    const { key, before, after, keysChanged = [] }: Partial<Context["state"]> = ctx.state
    const isNoted = key?.role === "admin" || key?.role === "operator" || keysChanged.length > 0
    if (!isNoted || changesNothing(ctx.method, ctx.path) || (status >= 400 && status < 500)) return
    const { action, object } = nameOf(ctx)
    try {
      const looked = after === undefined ? [] : fieldChanges(before, await after(idIn(ctx.body)))
      // If no stored state shows the change, the request's own fields are all there is to report.
      const fields = looked.length > 0 ? looked : fieldChanges(null, ctx.state.body)
      const changes = [...keysChanged, ...fields]
      const who = await actorOf(ctx)
      const { ip: address } = ctx
      await writes.run(() => audit.note({ who, action, object, status, changes, address }))
    } catch (error) {
      onProblem(error, action)
    }
  }
  return async (ctx, next) => {
    if (ctx.method === "GET" || ctx.method === "HEAD" || ctx.method === "OPTIONS") {
      await next()
      return
    }
    try {
      await next()
    } catch (error) {
      await note(ctx, toApiError(error).status)
      throw error
    }
    await note(ctx, ctx.status)
  }
}

/** Reads the state that an admin API call is about to change, and returns a function that reads it again. */
export function lookingBefore(looks: Looks): Middleware {
  return async (ctx, next) => {
    const [collection = "", id] = segmentsOf(ctx.path)
    const look = looks[collection]
    if (
      look !== undefined &&
      ctx.method !== "GET" &&
      ctx.method !== "HEAD" &&
      !changesNothing(ctx.method, ctx.path)
    ) {
      ctx.state.before = await look(id ?? "")
      ctx.state.after = async (made) => {
        const now = await look(id ?? "")
        return now === null && made !== null && ctx.state.before === null ? await look(made) : now
      }
    }
    await next()
  }
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .replace(/^\/admin\//, "")
    .split("/")
    .map((one) => decodedOr(one))

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A call's name in the API reference, and its subject: its path up to the last name in the path. */
function nameOf(ctx: Context): { readonly action: string; readonly object: string } {
  const { _matchedRoute: route } = ctx as { readonly _matchedRoute?: unknown }
  const pattern = typeof route === "string" ? route : ctx.path
  const parts = pattern
    .replace(/^\/admin(?=\/)/, "")
    .split("/")
    .slice(1)
  const last = parts.findLastIndex((one) => one.startsWith(":"))
  const about = segmentsOf(ctx.path.replace(/^\/(?!admin\/)/, ""))
  const action = `${ctx.method} ${pattern.replaceAll(/:(\w+)/g, "{$1}")}`
  const { keysChanged = [] } = ctx.state
  if (last === -1 && keysChanged.length > 0)
    return { action, object: keysChanged.length === 1 ? keysChanged[0]!.field : "keys" }
  const made = last === -1 && ctx.method === "POST" ? idIn(ctx.body) : null
  const named = last === -1 ? [parts[0] ?? "", ...(made === null ? [] : [made])] : about.slice(0, last + 1)
  return { action, object: named.join("/") }
}

/** The name of a new object, taken from the response; null if the response names none. */
function idIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null
  const { id, name, rule } = body as {
    readonly id?: unknown
    readonly name?: unknown
    readonly rule?: unknown
  }
  const found = id ?? (rule === undefined ? name : (rule as { readonly id?: unknown }).id)
  return typeof found === "string" || typeof found === "number" ? String(found) : null
}

import type { Logger } from "pino"
import type Koa from "koa"

import type { Degraded } from "#base/flow/degraded.ts"
import type { FieldChange } from "#base/audit/audit-log.ts"

import type { Bill } from "./identity/accounts/admission.ts"
import type { ApiKey } from "./identity/accounts/keys/keys.ts"
import type { PublicKey } from "./identity/accounts/public-keys/public-key.ts"
import type { Reach } from "./identity/accounts/reach/reach.ts"
import type { Tracking } from "./identity/accounts/tracking.ts"

/** Values that middleware sets for later handlers. */
export interface RequestState {
  /** UUID of this request, also in the `X-Request-Id` header. */
  requestId: string
  /** `performance.now()` when the request came in. */
  startedAt: number
  log: Logger
  /** Names of the parts missing from the answer so far; see `server/degradation.ts`. */
  degraded: Degraded
  tracking: Tracking
  /** The key used for a call from a browser that doesn't send one; see sessions. */
  presented?: ApiKey
  /** The person for whom a trusted proxy vouches with this request. */
  recognised?: { readonly key: ApiKey; readonly user: string }
  /** The public key that the call came with; see public-keys. */
  publicKey?: PublicKey
  /** The caller's key; set after authentication. */
  key: ApiKey
  /** Whether this is the key the operator lends to callers without a key. */
  isLent?: boolean
  /** The pages this key may see; endpoints can reach an engine or a reader only through it. Set by `admission`, like the bill. */
  reach: Reach
  bill: Bill
  /** The question of an answered call, for the log when the operator wants questions logged. */
  asked?: string | undefined
  /** The changed object before and after the call, for the audit log; left out if there was nothing to compare. */
  before?: unknown
  after?: (made: string | null) => Promise<unknown>
  /** Other keys that the call created, changed or disabled. The audit log names these keys, no matter who calls. */
  keysChanged?: readonly FieldChange[]
  /** The parsed JSON body, an object; set by `jsonBody`. */
  body: Readonly<Record<string, unknown>>
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>

/** Seconds since the request came in, to the millisecond. */
export const responseTime = (ctx: Context): number =>
  Math.round(performance.now() - ctx.state.startedAt) / 1000

/** The appliance's address, as used by the caller. @param publicUrl the operator's setting, which takes precedence; empty if unset */
export const originOf = (ctx: Pick<Context, "protocol" | "host">, publicUrl = ""): string =>
  publicUrl || `${ctx.protocol}://${ctx.host}`

/** Whether the caller hung up before the answer was written. */
export const callerGone = (ctx: Context): boolean => ctx.res.destroyed && !ctx.res.writableFinished

/** Runs the callback once the answer is sent or the caller is gone; immediately if that has already happened. */
export function whenClosed({ res }: Pick<Context, "res">, then: () => void): void {
  if (res.closed) then()
  else res.once("close", then)
}

/** Disposes of a resource once the answer has been sent or the caller is gone. */
export function untilClosed<T extends Disposable>(ctx: Context, kept: T): T {
  whenClosed(ctx, () => kept[Symbol.dispose]())
  return kept
}

/** Seconds deducted from the caller's own timeout, so that an answer arrives before the caller gives up. */
const MARGIN_SECONDS = 1

/** A signal that aborts when the caller hangs up before the answer is written, so that no work is wasted. */
export function clientGone(ctx: Context): AbortSignal {
  const controller = new AbortController()
  if (callerGone(ctx)) controller.abort()
  ctx.res.once("close", () => {
    if (!ctx.res.writableEnded) controller.abort()
  })
  return controller.signal
}

/**
 * A signal that aborts when a live call must write its answer: shortly before `timeout` seconds have passed since the
 * request came in, or when the caller hangs up.
 */
export function liveDeadline(ctx: Context, timeout: number): AbortSignal {
  const seconds = Math.max(timeout - MARGIN_SECONDS, timeout / 2)
  const spent = performance.now() - ctx.state.startedAt
  return AbortSignal.any([
    clientGone(ctx),
    AbortSignal.timeout(Math.max(0, Math.round(seconds * 1000 - spent))),
  ])
}

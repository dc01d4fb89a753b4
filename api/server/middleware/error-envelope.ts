import { STATUS_CODES } from "node:http"

import { callerGone, type Context, type Middleware } from "../../context.ts"
import { envelope, toApiError } from "../../errors.ts"
import { keylessRefusal } from "../wire/keyless.ts"

/** Statuses in the contract that have no HTTP reason phrase. Some clients show nothing but the phrase. */
const reasonPhrases: Readonly<Record<number, string>> = {
  432: "Plan Limit Exceeded",
  433: "Pay As You Go Limit Exceeded",
}

/** Another API whose formats are used under some paths. */
export interface OtherApi {
  /** Whether a path belongs to this API. */
  readonly owns: (path: string) => boolean
  /** A refusal in the format that the API's clients read. */
  readonly refusal: (refused: Refused) => { readonly status: number; readonly body: object }
}

export interface Refused {
  readonly status: number
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Whether the key's credits are used up. */
  readonly isSpent: boolean
}

/**
 * Turns every error, including those that Koa and the router answer on their own (404, 405), into the contract's
 * envelope, or into that of the API whose path was requested. The error itself goes only to the log.
 * @param publicUrl the appliance's address according to the operator; empty: the address that the caller used
 */
export function errorEnvelope(others: readonly OtherApi[] = [], publicUrl = ""): Middleware {
  const fail = (ctx: Context, status: number, message: string, fields: Refused["fields"] = {}): void => {
    const other = others.find((one) => one.owns(ctx.path))
    const isSpent = status === 432 || status === 433
    const answer = other?.refusal({ status, message, fields, isSpent }) ?? {
      status,
      body: { ...envelope(message, fields), ...keylessRefusal(ctx, status, message, publicUrl) },
    }
    // Not ctx.throw(): Koa doesn't know the statuses 432 and 433, and would answer 500.
    ctx.status = answer.status
    ctx.message = STATUS_CODES[answer.status] ?? reasonPhrases[answer.status] ?? "Error"
    ctx.body = answer.body
  }
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const answer = toApiError(error)
      // A call that is refused before it costs anything has no logger.
      const { log } = ctx.state as Partial<Context["state"]>
      // Work is cut short when its caller leaves, which is not a failure.
      if (answer.status >= 500 && !callerGone(ctx)) log?.error({ err: error }, "request failed")
      ctx.set(answer.headers)
      fail(ctx, answer.status, answer.message, answer.fields)
      return
    }
    if (ctx.status >= 400 && (ctx.body === undefined || ctx.body === null)) {
      fail(ctx, ctx.status, unserved(ctx))
    }
  }
}

function unserved(ctx: Context): string {
  if (ctx.status === 404)
    return `Nothing is served at ${ctx.path.slice(0, 200)}. The endpoints are in the handbook at /docs/.`
  if (ctx.status === 405) {
    return `${ctx.method} is not allowed here. Allowed: ${ctx.response.get("Allow") || "none"}.`
  }
  return STATUS_CODES[ctx.status] ?? "Error"
}

import { pause } from "#base/flow/pause.ts"
import { steadyNow } from "#base/steady-time.ts"

import type { Context, Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { callerOf } from "../../server/proxies/trusted-proxies.ts"

/** How long an address's wrong keys are counted. */
const COUNTED_MS = 15 * 60_000
/**
 * Attempts over the limit are answered after this delay, so that an address can try no more keys per second than the
 * number of connections it may have. The right key is still accepted immediately, so no one is locked out by a
 * neighbour behind the same address.
 */
const LATE_MS = 1000
/** Maximum number of addresses remembered; the one whose count started earliest is dropped. */
const MOST_ADDRESSES = 10_000
/** Maximum number of wrong keys that programs may send with their calls: a program with an old key keeps calling without meaning harm. */
const MOST_IN_CALLS = 1000
/** Maximum number of wrong keys that people may type in. */
export const MOST_TYPED = 20

/** Counts wrong keys by the address that sent them, and slows down addresses that try many. */
export class WrongKeys {
  readonly #counts = new Map<string, { readonly until: number; wrong: number }>()
  readonly #most: number

  /** @param most number of an address's wrong keys that are answered immediately within a quarter of an hour */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts one wrong key. @returns whether there have been too many; if so, the function returns after a delay */
  async isTooMany({ ip }: Pick<Context, "ip">): Promise<boolean> {
    const caller = callerOf(ip)
    const known = this.#counts.get(caller)
    const counted = known !== undefined && known.until > steadyNow() ? known : this.#begin(caller)
    counted.wrong += 1
    if (counted.wrong <= this.#most) return false
    await pause(LATE_MS)
    return true
  }

  #begin(caller: string): { wrong: number } {
    const now = steadyNow()
    this.#counts.delete(caller)
    for (const [one, { until }] of this.#counts) {
      if (until > now && this.#counts.size < MOST_ADDRESSES) break
      this.#counts.delete(one)
    }
    const counted = { until: now + COUNTED_MS, wrong: 0 }
    this.#counts.set(caller, counted)
    return counted
  }
}

/** The message after too many wrong keys. */
export const TOO_MANY_WRONG = "Too many wrong keys. Try again in 15 minutes."

export const tooManyWrong = (): ApiError =>
  new ApiError(429, TOO_MANY_WRONG, {}, { "Retry-After": String(COUNTED_MS / 1000) })

/** Slows down callers that try many keys, on every endpoint. */
export function slowGuesses(): Middleware {
  const wrong = new WrongKeys(MOST_IN_CALLS)
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401 && showsKey(ctx)
      throw isWrong && (await wrong.isTooMany(ctx)) ? tooManyWrong() : error
    }
  }
}

function showsKey(ctx: Context): boolean {
  const { body }: Partial<Context["state"]> = ctx.state
  return ctx.get("Authorization") !== "" || typeof body?.["api_key"] === "string"
}

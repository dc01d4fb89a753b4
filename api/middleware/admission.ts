import type { ArrivingBodies } from "../load/arriving-bodies.ts"
import { authentication } from "./authentication.ts"
import { arrivingBodies, jsonBody } from "./json-body.ts"
import type { KeyStore } from "../accounts/keys/keys.ts"
import type { Admissions, AdmitOptions } from "../accounts/limits/admission.ts"
import type { LimitedEndpoint } from "../accounts/limits/rate-limits.ts"
import { MOST_QUERY_CHARS } from "../accounts/call-log.ts"
import type { Middleware } from "../context.ts"

/** Lets calls of an endpoint in after their key is known, and gives them what they may see and how they pay. */
export function admission(
  admissions: Admissions,
  endpoint: LimitedEndpoint,
  options: AdmitOptions = {},
): Middleware {
  return async (ctx, next) => {
    const admitted = admissions.admit(endpoint, ctx.state, options)
    ctx.state.reach = admitted.reach
    ctx.state.bill = {
      project: admitted.bill.project,
      reserve: (most) => admitted.bill.reserve(most),
      settle: (cost, served) => {
        ctx.state.asked = served.query?.slice(0, MOST_QUERY_CHARS)
        return admitted.bill.settle(cost, served)
      },
    }
    try {
      await next()
    } finally {
      // What cannot be given back now is when its time is over; the answer does not suffer.
      await admitted
        .end()
        .catch((error: unknown) => ctx.state.log.warn({ err: error }, "credits were not given back"))
    }
  }
}

/** What calls with the key in the header and a body in JSON go through. */
export interface Door {
  readonly keys: Pick<KeyStore, "verify">
  readonly admissions: Admissions
  /** Refuses who has no valid key. */
  readonly key: Middleware
  /** Reads the body. */
  readonly body: Middleware
  /** Bytes of a body. */
  readonly bodyLimit: number
  /** What the bodies of all these calls share while they arrive. */
  readonly arriving: ArrivingBodies
}

export function openDoor(
  keys: Pick<KeyStore, "verify">,
  admissions: Admissions,
  bodyLimit: number,
  arriving = arrivingBodies(bodyLimit),
): Door {
  const key = authentication(keys, { bodyKey: false }).beforeBody
  return { keys, admissions, key, body: jsonBody(bodyLimit, arriving), bodyLimit, arriving }
}

import type { Admissions } from "../identity/accounts/admission.ts"
import type { Middleware } from "../context.ts"
import type { ArrivingBodies } from "./load/arriving-bodies.ts"
import { authentication, type CallerKeys } from "./middleware/authentication.ts"
import { arrivingBodies, jsonBody } from "./middleware/json-body.ts"

/** The middleware for calls with a key in the header and a JSON body. */
export interface Door {
  readonly keys: CallerKeys
  readonly admissions: Admissions
  /** Refuses calls without a valid key. */
  readonly key: Middleware
  /** Reads the body. */
  readonly body: Middleware
  /** Maximum size of a body in bytes. */
  readonly bodyLimit: number
  /** The memory that the bodies of all these calls share while they arrive. */
  readonly arriving: ArrivingBodies
}

export function openDoor(
  keys: CallerKeys,
  admissions: Admissions,
  bodyLimit: number,
  arriving = arrivingBodies(bodyLimit),
): Door {
  const key = authentication(keys, { bodyKey: false }).beforeBody
  return { keys, admissions, key, body: jsonBody(bodyLimit, arriving), bodyLimit, arriving }
}

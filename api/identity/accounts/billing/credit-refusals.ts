import { ApiError } from "../../../errors.ts"
import type { Refusal } from "./credit-ledger.ts"

/** The first sentences of these messages are part of the API contract: some clients look for them. */
const refusals: Readonly<Record<Refusal, readonly [number, string]>> = {
  key: [
    432,
    "This request exceeds your plan's set usage limit. The key has a limit of its own; ask the operator of this server for more.",
  ],
  plan: [432, "This request exceeds your plan's set usage limit. Ask the operator of this server for more."],
  paygo: [
    433,
    "This request exceeds the pay-as-you-go limit. Ask the operator of this server to increase it.",
  ],
}

/** The error for a call that would exceed a limit. @returns 432, or 433 for the pay-as-you-go limit */
export const creditRefusal = (refusal: Refusal): ApiError => new ApiError(...refusals[refusal])

const UNKNOWN_CREDITS =
  "The server that keeps the state cannot be reached, so it is unknown how much this key has used. Try again once the server is back."

/** The error for a call with a limited key while its usage is unknown. */
export const creditsUnknown = (): ApiError => new ApiError(503, UNKNOWN_CREDITS, {}, { "Retry-After": "5" })

import { DEGRADED_PARTS } from "#base/flow/degraded.ts"

import { DEFAULT_LIMIT, MAX_LIMIT } from "../wire/body-schema.ts"
import { query } from "./operation.ts"
import { listOf, oneOf, ref, yesNo } from "./schemas.ts"

// Fields and parameters that calls of several features have.

/** Parameters of a list that comes in slices. */
export const slice = [
  query("limit", "Entries at most.", {
    type: "integer",
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  }),
  query("offset", "Entries left out before the first.", {
    type: "integer",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
  }),
]

export const addressesModels = yesNo(
  "True when what is shown of it gives orders to language models; else not there.",
)

/** In answers to requests that may hold fields without effect. */
export const warnings = listOf(
  ref("Warning"),
  "What the answer does not honour of the request; left out when it honours everything.",
)

/** What an answer was made without. */
export const degraded = listOf(
  oneOf(Object.keys(DEGRADED_PARTS)),
  `What this answer was made without, since it was late, busy or out of order; not there for a complete answer. ${Object.entries(
    DEGRADED_PARTS,
  )
    .map(([part, effect]) => `\`${part}\`: ${effect}.`)
    .join(" ")}`,
)

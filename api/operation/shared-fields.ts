import { DEGRADED_PARTS } from "#base/flow/degraded.ts"

import { listOf, oneOf, ref, yesNo } from "./schemas.ts"

// Fields that answers of several features have.

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

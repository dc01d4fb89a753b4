import { OUTBOUND_PURPOSES, type OutboundPurpose } from "#base/outbound/purposes.ts"

import { ok, operations } from "../../server/operation/operation.ts"
import { ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import { count, listOf, namedObject, object, oneOf, text, time } from "../../server/schema/schemas.ts"

const PURPOSES = Object.keys(OUTBOUND_PURPOSES) as readonly OutboundPurpose[]

const OutboundHosts = namedObject("OutboundHosts", {
  hosts: listOf(
    object({
      purpose: oneOf(PURPOSES),
      host: text("With its port, if that is not the usual one."),
      first_at: time(),
      last_at: time(),
      count: count("Connections to sites and receivers, answers of servers that the operator named."),
    }),
    "Those talked to last come first.",
  ),
  ...ofSlice,
})

/** Whom the appliance talked to. */
export const outboundOperations = operations("Upkeep", "admin", {
  listOutbound: {
    at: "GET /admin/outbound",
    summary: "Whom the appliance talked to",
    description: "Hosts that connections were made to, those talked to last first; 10,000 are kept.",
    query: { purpose: oneOf(PURPOSES, "Only those for this."), ...sliceOf("Hosts") },
    answers: ok(OutboundHosts, "The hosts."),
    examples: [{ summary: "All of them" }],
  },
})

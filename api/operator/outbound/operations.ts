import { OUTBOUND_PURPOSES, type OutboundPurpose } from "#base/outbound/purposes.ts"

import { ok, operations } from "../../server/operation/operation.ts"
import { ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import { count, listOf, namedObject, object, oneOf, text, time } from "../../server/schema/schemas.ts"

const PURPOSES = Object.keys(OUTBOUND_PURPOSES) as readonly OutboundPurpose[]

const OutboundHosts = namedObject("OutboundHosts", {
  hosts: listOf(
    object({
      purpose: oneOf(PURPOSES),
      host: text("Host name, with its port unless that is the default one."),
      first_at: time(),
      last_at: time(),
      count: count("Connections to sites and receivers, or answers from servers that the operator named."),
    }),
    "Most recently contacted first.",
  ),
  ...ofSlice,
})

/** Hosts that the appliance contacted. */
export const outboundOperations = operations("Upkeep", "admin", {
  listOutbound: {
    at: "GET /admin/outbound",
    summary: "Hosts that the appliance contacted",
    description: "Most recently contacted first; the newest 10,000 are kept.",
    query: { purpose: oneOf(PURPOSES, "Only hosts contacted for this purpose."), ...sliceOf("hosts") },
    answers: ok(OutboundHosts, "The hosts."),
    examples: [{ summary: "All of them" }],
  },
})

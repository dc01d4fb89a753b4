import { wholeNumber } from "#base/command-arguments.ts"
import { OUTBOUND_PURPOSES, type OutboundPurpose } from "#base/outbound/purposes.ts"

import { command } from "../../spec.ts"

export const outbound = command({
  about: "Shows the hosts that the appliance connected to: why, since when and how often.",
  options: {
    purpose: {
      value: "name",
      about: "only connections for this purpose",
      choices: Object.keys(OUTBOUND_PURPOSES) as OutboundPurpose[],
    },
    limit: { value: "n", about: "how many to show, the most recent first", default: "100" },
  },
  json: "one JSON object per line, for programs",
  examples: [{ line: "fossick outbound", about: "every host, the most recent first" }],
  async run({ options: { purpose, limit }, json }) {
    const { showOutbound } = await import("../../../api/operator/commands/outbound-session.ts")
    return await showOutbound(purpose ?? null, wholeNumber("--limit", limit, 1, 10_000), json)
  },
})

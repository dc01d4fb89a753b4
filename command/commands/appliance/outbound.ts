import { wholeNumber } from "#base/command-arguments.ts"
import { OUTBOUND_PURPOSES, type OutboundPurpose } from "#base/outbound/purposes.ts"

import { command } from "../../spec.ts"

export const outbound = command({
  about: "Shows whom the appliance talked to: hosts, what for, since when and how often.",
  options: {
    purpose: {
      value: "name",
      about: "only for this",
      choices: Object.keys(OUTBOUND_PURPOSES) as OutboundPurpose[],
    },
    limit: { value: "n", about: "how many, those talked to last first", default: "100" },
  },
  json: "one JSON object a line, for programs",
  examples: [{ line: "fossick outbound", about: "every host, those talked to last first" }],
  async run({ options: { purpose, limit }, json }) {
    const { showOutbound } = await import("../../../api/operator/commands/outbound-session.ts")
    return await showOutbound(purpose ?? null, wholeNumber("--limit", limit, 1, 10_000), json)
  },
})

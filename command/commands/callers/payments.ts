import { fileURLToPath } from "node:url"
import type { Span } from "../../../api/doors/x402/books/books.ts"
import { command, type GroupSpec } from "../../spec.ts"

const span = {
  from: { value: "day", about: "first day, as YYYY-MM-DD; days are those of UTC" },
  to: { value: "day", about: "last day" },
} as const

async function show(what: "days" | "outcomes" | "csv", options: Span, json: boolean): Promise<number> {
  const { showPayments } = await import("../../../api/operator/commands/payments-session.ts")
  return await showPayments(what, options, json)
}

export const payments: GroupSpec = {
  about:
    "Shows what paid searches brought, whether the appliance runs or not; and tries one on this machine.",
  standard: "days",
  commands: {
    days: command({
      about: "Shows what each day brought.",
      options: span,
      json: "one JSON array, for programs",
      examples: [{ line: "fossick payments --from 2026-11-01", about: "since the first of November" }],
      run: ({ options, json }) => show("days", options, json),
    }),
    outcomes: command({
      about: "Shows how requests to the paid search ended.",
      options: span,
      json: "one JSON array, for programs",
      examples: [{ line: "fossick payments outcomes", about: "of all days" }],
      run: ({ options, json }) => show("outcomes", options, json),
    }),
    csv: command({
      about: "Writes every payment as CSV, for bookkeeping.",
      options: span,
      json: null,
      examples: [
        { line: "fossick payments csv --from 2026-01-01 --to 2026-12-31 > payments.csv", about: "a year" },
      ],
      run: ({ options, json }) => show("csv", options, json),
    }),
    try: command({
      about: `Sells one search on this machine alone: the chain, its token and the facilitator are local, the money is
play money, the appliance and the client are the real ones. Needs a clone with its development packages.`,
      json: null,
      examples: [{ line: "fossick payments try", about: "takes half a minute" }],
      async run() {
        const { trySale } = await import("../../../api/operator/commands/try-sale.ts")
        return await trySale([fileURLToPath(new URL("../../fossick.js", import.meta.url)), "start"])
      },
    }),
  },
}

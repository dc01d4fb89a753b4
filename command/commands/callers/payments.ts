import { fileURLToPath } from "node:url"
import type { Span } from "../../../api/doors/x402/books/books.ts"
import { command, type GroupSpec } from "../../spec.ts"

const span = {
  from: { value: "day", about: "first day, as YYYY-MM-DD, in UTC" },
  to: { value: "day", about: "last day" },
} as const

async function show(what: "days" | "outcomes" | "csv", options: Span, json: boolean): Promise<number> {
  const { showPayments } = await import("../../../api/operator/commands/payments-session.ts")
  return await showPayments(what, options, json)
}

export const payments: GroupSpec = {
  about:
    "Shows the revenue from paid searches, whether or not the appliance is running, and tries a paid search on this machine.",
  standard: "days",
  commands: {
    days: command({
      about: "Shows the revenue of each day.",
      options: span,
      json: "one JSON array, for programs",
      examples: [{ line: "fossick payments --from 2026-11-01", about: "since the first of November" }],
      run: ({ options, json }) => show("days", options, json),
    }),
    outcomes: command({
      about: "Shows how requests to the paid search ended.",
      options: span,
      json: "one JSON array, for programs",
      examples: [{ line: "fossick payments outcomes", about: "for all days" }],
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
      about: `Sells one search, on this machine only: the chain, its token and the facilitator are local, the money is
play money, and the appliance and the client are real. Needs a clone with its development packages.`,
      json: null,
      examples: [{ line: "fossick payments try", about: "takes half a minute" }],
      async run() {
        const { trySale } = await import("../../../api/operator/commands/try-sale.ts")
        return await trySale([fileURLToPath(new URL("../../fossick.js", import.meta.url)), "start"])
      },
    }),
  },
}

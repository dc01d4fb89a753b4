import { ok, operations } from "../../../server/operation/operation.ts"
import { ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  count,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
  time,
} from "../../../server/schema/schemas.ts"
import { X402_OUTCOMES, type X402Outcome } from "./outcomes.ts"

const usd = text("US dollars.", { pattern: String.raw`^\d+\.\d{6}$` })

const PaymentList = namedObject("PaymentList", {
  payments: listOf(
    object({
      at: time(),
      amount_usd: usd,
      network: text("CAIP-2."),
      asset: text("Contract address of the token."),
      payer: text(),
      pay_to: text(),
      transaction: text(),
      x402_version: count(),
      delivered_at: orNull(time()),
      verify_ms: count(),
      search_ms: count(),
      settle_ms: count(),
    }),
  ),
  open: count("Payments whose outcome is still unknown."),
  ...ofSlice,
})
const PaymentDays = namedObject("PaymentDays", {
  revenue: listOf(object({ day: text(), network: text("CAIP-2."), sales: count(), usd })),
  outcomes: listOf(
    object({ day: text(), outcome: oneOf(Object.keys(X402_OUTCOMES) as X402Outcome[]), count: count() }),
  ),
})

const day = (which: string) => text(`The ${which} day, inclusive, in UTC.`, { format: "date" })
const span = { from: day("first"), to: day("last") }

/** The operations that list sold searches. */
export const paymentOperations = operations("Payments", "admin", {
  listPayments: {
    at: "GET /admin/payments",
    summary: "Payments received for searches, newest first",
    query: { ...span, ...sliceOf("payments") },
    answers: ok(PaymentList, "The payments."),
    examples: [{ summary: "All of them" }],
  },
  listPaymentDays: {
    at: "GET /admin/payments/days",
    summary: "Revenue and outcomes of requests, by day",
    query: span,
    answers: ok(PaymentDays, "Totals by day."),
    examples: [{ summary: "All days" }],
  },
  exportPayments: {
    at: "GET /admin/payments.csv",
    summary: "All payments as CSV, for bookkeeping",
    query: span,
    answers: {
      200: { description: "One line per payment, oldest first.", schema: text(), type: "text/csv" },
    },
    examples: [{ summary: "All of them" }],
  },
})

import type { Operation, Parameter } from "../../../server/operation/operation.ts"
import { count, listOf, object, oneOf, orNull, ref, text, time } from "../../../server/operation/schemas.ts"
import { X402_OUTCOMES } from "./outcomes.ts"

// The calls of payment-routes.ts, as the description of the API has them.

const day = (name: "from" | "to", which: string): Parameter => ({
  name,
  in: "query",
  description: `The ${which} day, of UTC; it counts in.`,
  schema: { type: "string", format: "date" },
})
const span = [day("from", "first"), day("to", "last")]
const whole = (minimum: number, maximum: number, standard: number) => ({
  type: "integer",
  minimum,
  maximum,
  default: standard,
})

export const paymentOperations: readonly Operation[] = [
  {
    id: "listPayments",
    method: "get",
    path: "/admin/payments",
    tag: "Payments",
    summary: "Payments for searches that arrived, newest first",
    access: "admin",
    parameters: [
      ...span,
      { name: "limit", in: "query", description: "How many.", schema: whole(1, 1000, 50) },
      {
        name: "offset",
        in: "query",
        description: "How many to leave out.",
        schema: whole(0, Number.MAX_SAFE_INTEGER, 0),
      },
    ],
    answers: { 200: { description: "The payments.", schema: ref("PaymentList") } },
    examples: [{ summary: "All of them", status: 200 }],
  },
  {
    id: "listPaymentDays",
    method: "get",
    path: "/admin/payments/days",
    tag: "Payments",
    summary: "What each day brought, and how requests ended",
    access: "admin",
    parameters: span,
    answers: { 200: { description: "Sums by day.", schema: ref("PaymentDays") } },
    examples: [{ summary: "All days", status: 200 }],
  },
  {
    id: "exportPayments",
    method: "get",
    path: "/admin/payments.csv",
    tag: "Payments",
    summary: "Every payment, for bookkeeping",
    access: "admin",
    parameters: span,
    answers: {
      200: { description: "One line each, oldest first.", schema: { type: "string" }, type: "text/csv" },
    },
    examples: [{ summary: "All of them", status: 200 }],
  },
]

const usd = { type: "string", pattern: String.raw`^\d+\.\d{6}$`, description: "US dollars." }

export const paymentSchemas = {
  PaymentList: object({
    payments: listOf(
      object({
        at: time(),
        amount_usd: usd,
        network: text("CAIP-2."),
        asset: text("Contract of the token."),
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
    total: count("Of all, not only of those listed."),
    open: count("Payments whose outcome is not known yet."),
    limit: count(),
    offset: count(),
  }),
  PaymentDays: object({
    revenue: listOf(object({ day: text(), network: text("CAIP-2."), sales: count(), usd })),
    outcomes: listOf(object({ day: text(), outcome: oneOf(Object.keys(X402_OUTCOMES)), count: count() })),
  }),
}

import type { AnswerOf } from "../../../api/client/client.ts"

export type Outcome = AnswerOf<"GET /admin/payments/days">["outcomes"][number]["outcome"]

/** The meaning of each way a request to the paid search can end, in the appliance's words. */
export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  sold: "paid, settled, and the answer was sent",
  "sold-undelivered": "paid and settled; the caller disconnected, and can still fetch the answer",
  "delivered-later": "an answer paid for earlier was sent to the caller who came back for it",
  unpaid: "the request had no payment; the price was sent",
  unusable: "the payment was malformed, or made for something else",
  "bad-request": "the request with the payment was invalid; nothing was charged",
  "already-used": "the payment had already been used",
  "in-progress": "the same request with the same payment was already in progress",
  limited: "a payer who recently lacked the money for a payment had another one in progress",
  invalid: "the facilitator rejected the payment",
  "facilitator-unavailable": "the facilitator could not check the payment; nothing was charged",
  "search-failed": "the search failed; nothing was charged",
  overloaded: "too many searches or payments were waiting; nothing was charged",
  "caller-gone": "the caller disconnected before the payment was settled; nothing was charged",
  refused: "the search succeeded, but the payment could not be settled; nothing was charged",
  unknown: "it is not known whether the payment was settled; the answer is kept for a repeated request",
}

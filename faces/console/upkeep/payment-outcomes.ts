import type { AnswerOf } from "../../../api/client/client.ts"

export type Outcome = AnswerOf<"GET /admin/payments/days">["outcomes"][number]["outcome"]

/** The meaning of each way a request to the paid search can end, in the appliance's words. */
export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  sold: "paid, settled, and the answer was sent",
  "sold-undelivered": "paid and settled; the caller hung up, and may come back for the answer",
  "delivered-later": "an answer paid for earlier was sent to the caller who came back for it",
  unpaid: "no payment came with it: the price was told",
  unusable: "the payment was malformed, or made for something else",
  "bad-request": "a payment came with a request that is wrong; nothing was charged",
  "already-used": "the payment had bought something already",
  "in-progress": "the same request with the same payment is being worked on",
  limited: "a payer who lately had no money for a payment had another one under way",
  invalid: "the facilitator found the payment wrong",
  "facilitator-unavailable": "the facilitator could not check the payment; nothing was charged",
  "search-failed": "the search failed; nothing was charged",
  overloaded: "more searches or payments were waiting than could be dealt with; nothing was charged",
  "caller-gone": "the caller hung up before the payment was settled; nothing was charged",
  refused: "the search was done, and the payment could not be settled; nothing was charged",
  unknown: "it is not known whether the payment was settled; the answer is kept for a repeated request",
}

/** Every way a request to the paid search can end. */
export const X402_OUTCOMES = {
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
} as const

export type X402Outcome = keyof typeof X402_OUTCOMES

/** Counts outcomes. They are written in batches, because answering with the price must cost almost nothing. */
export class OutcomeCounts {
  readonly #total = new Map<X402Outcome, number>()
  #unwritten = new Map<X402Outcome, number>()

  add(outcome: X402Outcome): void {
    this.#total.set(outcome, (this.#total.get(outcome) ?? 0) + 1)
    this.#unwritten.set(outcome, (this.#unwritten.get(outcome) ?? 0) + 1)
  }

  /** The counts since this process started, by outcome. */
  get total(): ReadonlyMap<X402Outcome, number> {
    return this.#total
  }

  /** Returns the counts not yet written, and clears them. */
  take(): ReadonlyMap<X402Outcome, number> {
    const taken = this.#unwritten
    this.#unwritten = new Map()
    return taken
  }
}

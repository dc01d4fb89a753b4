/**
 * Why a payment isn't accepted: the `error` of a 402 response. If facilitators have a code for a reason, that code is
 * used; a code that a facilitator returned for a payment passes through unchanged.
 */
export const PAYMENT_REFUSALS = {
  missing: "PAYMENT-SIGNATURE header is required",
  tooLarge: "invalid_payload: payment header too large",
  notJson: "invalid_payload: not base64 JSON",
  wrongShape: "invalid_payload",
  wrongVersion: "invalid_x402_version",
  otherTerms: "No matching payment requirements",
  validBefore: "invalid_exact_evm_payload_authorization_valid_before",
  validAfter: "invalid_exact_evm_payload_authorization_valid_after",
  otherValue: "invalid_exact_evm_payload_authorization_value_mismatch",
  /** The code used in version 1. */
  shortValue: "invalid_exact_evm_authorization_value",
  otherRecipient: "invalid_exact_evm_recipient_mismatch",
  /** The network has already seen this payment's nonce: it was used elsewhere. */
  nonceUsed: "invalid_exact_evm_nonce_already_used",
  noBalance: "invalid_exact_evm_insufficient_balance",
  /** The facilitator refused the payment without giving a reason. */
  invalid: "payment_invalid",
  /** The payment bought another answer, or its answer is no longer stored. */
  alreadyUsed: "payment_already_used",
} as const

/** An answer that asks the payer to keep the payment and try again with it. It is never a 402, which invites a new signature. */
export interface ComeAgain {
  readonly status: 409 | 429 | 503
  /** The `error` of the body, for programs. */
  readonly code: string
  /** The text for people. */
  readonly message: string
  /** Seconds, as in `Retry-After`. */
  readonly after: number
}

const RETRY_SECONDS = 5

export const COME_AGAIN = {
  inProgress: {
    status: 409,
    code: "payment_in_progress",
    message: "This payment is being processed; retry the same request with it.",
    after: 1,
  },
  payerLimited: {
    status: 429,
    code: "payer_limited",
    message:
      "This payer recently lacked the money for a payment: send fewer payments at a time. Nothing was charged.",
    after: RETRY_SECONDS,
  },
  unverified: {
    status: 503,
    code: "payment_service_unavailable",
    message: "The payment cannot be checked right now; nothing was charged.",
    after: RETRY_SECONDS,
  },
  tooManyOpen: {
    status: 503,
    code: "payment_service_unavailable",
    message: "Too many payments are waiting to be settled; nothing was charged.",
    after: RETRY_SECONDS,
  },
} as const satisfies Readonly<Record<string, ComeAgain>>

/** @param transaction the transaction that was sent, if known */
export const settlementUnknown = (transaction?: string): ComeAgain => ({
  status: 503,
  code: "settlement_unknown",
  message: `It is not known yet whether the payment was settled${transaction === undefined ? "" : ` (transaction ${transaction})`}. Retry the same request with the same payment and don't sign a new one: you will not be charged twice.`,
  after: RETRY_SECONDS,
})

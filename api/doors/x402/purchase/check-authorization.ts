import type { Payment } from "../payment.ts"
import { PAYMENT_REFUSALS } from "../refusals.ts"
import type { Terms } from "../terms.ts"

/** The minimum time in seconds for which a payment must remain valid, so that a facilitator can submit it to the network. */
const MIN_SECONDS_LEFT = 6

/**
 * Checks that don't depend on the request: whether the payment, as of now, pays us the price. {@link readPayment} has
 * already compared network and token with the terms. Use this only for a payment that is new here: a payment that may
 * have been carried out must not be refused because it has expired since then.
 *
 * @returns the code for the payer; null if these checks find no problem
 */
export function authorizationFault(
  { version, authorization }: Pick<Payment, "version" | "authorization">,
  { requirements: { amount, payTo } }: Pick<Terms, "requirements">,
  now = Date.now() / 1000,
): string | null {
  const { to, value, validAfter, validBefore } = authorization
  if (to.toLowerCase() !== payTo.toLowerCase()) return PAYMENT_REFUSALS.otherRecipient
  const over = BigInt(value) - BigInt(amount)
  // Version 1 states the maximum that may be charged; version 2 the price.
  if (version === 1 ? over < 0n : over !== 0n)
    return version === 1 ? PAYMENT_REFUSALS.shortValue : PAYMENT_REFUSALS.otherValue
  if (Number(validBefore) < now + MIN_SECONDS_LEFT) return PAYMENT_REFUSALS.validBefore
  return Number(validAfter) > now ? PAYMENT_REFUSALS.validAfter : null
}

import type { Logger } from "pino"

import type { Chain, OnChain } from "../chain/chain.ts"
import type { Facilitator } from "../chain/facilitator.ts"
import type { Payment } from "../payment.ts"
import { PAYMENT_REFUSALS } from "../refusals.ts"

/** How the settlement of a payment ended. */
export type Settlement =
  | { readonly kind: "settled"; readonly transaction: string }
  /** The payer paid nothing, and this payment will never be used. */
  | { readonly kind: "refused"; readonly reason: string; readonly withoutCover: boolean }
  | { readonly kind: "unknown"; readonly transaction?: string }

/**
 * Codes that mean that the payer lacked funds. A transfer that was valid when it was verified fails on the network if
 * another transfer has spent the money since.
 */
const NO_COVER = /insufficient|transaction_failed/i

/** Number of attempts: one, and a second one if the outcome of the first is unknown. */
const ATTEMPTS = 2

/**
 * Settles a payment. Silence is not treated as a refusal: a payer who reads "not paid" signs again, and would pay
 * twice. A refusal is accepted only if no earlier attempt has an unknown outcome, or if the network itself confirms it.
 *
 * @param since milliseconds since 1970 when the payment was first sent to the facilitator
 * @param doubt whether the outcome of an earlier attempt is unknown
 */
export async function settlePayment(
  payment: Payment,
  { since, doubt }: { readonly since: number; readonly doubt: boolean },
  { facilitator, chain, log }: { facilitator: Facilitator; chain: Chain | null; log: Logger },
): Promise<Settlement> {
  const look = async (): Promise<OnChain | null> => {
    const seen = (await chain?.look(payment.authorization, since)) ?? null
    if (seen?.kind === "unreachable")
      log.warn({ err: seen.error, payment: payment.id }, "the network cannot be queried")
    return seen
  }
  if (doubt) {
    const ended = conclude(await look(), null)
    if (ended !== null) return ended
  }
  let open = doubt
  let sent: string | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await facilitator.settle(payment)
    if (answer.kind === "settled") return answer
    if (answer.kind === "refused" && !open) {
      return { ...answer, withoutCover: NO_COVER.test(answer.reason) }
    }
    open = true
    if (answer.kind === "unknown") {
      sent = answer.transaction ?? sent
      log.warn(
        { err: answer.error, payment: payment.id, transaction: sent },
        "the outcome of a settlement is unknown",
      )
    }
    const ended = conclude(await look(), answer.reason ?? null)
    if (ended !== null) return ended
  }
  return { kind: "unknown", ...(sent !== undefined && { transaction: sent }) }
}

/** The conclusion from the network's record; null when it doesn't settle the outcome either. */
function conclude(seen: OnChain | null, reason: string | null): Settlement | null {
  if (seen?.kind === "paid") return { kind: "settled", transaction: seen.transaction }
  if (seen?.kind !== "dead") return null
  const withoutCover = seen.because === "no-balance"
  return { kind: "refused", reason: reason ?? DEAD_REASONS[seen.because], withoutCover }
}

/** The code that facilitators use for each reason. */
const DEAD_REASONS: Readonly<Record<Extract<OnChain, { kind: "dead" }>["because"], string>> = {
  "spent-elsewhere": PAYMENT_REFUSALS.nonceUsed,
  expired: PAYMENT_REFUSALS.validBefore,
  "no-balance": PAYMENT_REFUSALS.noBalance,
}

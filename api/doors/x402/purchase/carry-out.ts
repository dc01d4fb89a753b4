import { steadyNow } from "#base/steady-time.ts"
import type { Logger } from "pino"

import { untilClosed, callerGone, type Context, clientGone } from "../../../context.ts"
import { ApiError } from "../../../errors.ts"
import { holding, type Memory } from "../../../server/load/memory/memory.ts"
import type { AskParts } from "../../../core/ask/ask.ts"
import type { Entry, Ledger, Receipt } from "../books/payment-ledger.ts"
import type { X402Outcome } from "../books/outcomes.ts"
import type { Chain } from "../chain/chain.ts"
import type { Facilitator } from "../chain/facilitator.ts"
import { SEARCH_MS } from "../settings.ts"
import { challenge, deliver, sayLater, setReceipt, whenSent } from "../paid-answer.ts"
import { authorizationFault } from "./check-authorization.ts"
import type { PayerLimits } from "./payer-limits.ts"
import { payerOf, type Purchase, timed } from "./purchase.ts"
import { COME_AGAIN, settlementUnknown } from "../refusals.ts"
import { settlePayment, type Settlement } from "./settlement.ts"
import type { Terms } from "../terms.ts"

export interface PurchaseParts {
  readonly terms: Terms
  readonly facilitator: Facilitator
  /** Queries the network; null if no node of the network is known. */
  readonly chain: Chain | null
  readonly ledger: Ledger
  readonly payers: PayerLimits
  /** The parts of a search whose engine finds only pages for sale. */
  readonly search: AskParts
  /** Throws an ApiError 429 when a search would have to wait for too long. */
  readonly check: () => void
  readonly memory: Pick<Memory, "enter">
  readonly log: Logger
}

/** How a purchase ended; if it was answered, this depends on whether the answer arrives. */
export type Ended =
  | { readonly kind: "refused"; readonly outcome: X402Outcome }
  | {
      readonly kind: "answered"
      readonly outcome: (arrived: boolean) => X402Outcome
      /** Resolves when the answer was sent, or can no longer be sent, and the ledger has recorded it. Never rejects. */
      readonly noted: Promise<void>
    }

const refused = (outcome: X402Outcome): Ended => ({ kind: "refused", outcome })

/**
 * Looks for an earlier result, verifies, searches, settles, and answers. The order is a promise: nobody pays for a
 * search that was not carried out, and no part of an answer is sent before it has been paid for.
 *
 * @param entry the ledger's entry for the payment, or null
 */
export async function carryOut(
  ctx: Context,
  purchase: Purchase,
  entry: Entry | null,
  parts: PurchaseParts,
): Promise<Ended> {
  if (entry?.state === "settled") {
    return answer(ctx, purchase, { answer: entry.answer!, receipt: entry.receipt!, again: true }, parts)
  }
  if (entry !== null) {
    return settle(ctx, purchase, { answer: entry.answer!, since: entry.since, doubt: true }, parts)
  }
  parts.check()
  const memory = untilClosed(ctx, parts.memory.enter())
  if (await parts.ledger.isFull()) {
    sayLater(ctx, COME_AGAIN.tooManyOpen)
    return refused("overloaded")
  }
  const fault = authorizationFault(purchase.payment, parts.terms)
  if (fault !== null) {
    challenge(ctx, parts.terms, fault)
    return refused("invalid")
  }
  const verified = await timed(purchase, "verifyMs", () => parts.facilitator.verify(purchase.payment))
  if (verified.kind === "unavailable") {
    ctx.state.log.warn({ err: verified.error }, "a payment could not be checked")
    sayLater(ctx, COME_AGAIN.unverified)
    return refused("facilitator-unavailable")
  }
  if (verified.kind === "invalid") {
    challenge(ctx, parts.terms, verified.reason)
    return refused("invalid")
  }
  const selling = { ...parts.search, engine: holding(parts.search.engine, memory) }
  const found = JSON.stringify(await timed(purchase, "searchMs", () => search(ctx, purchase, selling)))
  if (callerGone(ctx)) return refused("caller-gone")
  const { id, version, authorization } = purchase.payment
  const facts = {
    validBefore: Number(authorization.validBefore),
    authorization: JSON.stringify({ version, ...authorization }),
    answer: found,
  }
  if (!(await parts.ledger.begin({ id, fingerprint: purchase.fingerprint }, facts))) {
    // Another process was quicker.
    sayLater(ctx, COME_AGAIN.inProgress)
    return refused("in-progress")
  }
  return settle(ctx, purchase, { answer: found, since: Date.now(), doubt: false }, parts)
}

async function search(ctx: Context, { request }: Purchase, parts: AskParts) {
  const late = AbortSignal.timeout(SEARCH_MS)
  try {
    return await request.answer(ctx, parts, AbortSignal.any([clientGone(ctx), late]))
  } catch (error) {
    if (!late.aborted) throw error
    throw new ApiError(503, "The search took too long. Nothing was charged; try again with the same payment.")
  }
}

/** Settles the payment, and answers according to the outcome. The ledger already lists the payment as `settling`. */
async function settle(
  ctx: Context,
  purchase: Purchase,
  { answer: found, ...started }: { answer: string; since: number; doubt: boolean },
  parts: PurchaseParts,
): Promise<Ended> {
  const { payment } = purchase
  const { ledger, payers, terms } = parts
  const began = steadyNow()
  let settlement: Settlement
  try {
    settlement = await timed(purchase, "settleMs", () => settlePayment(payment, started, parts))
    if (settlement.kind === "settled") {
      await ledger.settled(payment.id, receiptOf(purchase, settlement.transaction, terms), purchase.times)
    } else if (settlement.kind === "refused") await ledger.forget(payment.id)
    else await ledger.unknown(payment.id)
  } catch (error) {
    await ledger.unknown(payment.id)
    throw error
  }
  if (settlement.kind === "settled") {
    payers.settled(payerOf(purchase), began)
    const receipt = receiptOf(purchase, settlement.transaction, terms)
    return answer(ctx, purchase, { answer: found, receipt, again: started.doubt }, parts)
  }
  if (settlement.kind === "refused") {
    if (settlement.withoutCover) payers.withoutCover(payerOf(purchase))
    challenge(ctx, terms, settlement.reason)
    setReceipt(ctx, payment, { success: false, errorReason: settlement.reason, transaction: "" })
    logPayment(parts.log, "refused", purchase)
    return refused("refused")
  }
  sayLater(ctx, settlementUnknown(settlement.transaction))
  logPayment(parts.log, "unknown", purchase, settlement.transaction)
  return refused("unknown")
}

function answer(
  ctx: Context,
  purchase: Purchase,
  paid: { answer: string; receipt: Receipt; again: boolean },
  { ledger, log }: PurchaseParts,
): Ended {
  const { payment } = purchase
  const { transaction } = paid.receipt
  deliver(ctx, paid.answer)
  setReceipt(ctx, payment, { success: true, transaction })
  const outcome = (arrived: boolean) =>
    arrived ? (paid.again ? "delivered-later" : "sold") : "sold-undelivered"
  const note = async (arrived: boolean) => {
    logPayment(log, outcome(arrived), purchase, transaction)
    try {
      if (arrived) await ledger.delivered(payment.id)
    } catch (err) {
      log.warn({ err, payment: payment.id }, "could not record in the ledger that an answer was delivered")
    }
  }
  const { promise: noted, resolve } = Promise.withResolvers<void>()
  whenSent(ctx.res, (arrived) => resolve(note(arrived)))
  return { kind: "answered", outcome, noted }
}

function receiptOf({ payment }: Purchase, transaction: string, { requirements }: Terms): Receipt {
  const { network, asset, payTo } = requirements
  const { authorization, version } = payment
  return {
    transaction,
    network,
    asset,
    payTo,
    version,
    payer: authorization.from,
    amount: authorization.value,
  }
}

function logPayment(
  log: Logger,
  outcome: X402Outcome,
  { payment, times }: Purchase,
  transaction?: string,
): void {
  const { id, version, authorization } = payment
  const rounded = Object.fromEntries(Object.entries(times).map(([step, ms]) => [step, Math.round(ms)]))
  log.info({ payment: id, transaction, amount: authorization.value, version, outcome, ...rounded }, "payment")
}

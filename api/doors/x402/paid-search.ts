import { callerGone, type Context, type Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { jsonBody } from "../../server/middleware/json-body.ts"
import type { SoldCall, SoldRequest } from "./sold-call.ts"
import { carryOut, type PurchaseParts } from "./purchase/carry-out.ts"
import type { OutcomeCounts, X402Outcome } from "./books/outcomes.ts"
import { challenge, sayLater, whenSent } from "./paid-answer.ts"
import { PayerLimits } from "./purchase/payer-limits.ts"
import { readPayment } from "./payment.ts"
import { payerOf, purchaseOf } from "./purchase/purchase.ts"
import { COME_AGAIN, PAYMENT_REFUSALS } from "./refusals.ts"

export interface PaidSearchParts extends Omit<PurchaseParts, "payers"> {
  readonly outcomes: OutcomeCounts
  readonly sold: SoldCall
  readonly bodyLimit: number
}

/**
 * POST /search against payment. Here a request becomes a purchase that is worked on once at a time; what is done for it
 * stands in {@link carryOut}.
 */
export function paidSearch(parts: PaidSearchParts): Middleware {
  const { terms, ledger, outcomes } = parts
  /** Fingerprints of the requests being worked on, by the payment. */
  const underWay = new Map<string, string>()
  const payers = new PayerLimits()
  const readBody = jsonBody(parts.bodyLimit)

  return async (ctx) => {
    const payment = readPayment(ctx.req.headers, terms)
    if ("error" in payment) {
      const none = ctx.get("PAYMENT-SIGNATURE") === "" && ctx.get("X-PAYMENT") === ""
      outcomes.add(none ? "unpaid" : "unusable")
      challenge(ctx, terms, payment.error)
      return
    }
    const purchase = purchaseOf(payment, await readRequest(ctx))

    const running = underWay.get(payment.id)
    const entry = running === undefined ? ledger.get(payment.id) : null
    const known = running ?? entry?.fingerprint
    const used = known !== undefined && known !== purchase.fingerprint
    if (used || (entry?.state === "settled" && entry.answer === null)) {
      outcomes.add("already-used")
      challenge(ctx, terms, PAYMENT_REFUSALS.alreadyUsed)
      return
    }
    const busy = () => {
      outcomes.add("in-progress")
      sayLater(ctx, COME_AGAIN.inProgress)
    }
    if (running !== undefined || entry?.state === "settling") {
      busy()
      return
    }
    const payer = payerOf(purchase)
    if (!payers.enter(payer)) {
      outcomes.add("limited")
      sayLater(ctx, COME_AGAIN.payerLimited)
      return
    }
    if (entry?.state === "unknown" && !ledger.resume(payment.id)) {
      payers.leave(payer)
      busy()
      return
    }
    underWay.set(payment.id, purchase.fingerprint)
    const leave = () => {
      underWay.delete(payment.id)
      payers.leave(payer)
    }
    try {
      const ended = await carryOut(ctx, purchase, entry, { ...parts, payers })
      if (ended.kind === "answered") whenSent(ctx.res, (arrived) => outcomes.add(ended.outcome(arrived)))
      else outcomes.add(ended.outcome)
    } catch (error) {
      outcomes.add(outcomeOf(error, ctx))
      throw error
    } finally {
      // Until the answer is out the payment is in use: a copy of the request must not get another one.
      whenSent(ctx.res, leave)
    }
  }

  async function readRequest(ctx: Context): Promise<SoldRequest> {
    try {
      await readBody(ctx, async () => {})
      return parts.sold.read(ctx.state.body)
    } catch (error) {
      outcomes.add("bad-request")
      throw error
    }
  }
}

function outcomeOf(error: unknown, ctx: Context): X402Outcome {
  if (callerGone(ctx)) return "caller-gone"
  return error instanceof ApiError && "Retry-After" in error.headers ? "overloaded" : "search-failed"
}

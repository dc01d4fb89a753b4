import { Serial } from "#base/flow/serial.ts"

import { callerGone, type Context, type Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { jsonBody } from "../../server/middleware/json-body.ts"
import type { SoldCall, SoldRequest } from "./sold-call.ts"
import { carryOut, type PurchaseParts } from "./purchase/carry-out.ts"
import type { Entry } from "./books/payment-ledger.ts"
import type { OutcomeCounts, X402Outcome } from "./books/outcomes.ts"
import { challenge, sayLater, whenSent } from "./paid-answer.ts"
import { PayerLimits } from "./purchase/payer-limits.ts"
import { readPayment } from "./payment.ts"
import { payerOf, type Purchase, purchaseOf } from "./purchase/purchase.ts"
import { COME_AGAIN, PAYMENT_REFUSALS } from "./refusals.ts"

export interface PaidSearchParts extends Omit<PurchaseParts, "payers"> {
  readonly outcomes: OutcomeCounts
  readonly sold: SoldCall
  readonly bodyLimit: number
}

/**
 * POST /search with payment: turns a request into a purchase, and makes sure that no purchase runs twice at the same
 * time; {@link carryOut} does the work.
 */
export function paidSearch(parts: PaidSearchParts): Middleware {
  const { terms, ledger, outcomes } = parts
  /** Fingerprints of the requests in progress, by payment. */
  const underWay = new Map<string, string>()
  /** Purchases already answered whose answers the ledger has not recorded yet. */
  const leaving = new Map<string, Promise<void>>()
  /** Payments whose record is being read and that are not yet marked as in progress; copies of the request wait until this is done. */
  const beginning = new Serial()
  const payers = new PayerLimits()
  const readRequest = requestReader(parts)

  return async (ctx) => {
    const payment = readPayment(ctx.req.headers, terms)
    if ("error" in payment) {
      const none = ctx.get("PAYMENT-SIGNATURE") === "" && ctx.get("X-PAYMENT") === ""
      outcomes.add(none ? "unpaid" : "unusable")
      challenge(ctx, terms, payment.error)
      return
    }
    const purchase = purchaseOf(payment, await readRequest(ctx))
    await leaving.get(payment.id)
    const begun = await beginning.run(() => begin(ctx, purchase))
    if (begun === null) return
    const leave = () => {
      underWay.delete(payment.id)
      leaving.delete(payment.id)
      payers.leave(payerOf(purchase))
    }
    let noted = Promise.resolve()
    try {
      const ended = await carryOut(ctx, purchase, begun.entry, { ...parts, payers })
      if (ended.kind === "answered") {
        noted = ended.noted
        whenSent(ctx.res, (arrived) => outcomes.add(ended.outcome(arrived)))
      } else outcomes.add(ended.outcome)
    } catch (error) {
      outcomes.add(outcomeOf(error, ctx))
      throw error
    } finally {
      // The payment stays in use until the answer is sent and recorded in the ledger: a copy of the request must not
      // get another answer.
      whenSent(ctx.res, () => leaving.set(payment.id, noted.then(leave)))
    }
  }

  /** Starts a purchase and returns the ledger's record of its payment; null if the purchase was refused. */
  async function begin(ctx: Context, purchase: Purchase): Promise<{ readonly entry: Entry | null } | null> {
    const { payment, fingerprint } = purchase
    const running = underWay.get(payment.id)
    const entry = running === undefined ? await ledger.get(payment.id) : null
    const known = running ?? entry?.fingerprint
    const used = known !== undefined && known !== fingerprint
    if (used || (entry?.state === "settled" && entry.answer === null)) {
      outcomes.add("already-used")
      challenge(ctx, terms, PAYMENT_REFUSALS.alreadyUsed)
      return null
    }
    const busy = () => {
      outcomes.add("in-progress")
      sayLater(ctx, COME_AGAIN.inProgress)
      return null
    }
    if (running !== undefined || entry?.state === "settling") return busy()
    const payer = payerOf(purchase)
    if (!payers.enter(payer)) {
      outcomes.add("limited")
      sayLater(ctx, COME_AGAIN.payerLimited)
      return null
    }
    if (entry?.state === "unknown" && !(await ledger.resume(payment.id))) {
      payers.leave(payer)
      return busy()
    }
    underWay.set(payment.id, fingerprint)
    return { entry }
  }
}

function requestReader({ sold, bodyLimit, outcomes }: PaidSearchParts) {
  const readBody = jsonBody(bodyLimit)
  return async (ctx: Context): Promise<SoldRequest> => {
    try {
      await readBody(ctx, async () => {})
      return await sold.read(ctx.state.body)
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

import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"

import type { Logger } from "pino"

import { callerGone, type Context, type Middleware } from "../context.ts"
import { ApiError } from "../errors.ts"
import { envelope } from "../middleware/error-envelope.ts"
import { jsonBody } from "../middleware/json-body.ts"
import { clientGone } from "../tavily/live/live-call.ts"
import { performSearch, type PreparedSearch, type SearchParts } from "../tavily/search.ts"
import type { Chain } from "./chain/chain.ts"
import { SEARCH_MS } from "./config.ts"
import type { Facilitator } from "./chain/facilitator.ts"
import type { Entry, Ledger, Receipt } from "./books/payment-ledger.ts"
import type { OutcomeCounts, X402Outcome } from "./books/outcomes.ts"
import { PayerLimits } from "./payer-limits.ts"
import { type Payment, readPayment } from "./payment.ts"
import { settlePayment, type Settlement } from "./settlement.ts"
import type { Terms } from "./terms.ts"

export interface PaidSearchParts {
  readonly terms: Terms
  readonly facilitator: Facilitator
  /** Null when no node of the network is known. */
  readonly chain: Chain | null
  readonly ledger: Ledger
  readonly outcomes: OutcomeCounts
  /** Reads a body; throws for a wrong one. */
  readonly read: (body: Readonly<Record<string, unknown>>) => PreparedSearch
  /** With an engine that finds what is for sale, and nothing else. */
  readonly search: SearchParts
  /** Throws an ApiError 429 when a search would have to wait for too long. */
  readonly check: () => void
  readonly bodyLimit: number
  readonly log: Logger
}

/** A purchase under way. */
interface Purchase {
  readonly payment: Payment
  readonly prepared: PreparedSearch
  readonly fingerprint: string
  /** Milliseconds each step took. */
  readonly times: { verifyMs: number; searchMs: number; settleMs: number }
}

const RETRY_SECONDS = 5

/**
 * POST /search against payment: verify, search, settle, answer. The order is the promise: nobody is charged for a search
 * that was not done, and nothing of an answer leaves before it is paid.
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
      challenge(ctx, payment.error)
      return
    }
    const prepared = await readRequest(ctx)
    const fingerprint = fingerprintOf(payment, prepared)

    const running = underWay.get(payment.id)
    const entry = running === undefined ? ledger.get(payment.id) : null
    const known = running ?? entry?.fingerprint
    const used = known !== undefined && known !== fingerprint
    if (used || (entry?.state === "settled" && entry.answer === null)) {
      outcomes.add("already-used")
      challenge(ctx, "payment_already_used")
      return
    }
    // Not 402: that would invite a second signature.
    const busy = () => {
      outcomes.add("in-progress")
      sayLater(
        ctx,
        409,
        "payment_in_progress",
        "This payment is being processed; retry the same request with it.",
      )
    }
    if (running !== undefined || entry?.state === "settling") {
      busy()
      return
    }
    const payer = payment.authorization.from.toLowerCase()
    if (!payers.enter(payer)) {
      outcomes.add("limited")
      const why = "A payment of this payer had no cover lately: fewer at a time. Nothing was charged."
      sayLater(ctx, 429, "payer_limited", why)
      return
    }
    if (entry?.state === "unknown" && !ledger.resume(payment.id)) {
      payers.leave(payer)
      busy()
      return
    }
    underWay.set(payment.id, fingerprint)
    const leave = () => {
      underWay.delete(payment.id)
      payers.leave(payer)
    }
    const times = { verifyMs: 0, searchMs: 0, settleMs: 0 }
    try {
      const outcome = await serve(ctx, { payment, prepared, fingerprint, times }, entry)
      if (outcome !== null) outcomes.add(outcome)
    } catch (error) {
      const shed = error instanceof ApiError && error.status === 429
      outcomes.add(callerGone(ctx) ? "caller-gone" : shed ? "overloaded" : "search-failed")
      throw error
    } finally {
      // Until the answer is out the payment is in use: a copy of the request must not get another one.
      whenSent(ctx.res, leave)
    }
  }

  async function readRequest(ctx: Context): Promise<PreparedSearch> {
    try {
      await readBody(ctx, async () => {})
      return parts.read(ctx.state.body)
    } catch (error) {
      outcomes.add("bad-request")
      throw error
    }
  }

  /** @returns how it ended; null when that is told once the answer is sent */
  async function serve(ctx: Context, purchase: Purchase, entry: Entry | null): Promise<X402Outcome | null> {
    if (entry?.state === "settled") {
      deliver(ctx, purchase, { answer: entry.answer!, receipt: entry.receipt!, again: true })
      return null
    }
    if (entry !== null) {
      return finish(ctx, purchase, { answer: entry.answer!, since: entry.since, doubt: true })
    }
    parts.check()
    const verified = await timed(purchase, "verifyMs", () => parts.facilitator.verify(purchase.payment))
    if (verified.kind === "unavailable") {
      ctx.state.log.warn({ err: verified.error }, "a payment could not be checked")
      const why = "The payment cannot be checked right now; nothing was charged."
      sayLater(ctx, 503, "payment_service_unavailable", why)
      return "facilitator-unavailable"
    }
    if (verified.kind === "invalid") {
      challenge(ctx, verified.reason)
      return "invalid"
    }
    const answer = JSON.stringify(await timed(purchase, "searchMs", () => doSearch(ctx, purchase.prepared)))
    if (callerGone(ctx)) return "caller-gone"
    const { id, version, authorization } = purchase.payment
    const facts = {
      validBefore: Number(authorization.validBefore),
      authorization: JSON.stringify({ version, ...authorization }),
      answer,
    }
    if (!ledger.begin({ id, fingerprint: purchase.fingerprint }, facts)) {
      sayLater(ctx, 409, "payment_in_progress", "Another process is working on this payment; retry with it.")
      return "in-progress"
    }
    return finish(ctx, purchase, { answer, since: Date.now(), doubt: false })
  }

  async function doSearch(ctx: Context, prepared: PreparedSearch) {
    const late = AbortSignal.timeout(SEARCH_MS)
    try {
      return await performSearch(prepared, ctx, parts.search, AbortSignal.any([clientGone(ctx), late]))
    } catch (error) {
      if (!late.aborted) throw error
      throw new ApiError(
        503,
        "The search took too long. Nothing was charged; try again with the same payment.",
      )
    }
  }

  /** Settles, and answers by how that ended. The ledger has the payment as `settling`. */
  async function finish(
    ctx: Context,
    purchase: Purchase,
    { answer, ...started }: { answer: string; since: number; doubt: boolean },
  ): Promise<X402Outcome | null> {
    const { payment } = purchase
    const { id } = payment
    let settlement: Settlement
    try {
      settlement = await timed(purchase, "settleMs", () => settlePayment(payment, started, parts))
      if (settlement.kind === "settled") {
        ledger.settled(id, receiptOf(payment, settlement.transaction), purchase.times)
      } else if (settlement.kind === "refused") ledger.forget(id)
      else ledger.unknown(id)
    } catch (error) {
      ledger.unknown(id)
      throw error
    }
    const payer = payment.authorization.from.toLowerCase()
    if (settlement.kind === "settled") {
      payers.settled(payer)
      deliver(ctx, purchase, {
        answer,
        receipt: receiptOf(payment, settlement.transaction),
        again: started.doubt,
      })
      return null
    }
    if (settlement.kind === "refused") {
      if (settlement.withoutCover) payers.withoutCover(payer)
      challenge(ctx, settlement.reason)
      setReceipt(ctx, payment, { success: false, errorReason: settlement.reason, transaction: "" })
      logPayment("refused", purchase)
      return "refused"
    }
    const sent = settlement.transaction === undefined ? "" : ` (transaction ${settlement.transaction})`
    const what = `Whether the payment was settled is not known yet${sent}.`
    const advice =
      "Retry the same request with the same payment, and sign no new one: you will not be charged twice."
    sayLater(ctx, 503, "settlement_unknown", `${what} ${advice}`)
    logPayment("unknown", purchase, settlement.transaction)
    return "unknown"
  }

  function receiptOf({ authorization, version }: Payment, transaction: string): Receipt {
    const { network, asset, payTo } = terms.requirements
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

  function deliver(
    ctx: Context,
    purchase: Purchase,
    { answer, receipt, again }: { answer: string; receipt: Receipt; again: boolean },
  ): void {
    const { payment } = purchase
    ctx.status = 200
    ctx.type = "application/json; charset=utf-8"
    ctx.body = answer
    ctx.set("Cache-Control", "private, no-store")
    setReceipt(ctx, payment, { success: true, transaction: receipt.transaction })
    whenSent(ctx.res, (arrived) => {
      if (arrived) ledger.delivered(payment.id)
      const outcome = arrived ? (again ? "delivered-later" : "sold") : "sold-undelivered"
      outcomes.add(outcome)
      logPayment(outcome, purchase, receipt.transaction)
    })
  }

  function challenge(ctx: Context, error: string): void {
    ctx.status = 402
    ctx.set("PAYMENT-REQUIRED", base64(terms.challenge(error)))
    // The body is what clients of version 1 read.
    ctx.body =
      terms.requirementsV1 === null
        ? envelope(error)
        : { x402Version: 1, error, accepts: [terms.requirementsV1] }
  }

  function setReceipt(
    ctx: Context,
    { version, authorization, requirements }: Payment,
    result: { success: boolean; transaction: string; errorReason?: string },
  ): void {
    const header = version === 2 ? "PAYMENT-RESPONSE" : "X-PAYMENT-RESPONSE"
    ctx.set(header, base64({ ...result, network: requirements["network"], payer: authorization.from }))
  }

  function logPayment(outcome: X402Outcome, { payment, times }: Purchase, tx?: string): void {
    const { id, version, authorization } = payment
    const rounded = Object.fromEntries(Object.entries(times).map(([step, ms]) => [step, Math.round(ms)]))
    parts.log.info(
      { payment: id, transaction: tx, amount: authorization.value, version, outcome, ...rounded },
      "payment",
    )
  }
}

/** Refuses for now; a payer keeps the payment and comes again. */
function sayLater(ctx: Context, status: number, code: string, message: string): void {
  ctx.status = status
  ctx.set("Retry-After", String(status === 409 ? 1 : RETRY_SECONDS))
  ctx.body = { ...envelope(message), error: code }
}

/** The same authorization, signature and search make the same purchase, in whatever order the fields came. */
function fingerprintOf(payment: Payment, { request }: PreparedSearch): string {
  return createHash("sha256")
    .update(`${payment.digest} ${JSON.stringify(request)}`)
    .digest("hex")
}

async function timed<T>(
  { times }: Purchase,
  step: keyof Purchase["times"],
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    times[step] = performance.now() - start
  }
}

/** Calls back once the answer has left this process, or cannot any more. */
function whenSent(response: ServerResponse, then: (arrived: boolean) => void): void {
  if (response.destroyed || response.closed) then(response.writableFinished)
  else response.once("close", () => then(response.writableFinished))
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

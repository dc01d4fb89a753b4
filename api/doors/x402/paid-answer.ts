import type { ServerResponse } from "node:http"

import type { Context } from "../../context.ts"
import { envelope } from "../../errors.ts"
import type { Payment } from "./payment.ts"
import type { ComeAgain } from "./refusals.ts"
import type { Terms } from "./terms.ts"

/** 402: what a search costs, and why the payment that came, if any, does not do. */
export function challenge(ctx: Context, terms: Terms, error: string): void {
  ctx.status = 402
  ctx.set("PAYMENT-REQUIRED", base64(terms.challenge(error)))
  // The body is what clients of version 1 read.
  ctx.body =
    terms.requirementsV1 === null
      ? envelope(error)
      : { x402Version: 1, error, accepts: [terms.requirementsV1] }
}

/** Refuses for now; the payer keeps the payment and comes again. */
export function sayLater(ctx: Context, { status, code, message, after }: ComeAgain): void {
  ctx.status = status
  ctx.set("Retry-After", String(after))
  ctx.body = { ...envelope(message), error: code }
}

/** The search's answer, a JSON text. It is for the payer alone. */
export function deliver(ctx: Context, answer: string): void {
  ctx.status = 200
  ctx.type = "application/json; charset=utf-8"
  ctx.body = answer
  ctx.set("Cache-Control", "private, no-store")
}

/** The header that says what became of the payment, in the payer's version of the protocol. */
export function setReceipt(
  ctx: Context,
  { version, authorization, requirements }: Payment,
  result: { success: boolean; transaction: string; errorReason?: string },
): void {
  const header = version === 2 ? "PAYMENT-RESPONSE" : "X-PAYMENT-RESPONSE"
  ctx.set(header, base64({ ...result, network: requirements["network"], payer: authorization.from }))
}

/** Calls back once the answer has left this process, or cannot any more. */
export function whenSent(response: ServerResponse, then: (arrived: boolean) => void): void {
  if (response.closed) then(response.writableFinished)
  else response.once("close", () => then(response.writableFinished))
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

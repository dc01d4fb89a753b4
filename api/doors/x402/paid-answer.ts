import type { ServerResponse } from "node:http"

import type { Context } from "../../context.ts"
import { envelope } from "../../errors.ts"
import type { Payment } from "./payment.ts"
import type { ComeAgain } from "./refusals.ts"
import type { Terms } from "./terms.ts"

/** Answers with 402: the price of a search, and why the payment sent with the request, if any, isn't accepted. */
export function challenge(ctx: Context, terms: Terms, error: string): void {
  ctx.status = 402
  ctx.set("PAYMENT-REQUIRED", base64(terms.challenge(error)))
  // Clients of version 1 read the body.
  ctx.body =
    terms.requirementsV1 === null
      ? envelope(error)
      : { x402Version: 1, error, accepts: [terms.requirementsV1] }
}

/** Refuses the request for now; the payer keeps the payment and tries again later. */
export function sayLater(ctx: Context, { status, code, message, after }: ComeAgain): void {
  ctx.status = status
  ctx.set("Retry-After", String(after))
  ctx.body = { ...envelope(message), error: code }
}

/** Sends the answer to a search as JSON text, which must not be cached, because it is for the payer alone. */
export function deliver(ctx: Context, answer: string): void {
  ctx.status = 200
  ctx.type = "application/json; charset=utf-8"
  ctx.body = answer
  ctx.set("Cache-Control", "private, no-store")
}

/** Sets the header that reports the outcome of the payment, in the payer's protocol version. */
export function setReceipt(
  ctx: Context,
  { version, authorization, requirements }: Payment,
  result: { success: boolean; transaction: string; errorReason?: string },
): void {
  const header = version === 2 ? "PAYMENT-RESPONSE" : "X-PAYMENT-RESPONSE"
  ctx.set(header, base64({ ...result, network: requirements["network"], payer: authorization.from }))
}

/** Runs the callback once the answer has left this process, or can no longer be sent. */
export function whenSent(response: ServerResponse, then: (arrived: boolean) => void): void {
  if (response.closed) then(response.writableFinished)
  else response.once("close", () => then(response.writableFinished))
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")

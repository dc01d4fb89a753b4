import { request } from "undici"

import { ForeignJsonError, foreignText, parseForeign } from "#base/text/json/foreign-json.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"

import type { X402Config } from "../settings.ts"
import type { Payment } from "../payment.ts"
import { PAYMENT_REFUSALS } from "../refusals.ts"

/** Maximum size of a response. */
const MAX_ANSWER = 64 * 1024

export type Verified =
  | { readonly kind: "valid" }
  /** `reason` is a code from the protocol, for the payer. */
  | { readonly kind: "invalid"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly error: Error }

export type Settled =
  | { readonly kind: "settled"; readonly transaction: string }
  /** Nothing was paid, and nothing will be. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Money may have moved, or might still. `transaction` is set if one was sent to the network. */
  | {
      readonly kind: "unknown"
      readonly error: Error
      readonly reason?: string
      readonly transaction?: string
    }

/** Verifies payments and submits them to the network. Failures are values; the facilitator's messages go to the log, not to payers. */
export interface Facilitator {
  verify(payment: Payment): Promise<Verified>
  /** Can be called again for the same payment: because of the nonce, the network carries it out only once. */
  settle(payment: Payment): Promise<Settled>
}

/**
 * A facilitator over HTTP (x402 specification, "Facilitator interface").
 *
 * The client of @x402/core isn't used because it turns a broken connection into an answer for payers, follows
 * redirects, has a single deadline for all calls, and uses a public facilitator by default.
 */
export function httpFacilitator(
  config: Pick<
    X402Config,
    "facilitatorUrl" | "verifyTimeoutMs" | "settleTimeoutMs" | "verifyBearer" | "settleBearer"
  >,
): Facilitator {
  const { facilitatorUrl: url } = config
  return {
    async verify(payment) {
      const answer = await ask(`${url}/verify`, payment, config.verifyTimeoutMs, config.verifyBearer)
      if (answer instanceof Error) return { kind: "unavailable", error: answer }
      const { isValid, invalidReason } = answer
      if (isValid === true) return { kind: "valid" }
      if (isValid === false)
        return { kind: "invalid", reason: code(invalidReason) ?? PAYMENT_REFUSALS.invalid }
      return {
        kind: "unavailable",
        error: new Error("the facilitator's answer doesn't say whether the payment is valid"),
      }
    },
    async settle(payment) {
      const answer = await ask(`${url}/settle`, payment, config.settleTimeoutMs, config.settleBearer)
      return answer instanceof Error ? { kind: "unknown", error: answer } : settled(answer)
    },
  }
}

function settled({ success, transaction, errorReason }: Readonly<Record<string, unknown>>): Settled {
  const sent = typeof transaction === "string" && /^0x[0-9a-fA-F]{64}$/.test(transaction) ? transaction : null
  if (success === true && sent !== null) return { kind: "settled", transaction: sent }
  const reason = code(errorReason)
  if (success === false && reason !== null && !isDoubtful(reason, sent)) return { kind: "refused", reason }
  return {
    kind: "unknown",
    error: new Error(
      `the facilitator doesn't say whether the payment was settled: ${String(errorReason).slice(0, 300)}`,
    ),
    ...(reason !== null && { reason }),
    ...(sent !== null && { transaction: sent }),
  }
}

/**
 * Reasons that don't rule out a transfer: a transaction in progress, a failure that looks the same when it occurs after
 * sending, and a nonce that was already used, possibly by us.
 */
function isDoubtful(reason: string, transaction: string | null): boolean {
  if (reason.endsWith("transaction_failed")) return transaction === null
  return /pending|timeout|unexpected|unknown|nonce|event_mismatch|conflict|replay/.test(reason)
}

/** Returns `reason` if it is a code, or null if it is any other text: facilitators also put exception messages there. */
const code = (reason: unknown): string | null =>
  typeof reason === "string" && /^[a-z0-9_]{1,100}$/i.test(reason) ? reason : null

/** The object in the response, or the reason there is none. */
async function ask(
  url: string,
  payment: Payment,
  timeoutMs: number,
  bearer: string,
): Promise<Readonly<Record<string, unknown>> | Error> {
  try {
    const { statusCode, body } = await request(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        ...(bearer !== "" && { Authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({
        x402Version: payment.version,
        paymentPayload: payment.payload,
        paymentRequirements: payment.requirements,
      }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    noteOutbound("payments", new URL(url).host)
    const text = await foreignText(body as AsyncIterable<Buffer>, MAX_ANSWER)
    // A refusal can be sent with status 400 or 402 and the answer in the body. A failure of the facilitator leaves the
    // outcome open.
    if (statusCode >= 500 || statusCode === 429) return new Error(`HTTP ${statusCode}: ${text.slice(0, 300)}`)
    const answer: unknown = parseForeign(text)
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      return new Error(`HTTP ${statusCode} with JSON that is not an object`)
    }
    return answer as Readonly<Record<string, unknown>>
  } catch (error) {
    if (error instanceof ForeignJsonError) return new Error(`the answer ${error.message}`)
    return error instanceof Error ? error : new Error(String(error))
  }
}

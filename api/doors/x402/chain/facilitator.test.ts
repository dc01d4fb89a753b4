import type { IncomingHttpHeaders } from "node:http"
import { json } from "node:stream/consumers"

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { talkedTo } from "#base/outbound/testing/talked-to.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import type { Payment } from "../payment.ts"
import { type Facilitator, httpFacilitator } from "./facilitator.ts"

const PAYMENT = {
  version: 2,
  payload: { signature: "0x1" },
  requirements: { amount: "10000" },
} as unknown as Payment
const HASH = `0x${"aB".repeat(32)}`

let said: { status?: number; text: string | null } = { text: "{}" }
let asked: { path: string; headers: IncomingHttpHeaders; body: unknown }[] = []
let facilitator: Facilitator

let server: TestSite

const at = (more: object = {}) =>
  httpFacilitator({
    facilitatorUrl: server.url("/base"),
    verifyTimeoutMs: 60_000,
    settleTimeoutMs: 60_000,
    verifyBearer: "",
    settleBearer: "",
    ...more,
  })
const says = (answer: unknown, status = 200) => {
  said = { status, text: JSON.stringify(answer) }
}

beforeAll(async () => {
  server = await startTestSite({
    "*": async (request, response) => {
      const body: unknown = await json(request)
      asked.push({ path: `${request.method} ${request.url}`, headers: request.headers, body })
      if (said.text !== null) response.writeHead(said.status ?? 200).end(said.text)
    },
  })
})

afterAll(() => server[Symbol.asyncDispose]())

beforeEach(() => {
  asked = []
  facilitator = at()
})

describe("a facilitator", () => {
  test("gets the payment and the terms, and a separate token for each call", async () => {
    says({ isValid: true })
    await facilitator.verify(PAYMENT)
    await facilitator.settle(PAYMENT)
    const body = {
      x402Version: 2,
      paymentPayload: PAYMENT.payload,
      paymentRequirements: PAYMENT.requirements,
    }
    expect(asked.map(({ path }) => path)).toEqual(["POST /base/verify", "POST /base/settle"])
    for (const one of asked) {
      expect(one.body).toEqual(body)
      expect(one.headers).toMatchObject({ "content-type": "application/json", accept: "application/json" })
      expect(one.headers).not.toHaveProperty("authorization")
    }
    const trusted = at({ verifyBearer: "v", settleBearer: "s" })
    await trusted.verify(PAYMENT)
    await trusted.settle(PAYMENT)
    expect(asked.slice(2).map(({ headers }) => headers.authorization)).toEqual(["Bearer v", "Bearer s"])
  })

  test.each([
    [{ status: 500, text: '{"isValid":true,"success":true}' }, /^HTTP 500: \{"isValid"/],
    [{ status: 503, text: "y".repeat(400) }, /^HTTP 503: y{300}$/],
    [{ status: 429, text: "slow down" }, /^HTTP 429: slow down$/],
    [{ text: "[]" }, /^HTTP 200 with JSON that is not an object$/],
    [{ text: "null" }, /not an object$/],
    [{ text: "1" }, /not an object$/],
    [{ text: "<html>" }, /JSON/],
    [{ text: `"${"x".repeat(65_535)}"` }, /^the answer has more than 65536 bytes$/],
    [{ text: `"${"x".repeat(65_534)}"` }, /not an object$/],
  ])("that answers %o decides nothing", async (answer, message) => {
    said = answer
    expect(await facilitator.verify(PAYMENT)).toEqual({
      kind: "unavailable",
      error: expect.objectContaining({ message: expect.stringMatching(message) }),
    })
    expect(await facilitator.settle(PAYMENT)).toEqual({
      kind: "unknown",
      error: expect.objectContaining({ message: expect.stringMatching(message) }),
    })
  })

  test("appears among the operator's outbound hosts, for payments", async () => {
    says({ isValid: true })
    await facilitator.verify(PAYMENT)
    expect(await talkedTo()).toContain(`payments ${server.authority}`)
  })

  test("that does not answer in time decides nothing", async () => {
    said = { text: null }
    const hasty = at({ verifyTimeoutMs: 1, settleTimeoutMs: 1 })
    expect(await hasty.verify(PAYMENT)).toMatchObject({ kind: "unavailable" })
    expect(await hasty.settle(PAYMENT)).toMatchObject({ kind: "unknown" })
  })
})

test.each<[object, number, object]>([
  [{ isValid: true }, 200, { kind: "valid" }],
  [{ isValid: false, invalidReason: "expired" }, 200, { kind: "invalid", reason: "expired" }],
  // A refusal can come with an HTTP error status.
  [{ isValid: false, invalidReason: "Expired_1" }, 400, { kind: "invalid", reason: "Expired_1" }],
  [{ isValid: false, invalidReason: "expired" }, 499, { kind: "invalid", reason: "expired" }],
  [{ isValid: false }, 200, { kind: "invalid", reason: "payment_invalid" }],
  [
    { isValid: false, invalidReason: "at /srv/secret.js:1" },
    200,
    { kind: "invalid", reason: "payment_invalid" },
  ],
  [{ isValid: false, invalidReason: "x".repeat(100) }, 200, { kind: "invalid", reason: "x".repeat(100) }],
  [{ isValid: false, invalidReason: "x".repeat(101) }, 200, { kind: "invalid", reason: "payment_invalid" }],
  [{ isValid: false, invalidReason: "" }, 200, { kind: "invalid", reason: "payment_invalid" }],
  [{ isValid: false, invalidReason: ["expired"] }, 200, { kind: "invalid", reason: "payment_invalid" }],
  [{ isValid: false, invalidReason: 7 }, 200, { kind: "invalid", reason: "payment_invalid" }],
  [
    { isValid: "true" },
    200,
    {
      kind: "unavailable",
      error: expect.objectContaining({
        message: "the facilitator's answer doesn't say whether the payment is valid",
      }),
    },
  ],
])("verification: %o with status %d means %o", async (answer, status, verified) => {
  says(answer, status)
  expect(await facilitator.verify(PAYMENT)).toEqual(verified)
})

describe("settlement by a facilitator", () => {
  const no = (errorReason: unknown, transaction: unknown = "") => ({
    success: false,
    errorReason,
    transaction,
  })

  test("is done when there is a transaction", async () => {
    says({ success: true, transaction: HASH })
    expect(await facilitator.settle(PAYMENT)).toEqual({ kind: "settled", transaction: HASH })
  })

  test.each([
    [no("insufficient_funds"), "insufficient_funds"],
    [no("insufficient_funds", HASH), "insufficient_funds"],
    // The transaction was sent, and the network reports that it failed.
    [no("transaction_failed", HASH), "transaction_failed"],
    [no("invalid_transaction_failed", HASH), "invalid_transaction_failed"],
  ])("is refused by %o", async (answer, reason) => {
    says(answer)
    expect(await facilitator.settle(PAYMENT)).toEqual({ kind: "refused", reason })
  })

  test.each<[object, object]>([
    [{ success: true, transaction: `${HASH}0` }, {}],
    [{ success: true, transaction: `x${HASH}` }, {}],
    [{ success: true, transaction: 7 }, {}],
    [{ success: true, transaction: [HASH] }, {}],
    [{ success: true }, {}],
    [{}, {}],
    [{ success: "true", transaction: HASH }, { transaction: HASH }],
    [{ success: "false", errorReason: "insufficient_funds" }, { reason: "insufficient_funds" }],
    [no("the node said: secret"), {}],
    [no("transaction_failed"), { reason: "transaction_failed" }],
    [no("invalid_transaction_failed"), { reason: "invalid_transaction_failed" }],
    ...["pending", "timeout", "unexpected", "unknown", "nonce", "event_mismatch", "conflict", "replay"].map(
      (word) =>
        [no(`it_${word}_is`, HASH), { reason: `it_${word}_is`, transaction: HASH }] as [object, object],
    ),
  ])("is left open by %o", async (answer, more) => {
    says(answer)
    const { errorReason } = answer as { errorReason?: string }
    const message = `the facilitator doesn't say whether the payment was settled: ${errorReason}`
    expect(await facilitator.settle(PAYMENT)).toEqual({
      kind: "unknown",
      error: expect.objectContaining({ message }),
      ...more,
    })
  })

  test("shortens long error messages", async () => {
    says(no("very long ".repeat(90)))
    const settled = await facilitator.settle(PAYMENT)
    expect(settled.kind === "unknown" && settled.error.message.length).toBe(
      "the facilitator doesn't say whether the payment was settled: ".length + 300,
    )
  })
})

import { pino } from "pino"
import { expect, test } from "vitest"

import type { Context } from "../../../context.ts"
import type { Entry } from "../books/payment-ledger.ts"
import type { OnChain } from "../chain/chain.ts"
import { carryOut, type PurchaseParts } from "./carry-out.ts"
import type { Purchase } from "./purchase.ts"

// Rare sequences of events in a purchase; the others are in trouble.test.ts.

const PURCHASE = {
  payment: {
    id: "net/asset/from/nonce",
    version: 2,
    authorization: { from: "0xPayer" },
    requirements: { network: "net" },
  },
  fingerprint: "f",
  times: { verifyMs: 0, searchMs: 0, settleMs: 0 },
} as unknown as Purchase

/** A purchase with defaults for the parts not tested here, and a record of the calls to its parts. */
function purchase({ isFull = false, seen }: { readonly isFull?: boolean; readonly seen?: OnChain } = {}) {
  const asked: string[] = []
  const ctx = {
    status: 404,
    body: null as unknown,
    headers: {} as Record<string, string>,
    set: (name: string, value: string) => void (ctx.headers[name] = value),
    res: { once: (event: string) => void asked.push(`once ${event}`) },
  }
  const parts = {
    ledger: {
      isFull: () => isFull,
      unknown: (id: string) => void asked.push(`unknown ${id}`),
      settled: (id: string) => void asked.push(`settled ${id}`),
      forget: (id: string) => void asked.push(`forget ${id}`),
    },
    payers: {
      settled: (payer: string) => void asked.push(`${payer} paid`),
      withoutCover: (payer: string) => void asked.push(`${payer} without cover`),
    },
    terms: { requirements: {}, requirementsV1: null, challenge: (error: string) => ({ error }) },
    facilitator: {
      verify: () => Promise.reject(new Error("it is not to be asked")),
      settle: () => Promise.reject(new TypeError("a fault of ours")),
    },
    chain: seen === undefined ? null : { look: async () => seen },
    check: () => void asked.push("check"),
    memory: { enter: () => ({ [Symbol.dispose]: () => {} }) },
    log: pino({ enabled: false }),
  } as unknown as PurchaseParts
  const end = (entry: Entry | null) => carryOut(ctx as unknown as Context, PURCHASE, entry, parts)
  return { ctx, asked, end }
}

test("a full ledger accepts no new payment: it is not checked, and its payer can retry", async () => {
  const { ctx, asked, end } = purchase({ isFull: true })
  expect(await end(null)).toEqual({ kind: "refused", outcome: "overloaded" })
  expect(ctx).toMatchObject({
    status: 503,
    body: { error: "payment_service_unavailable" },
    headers: { "Retry-After": expect.stringMatching(/^\d+$/) },
  })
  expect(JSON.stringify(ctx.body)).toContain(
    "Too many payments are waiting to be settled; nothing was charged.",
  )
  // Places and memory are checked first.
  expect(asked).toEqual(["check", "once close"])
})

const OPEN = { state: "settling", answer: "{}", since: 1, receipt: null } as unknown as Entry

test("raises trust in a payer who paid, lowers it for one without cover, and keeps it for one whose time expired", async () => {
  const ID = "net/asset/from/nonce"
  const paid = purchase({ seen: { kind: "paid", transaction: "0x1" } })
  expect(await paid.end(OPEN)).toMatchObject({ kind: "answered" })
  expect(paid.asked).toEqual([`settled ${ID}`, "0xpayer paid", "once close"])
  const ended = async (because: Extract<OnChain, { kind: "dead" }>["because"]) => {
    const { ctx, asked, end } = purchase({ seen: { kind: "dead", because } })
    expect(await end(OPEN)).toEqual({ kind: "refused", outcome: "refused" })
    expect(ctx.status).toBe(402)
    return asked
  }
  expect(await ended("no-balance")).toEqual([`forget ${ID}`, "0xpayer without cover"])
  expect(await ended("expired")).toEqual([`forget ${ID}`])
})

test("an error while a payment is settled leaves it open for a retry, and is reported as an error", async () => {
  const { asked, end } = purchase()
  await expect(end(OPEN)).rejects.toThrow("a fault of ours")
  expect(asked).toEqual(["unknown net/asset/from/nonce"])
})

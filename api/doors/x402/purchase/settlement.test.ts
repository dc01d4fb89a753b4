import { pino } from "pino"
import { describe, expect, test } from "vitest"

import type { Chain, OnChain } from "../chain/chain.ts"
import type { Facilitator } from "../chain/facilitator.ts"
import type { Payment } from "../payment.ts"
import { settlePayment } from "./settlement.ts"

type Answer = Awaited<ReturnType<Facilitator["settle"]>>

const payment = { id: "net/asset/from/nonce", authorization: {} } as Payment
const paid: OnChain = { kind: "paid", transaction: "0xpaid" }
const open: OnChain = { kind: "open" }
const lost: Answer = { kind: "unknown", error: new Error("socket hang up") }
const no = (reason: string): Answer => ({ kind: "refused", reason })

let logged: object[] = []
const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })

/** Settles a payment while the facilitator and the network give these replies, in order. Returns the outcome and the calls made. */
async function settle(answers: readonly Answer[], seen: readonly OnChain[] | null, doubt = false) {
  const asked: string[] = []
  logged = []
  const [left, looks] = [[...answers], [...(seen ?? [])]]
  const facilitator = {
    settle: async () => {
      asked.push("settle")
      return left.shift()!
    },
  } as unknown as Facilitator
  const chain: Chain | null = seen && {
    look: async () => {
      asked.push("look")
      return looks.shift()!
    },
  }
  const end = await settlePayment(payment, { since: 0, doubt }, { facilitator, chain, log })
  return { end, asked }
}

describe("a payment is settled", () => {
  test("when the facilitator says so", async () => {
    const answer: Answer = { kind: "settled", transaction: "0x1" }
    expect(await settle([answer], [])).toEqual({ end: answer, asked: ["settle"] })
    expect(await settle([lost, answer], null)).toEqual({ end: answer, asked: ["settle", "settle"] })
    expect(await settle([lost, answer], [open])).toEqual({ end: answer, asked: ["settle", "look", "settle"] })
  })

  test("when its answer is lost and the network has it", async () => {
    const end = { kind: "settled", transaction: "0xpaid" }
    expect(await settle([lost], [paid])).toEqual({ end, asked: ["settle", "look"] })
    expect(await settle([lost, lost], [open, paid])).toMatchObject({ end })
    // The second attempt finds the authorization already used by the first.
    expect(await settle([lost, no("nonce used")], [open, paid])).toMatchObject({ end })
  })

  test("without another attempt if an earlier one succeeded", async () => {
    expect(await settle([], [paid], true)).toEqual({
      end: { kind: "settled", transaction: "0xpaid" },
      asked: ["look"],
    })
  })
})

describe("a refusal counts", () => {
  test.each([
    ["insufficient_funds", true],
    ["Insufficient balance", true],
    ["invalid_signature", false],
  ])("when nothing was left open before it: %s", async (reason, withoutCover) => {
    expect(await settle([no(reason)], [])).toEqual({
      end: { kind: "refused", reason, withoutCover },
      asked: ["settle"],
    })
  })

  test.each([
    ["spent-elsewhere", "invalid_exact_evm_nonce_already_used", false],
    ["expired", "invalid_exact_evm_payload_authorization_valid_before", false],
    ["no-balance", "invalid_exact_evm_insufficient_balance", true],
  ] as const)(
    "when the network says that it cannot be paid any more: %s",
    async (because, reason, withoutCover) => {
      const dead: OnChain = { kind: "dead", because }
      const end = { kind: "refused", reason, withoutCover }
      expect(await settle([lost], [dead])).toEqual({ end, asked: ["settle", "look"] })
      expect(await settle([], [dead], true)).toEqual({ end, asked: ["look"] })
      // The reason is in the facilitator's own words if it gave one.
      expect(await settle([lost, no("so it is")], [open, dead])).toMatchObject({
        end: { ...end, reason: "so it is" },
      })
    },
  )

  test("for nothing after an attempt that was left open: the payer would sign again, and pay twice", async () => {
    expect(await settle([lost, no("nonce used")], null)).toStrictEqual({
      end: { kind: "unknown" },
      asked: ["settle", "settle"],
    })
    // Only the unknown outcome is logged, not the refusal.
    expect(logged).toHaveLength(1)
    expect(await settle([no("nonce used"), no("nonce used")], [open, open, open], true)).toEqual({
      end: { kind: "unknown" },
      asked: ["look", "settle", "look", "settle", "look"],
    })
  })
})

test("reports an unknown outcome with the last transaction sent", async () => {
  const sent = (transaction?: string): Answer => ({ ...lost, ...(transaction && { transaction }) })
  const unreachable: OnChain = { kind: "unreachable", error: new Error("no node") }
  expect(await settle([lost, lost], [unreachable, unreachable])).toEqual({
    end: { kind: "unknown" },
    asked: ["settle", "look", "settle", "look"],
  })
  // The operator sees the reason.
  const open = {
    level: 40,
    payment: payment.id,
    err: { message: "socket hang up" },
    msg: "the outcome of a settlement is unknown",
  }
  const unasked = { ...open, err: { message: "no node" }, msg: "the network cannot be queried" }
  expect(logged).toMatchObject([open, unasked, open, unasked])
  expect(await settle([sent("0x1"), sent()], null)).toMatchObject({ end: { transaction: "0x1" } })
  expect(logged).toMatchObject([open, open].map((line) => ({ ...line, transaction: "0x1" })))
  expect(await settle([sent("0x1"), sent("0x2")], null)).toMatchObject({ end: { transaction: "0x2" } })
})

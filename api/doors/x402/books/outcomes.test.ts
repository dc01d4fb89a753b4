import { expect, test } from "vitest"

import { salesAsCsv } from "./csv.ts"
import { OutcomeCounts, X402_OUTCOMES } from "./outcomes.ts"

test("every outcome has an explanation, and those that look like a loss say that nothing was charged", () => {
  const words = Object.values(X402_OUTCOMES)
  expect(words.filter((text) => !/^[a-z].* .*[a-z]$/.test(text))).toEqual([])
  expect(new Set(words).size).toBe(words.length)
  const free = Object.entries(X402_OUTCOMES).filter(([, text]) => text.endsWith("; nothing was charged"))
  expect(free.map(([outcome]) => outcome)).toEqual([
    "bad-request",
    "facilitator-unavailable",
    "search-failed",
    "overloaded",
    "caller-gone",
    "refused",
  ])
})

test("outcomes are counted since the start, and each count is handed out for writing once", () => {
  const counts = new OutcomeCounts()
  for (const outcome of ["sold", "unpaid", "unpaid"] as const) counts.add(outcome)
  expect([...counts.take()]).toEqual([
    ["sold", 1],
    ["unpaid", 2],
  ])
  expect([...counts.take()]).toEqual([])
  counts.add("unpaid")
  expect([...counts.take()]).toEqual([["unpaid", 1]])
  expect(counts.total).toEqual(
    new Map([
      ["sold", 1],
      ["unpaid", 3],
    ]),
  )
})

test("sales are exported as a table for bookkeepers, including undelivered ones", async () => {
  const sale = {
    at: "2026-01-31T12:00:00.000Z",
    usd: "0.010000",
    network: "eip155:8453",
    asset: "0xasset",
    payer: "0xpayer",
    payTo: "0xpayee",
    transaction: "0xabc",
    deliveredAt: null,
  } as unknown as Parameters<typeof salesAsCsv>[0] extends AsyncIterable<infer Sale> ? Sale : never
  const sales = async function* () {
    yield* [sale, { ...sale, deliveredAt: "2026-01-31T12:00:01.000Z" }]
  }
  const lines = await Array.fromAsync(salesAsCsv(sales()))
  const first = "2026-01-31T12:00:00.000Z,0.010000,eip155:8453,0xasset,0xpayer,0xpayee,0xabc,"
  expect(lines).toEqual([
    "at,amount_usd,network,asset,payer,pay_to,transaction,delivered_at\r\n",
    `${first}\r\n`,
    `${first}2026-01-31T12:00:01.000Z\r\n`,
  ])
})

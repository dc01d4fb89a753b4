import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { pino } from "pino"
import { afterEach, beforeEach, expect, test } from "vitest"

import type { Chain } from "../chain/chain.ts"
import type { Authorization } from "../payment.ts"
import { paymentTerms, type Terms } from "../terms.ts"
import { type Ledger, openLedger } from "./payment-ledger.ts"
import { reconcile } from "./reconcile.ts"

// The network's replies are simulated here; chain.test.ts tests the queries to a node.

const PAYEE = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const AUTHORIZATION = {
  from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  to: PAYEE,
  value: "10000",
  validAfter: "0",
  validBefore: "2000",
  nonce: `0x${"ab".repeat(32)}`,
  version: 2,
} as const satisfies Authorization & { version: 2 }
type Seen = Awaited<ReturnType<Chain["look"]>>

let dataDir: string
let terms: Terms
let ledger: Ledger
let logged: { readonly payment?: string; readonly found?: string; readonly msg: string }[]

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "fossick-reconcile-"))
  terms = await paymentTerms({
    network: "eip155:84532",
    payTo: PAYEE,
    publicUrl: "https://search.example",
    v1: true,
  })
  ledger = await openLedger(dataDir)
  logged = []
  for (const id of ["one", "two"]) {
    const facts = {
      validBefore: Math.floor(Date.now() / 1000) + 120,
      authorization: JSON.stringify(AUTHORIZATION),
      answer: `{"results":["${id}"]}`,
    }
    await ledger.begin({ id, fingerprint: "f" }, facts)
    await ledger.unknown(id)
  }
})
afterEach(() => {
  ledger[Symbol.dispose]()
  rmSync(dataDir, { recursive: true })
})

/** Looks up both payments while the network gives this reply. */
async function lookUp(look: (times: number) => Promise<Seen>) {
  const asked: unknown[] = []
  const chain = {
    look: (authorization: unknown, since: unknown) => look(asked.push([authorization, since])),
  } as unknown as Chain
  const write = (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number])
  await reconcile({ ledger, chain, terms, log: pino({}, { write }) })
  return asked
}
const states = () => Promise.all(["one", "two"].map(async (id) => (await ledger.get(id))?.state))

test("keeps a payment that arrived for its payer, with its answer, and forgets one that can no longer arrive", async () => {
  const since = (await ledger.unsettled()).map((one) => one.since)
  const asked = await lookUp(async (times) =>
    times === 1 ? { kind: "paid", transaction: "0xabc" } : { kind: "dead", because: "expired" },
  )
  expect(asked).toEqual(since.map((time) => [AUTHORIZATION, time]))
  expect(await states()).toEqual(["settled", undefined])
  const { network, asset, payTo } = terms.requirements
  expect(await ledger.get("one")).toMatchObject({
    answer: '{"results":["one"]}',
    receipt: {
      transaction: "0xabc",
      network,
      asset,
      payTo,
      payer: AUTHORIZATION.from,
      amount: "10000",
      version: 2,
    },
  })
  expect(await ledger.unsettled()).toEqual([])
  expect(logged).toMatchObject([
    { payment: "one", found: "paid", msg: "an open payment was looked up" },
    { payment: "two", found: "dead" },
  ])
})

test("asks again next time about payments that are open or could not be checked", async () => {
  await lookUp(async (times) =>
    times === 1 ? { kind: "open" } : { kind: "unreachable", error: new Error("no node") },
  )
  expect([await states(), logged]).toEqual([["unknown", "unknown"], []])
  expect(await lookUp(async () => ({ kind: "open" }))).toHaveLength(2)
})

test.each<Seen>([
  { kind: "paid", transaction: "0xabc" },
  { kind: "dead", because: "no-balance" },
])("leaves a payment to a payer who comes back meanwhile: $kind", async (seen) => {
  await lookUp(async (times) => {
    if (times === 1) for (const id of ["one", "two"]) await ledger.resume(id)
    return seen
  })
  expect([await states(), logged]).toEqual([["settling", "settling"], []])
})

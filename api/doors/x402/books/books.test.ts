import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"

import { Router } from "@koa/router"
import Koa from "koa"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { openStateStore } from "#base/store/state-store.ts"

import type { RequestState } from "../../../context.ts"
import { errorEnvelope } from "../../../server/middleware/error-envelope.ts"
import { isDay, openBooks } from "./books.ts"
import { openLedger } from "./payment-ledger.ts"
import { OutcomeCounts } from "./outcomes.ts"
import { paymentRoutes } from "./payment-routes.ts"

const RECEIPT = {
  transaction: `0x${"ab".repeat(32)}`,
  network: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  payTo: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  amount: "10000",
  version: 2,
} as const
const TIMES = { verifyMs: 1.4, searchMs: 20, settleMs: 300 }
const today = new Date().toISOString().slice(0, 10)
const inTwoMinutes = () => Math.floor(Date.now() / 1000) + 120

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fossick-books-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** A ledger with settled payments under these ids. */
async function sold(...ids: readonly string[]) {
  const ledger = await openLedger(dataDir)
  for (const id of ids) {
    await ledger.begin(
      { id, fingerprint: "f" },
      { validBefore: inTwoMinutes(), authorization: "{}", answer: "{}" },
    )
    await ledger.settled(id, RECEIPT, TIMES)
  }
  return ledger
}

describe("the ledger", () => {
  test("keeps an answer from before settlement until it is delivered, across a restart", async () => {
    const purchase = { id: "one", fingerprint: "f" }
    const begun = Date.now()
    {
      using ledger = await openLedger(dataDir)
      const facts = { validBefore: inTwoMinutes(), authorization: "{}", answer: '{"results":[]}' }
      expect(await ledger.begin(purchase, facts)).toBe(true)
      expect(await ledger.begin(purchase, facts)).toBe(false)
      const since = expect.toSatisfy((ms: number) => ms >= begun && ms <= Date.now())
      expect(await ledger.get("one")).toEqual({
        fingerprint: "f",
        state: "settling",
        answer: '{"results":[]}',
        receipt: null,
        since,
      })
      // As long as the process lives, its payment stays in `settling`.
      await ledger.recover()
      expect(await ledger.get("one")).toMatchObject({ state: "settling" })
    }
    {
      using ledger = await openLedger(dataDir)
      expect(await ledger.get("one")).toMatchObject({ state: "unknown", fingerprint: "f" })
      const { since } = (await ledger.get("one"))!
      expect(await ledger.unsettled()).toEqual([{ ...purchase, since, authorization: "{}" }])
      expect([await ledger.resume("one"), await ledger.resume("one")]).toEqual([true, false])
      await ledger.settled("one", RECEIPT, TIMES)
      expect(await ledger.get("one")).toMatchObject({
        state: "settled",
        answer: '{"results":[]}',
        receipt: RECEIPT,
      })
      await ledger.delivered("one")
      expect(await ledger.get("one")).toMatchObject({ state: "settled", answer: null })
      // A late process can't undo a settlement.
      await ledger.unknown("one")
      await ledger.forget("one")
      expect(await ledger.get("one")).toMatchObject({ state: "settled" })
    }
  })

  test("syncs its writes to disk before money can move", async () => {
    // On a PostgreSQL server, durability is the server's job.
    vi.stubEnv("FOSSICK_STATE", "")
    const exec = vi.spyOn(DatabaseSync.prototype, "exec")
    using ledger = await openLedger(dataDir)
    const [db] = exec.mock.contexts as DatabaseSync[]
    exec.mockRestore()
    vi.unstubAllEnvs()
    // SQLite's number for the level "full".
    expect(db!.prepare("pragma synchronous").get()).toEqual({ synchronous: 2 })
    expect(await ledger.isFull()).toBe(false)
  })

  test("releases its folder when it is closed", async () => {
    const ledger = await openLedger(dataDir)
    ledger[Symbol.dispose]()
    await expect(() => ledger.get("one")).rejects.toThrow(/not open|closed/)
  })

  test("is full while too many answers wait for their payers", async () => {
    using ledger = await openLedger(dataDir, 1200)
    const facts = { validBefore: inTwoMinutes(), authorization: "{}", answer: "x".repeat(600) }
    await ledger.begin({ id: "one", fingerprint: "f" }, facts)
    expect(await ledger.isFull()).toBe(false)
    await ledger.begin({ id: "two", fingerprint: "f" }, facts)
    expect(await ledger.isFull()).toBe(true)
    await ledger.delivered("one")
    expect(await ledger.isFull()).toBe(false)
  })

  test("forgets a payment an hour after it expires, and no sooner", async () => {
    using ledger = await openLedger(dataDir)
    const ranOut = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
    for (const [id, ago] of [
      ["old", 3700],
      ["young", 3500],
    ] as const) {
      await ledger.begin(
        { id, fingerprint: "f" },
        { validBefore: ranOut(ago), authorization: "{}", answer: "{}" },
      )
      await ledger.unknown(id)
    }
    await ledger.sweep()
    expect(await ledger.get("old")).toBeNull()
    expect(await ledger.get("young")).toMatchObject({ state: "unknown" })
  })
})

describe("the books", () => {
  test("list a sale once, with its exact amount, and outcomes by day", async () => {
    using ledger = await sold("one", "two", "three")
    await ledger.settled("one", RECEIPT, TIMES)
    await ledger.delivered("one")
    const counts = new OutcomeCounts()
    counts.add("unpaid")
    counts.add("unpaid")
    await ledger.count(counts.take())
    counts.add("unpaid")
    await ledger.count(counts.take())
    await ledger.count(counts.take())
    expect(counts.total.get("unpaid")).toBe(3)

    const db = await openStateStore(dataDir)
    const books = openBooks(db)
    expect(await books.days({})).toEqual([{ day: today, network: "eip155:84532", sales: 3, usd: "0.030000" }])
    expect(await books.outcomes({})).toEqual([{ day: today, outcome: "unpaid", count: 3 }])
    expect(
      (await books.sales({ limit: 10, offset: 0 })).map(({ deliveredAt }) => deliveredAt !== null),
    ).toEqual([false, false, true])
    expect(await books.count({ from: today, to: today })).toBe(3)
    expect(await books.count({ to: "2020-01-01" })).toBe(0)
    expect(await books.count({ from: "2999-01-01" })).toBe(0)
    db.close()
  })

  test("are empty before the first sale", async () => {
    const db = await openStateStore(dataDir)
    const books = openBooks(db)
    expect([
      await books.days({}),
      await books.outcomes({}),
      await books.count({}),
      await books.open(),
    ]).toEqual([[], [], 0, 0])
    db.close()
  })

  test("are shown by fossick payments", async () => {
    ;(await sold("one", "two"))[Symbol.dispose]()
    const run = async (...args: string[]) => {
      const command = join(import.meta.dirname, "../../../../command/fossick.js")
      const { PATH, FOSSICK_STATE } = process.env
      const env = { PATH, FOSSICK_STATE, FOSSICK_DATA_DIR: dataDir }
      return (await promisify(execFile)(process.execPath, [command, "payments", ...args], { env })).stdout
    }
    const [days, csv, refused] = await Promise.all([
      run(),
      run("csv", "--from", today),
      run("days", "--from", "2025-02-30").catch((error: { code: number; stderr: string }) => error),
    ])
    expect(days).toBe(`${today}  eip155:84532       2  USD 0.020000\n`)
    const [header, line, , end] = csv.split("\r\n")
    expect(header).toBe("at,amount_usd,network,asset,payer,pay_to,transaction,delivered_at")
    expect(line?.split(",").slice(1)).toEqual([
      "0.010000",
      RECEIPT.network,
      RECEIPT.asset,
      RECEIPT.payer,
      RECEIPT.payTo,
      RECEIPT.transaction,
      "",
    ])
    expect(end).toBe("")
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--from must be a day of the form YYYY-MM-DD.\n") as unknown,
    })
  })

  test("are served to the console, and as a file", async () => {
    {
      using ledger = await sold("one", "two")
      const facts = { validBefore: inTwoMinutes(), authorization: "{}", answer: "{}" }
      await ledger.begin({ id: "open", fingerprint: "f" }, facts)
    }
    const db = await openStateStore(dataDir)
    const router = new Router<RequestState>({ prefix: "/admin" })
    paymentRoutes(router, { db })
    const app = new Koa<RequestState>()
    app.use(errorEnvelope())
    app.use(router.routes())
    const server = createServer((request, response) => void app.callback()(request, response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/admin${path}`)
    try {
      const { payer, payTo, transaction, network, asset } = RECEIPT
      expect(await (await get("/payments?limit=1&offset=1")).json()).toEqual({
        payments: [
          {
            at: expect.stringMatching(`^${today}T`),
            amount_usd: "0.010000",
            network,
            asset,
            payer,
            pay_to: payTo,
            transaction,
            x402_version: 2,
            delivered_at: null,
            verify_ms: 1,
            search_ms: 20,
            settle_ms: 300,
          },
        ],
        total: 2,
        open: 1,
        limit: 1,
        offset: 1,
      })
      for (const span of ["from=2999-01-01", "to=2020-01-01"])
        expect(await (await get(`/payments?${span}`)).json()).toMatchObject({ payments: [], total: 0 })
      expect(await (await get("/payments/days")).json()).toEqual({
        revenue: [{ day: today, network: "eip155:84532", sales: 2, usd: "0.020000" }],
        outcomes: [],
      })
      const file = await get("/payments.csv")
      expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8")
      expect(file.headers.get("content-disposition")).toBe('attachment; filename="payments.csv"')
      expect((await file.text()).trim().split("\r\n")).toHaveLength(3)
      for (const name of ["from", "to"]) {
        const wrong = await get(`/payments?${name}=yesterday`)
        expect([wrong.status, await wrong.json()]).toEqual([
          400,
          { detail: { error: `Invalid ${name}. Must be a date of the form YYYY-MM-DD.` } },
        ])
      }
    } finally {
      server.closeAllConnections()
      server.close()
      db.close()
    }
  })
})

test("rejects days that are invalid or in another format", () => {
  for (const day of ["2026-01-31", "2024-02-29", "1999-12-01"]) expect([day, isDay(day)]).toEqual([day, true])
  for (const text of [
    "2026-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-1-1",
    "2026-01",
    "2026",
    "+012026-01-01",
    "26-01-01",
    "2026-01-01T",
    "",
    "x2026-01-01",
  ])
    expect([text, isDay(text)]).toEqual([text, false])
})

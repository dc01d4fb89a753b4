import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { join } from "node:path"

import { pino } from "pino"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { openStateStore } from "#base/store/state-store.ts"

import { ApiError } from "../../errors.ts"
import { apiSettings } from "../../settings.ts"
import { openBooks } from "./books/books.ts"
import { openLedger } from "./books/payment-ledger.ts"
import { OutcomeCounts } from "./books/outcomes.ts"
import type { Address } from "./chain/address.ts"
import type { Settled, Verified } from "./chain/facilitator.ts"
import { paidApp } from "./paid-app.ts"
import { soldSearch } from "../tavily/lent/sold-search.ts"
import { paymentTerms } from "./terms.ts"
import { ask, base64, type Flaw, type PaidAnswer, sign } from "./testing/payments.ts"
import { searchOver, StagedEngine } from "./testing/sell.ts"
import { payee, payer, stranger } from "./testing/wallets.ts"

// Tests the ways in which a request can end, with the answers and the records. The facilitator is scripted here;
// trouble.test.ts uses one connected to a network.

const QUESTION = { query: "pumps" }
const HASH = `0x${"ab".repeat(32)}`
const limits = readSettings(apiSettings, {})
const terms = await paymentTerms({
  network: "eip155:84532",
  payTo: payee.address,
  publicUrl: "https://search.example",
  v1: true,
})

async function openDesk() {
  const dataDir = mkdtempSync(join(tmpdir(), "fossick-desk-"))
  const ledger = await openLedger(dataDir)
  const engine = new StagedEngine()
  const outcomes = new OutcomeCounts()
  const lines: { readonly [field: string]: unknown; readonly msg: string }[] = []
  const asked: string[] = []
  const facilitator = {
    verify: async (): Promise<Verified> => ({ kind: "valid" }),
    settle: async (): Promise<Settled> => ({ kind: "settled", transaction: HASH }),
  }
  const room = { check: () => {}, held: 0 }
  let signed = 0
  const app = paidApp({
    terms,
    facilitator: {
      verify: () => (asked.push("verify"), facilitator.verify()),
      settle: () => (asked.push("settle"), facilitator.settle()),
    },
    chain: null,
    ledger,
    outcomes,
    sold: soldSearch(limits),
    search: searchOver(engine),
    check: () => room.check(),
    memory: {
      enter() {
        room.held += 1
        return { hold: () => {}, [Symbol.dispose]: () => void (room.held -= 1) }
      },
    },
    bodyLimit: limits.bodyLimit,
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  })
  const handle = app.callback()
  const [worked, left]: Promise<unknown>[][] = [[], []]
  const server = createServer((incoming, response) => {
    worked!.push(handle(incoming, response))
    left!.push(once(response, "close"))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    ledger,
    engine,
    facilitator,
    room,
    asked,
    /** How requests ended, except those that asked for the terms to sign. */
    ended() {
      const unpaid = (outcomes.total.get("unpaid") ?? 0) - signed
      const { unpaid: _, ...paid } = Object.fromEntries(outcomes.total)
      return { ...paid, ...(unpaid > 0 && { unpaid }) }
    },
    /** Resolves once the server has noticed that every answer was sent or its caller is gone; callers notice this before the server does. */
    left: () => Promise.all(left!),
    /** Also waits until no request is being processed. */
    quiet: () => Promise.all([...worked!, ...left!]),
    logged: (msg: string) => lines.filter((line) => line.msg === msg),
    /** Creates the headers of a new payment. */
    async pay(account = payer, flaw: Flaw = {}) {
      signed += 1
      return (await sign(url, account, flaw)).headers
    },
    /** The last sale, as the operator sees it. */
    async sale() {
      const db = await openStateStore(dataDir)
      const [last] = await openBooks(db).sales({ limit: 1, offset: 0 })
      db.close()
      return last
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
      ledger[Symbol.dispose]()
      rmSync(dataDir, { recursive: true })
    },
  }
}

let desk: Awaited<ReturnType<typeof openDesk>>

beforeEach(async () => {
  desk = await openDesk()
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await desk[Symbol.asyncDispose]()
})

const buy = (headers: Readonly<Record<string, string>>, question: object = QUESTION) =>
  ask(desk.url, question, headers)

/** Sends a request, then hangs up. */
async function hangUp(headers: Readonly<Record<string, string>>, when: Promise<void>): Promise<void> {
  const caller = new AbortController()
  const asking = ask(desk.url, QUESTION, headers, caller.signal)
  await Promise.race([when, asking])
  caller.abort()
  await expect(asking).rejects.toThrow("aborted")
}

/** A point at which code waits: whether that point has been reached, and a function that lets the code continue. */
function hold() {
  const [reached, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const here = async () => {
    reached.resolve()
    await free.promise
  }
  return { here, reached: reached.promise, go: () => free.resolve() }
}

/** The parts of an answer that asks the payer to try again. */
const comeAgain = ({ status, headers, body }: PaidAnswer) => [status, headers.get("retry-after"), body]
const later = (status: number, after: string, error: string, message: string) => [
  status,
  after,
  { detail: { error: message }, error },
]
const IN_PROGRESS = later(
  409,
  "1",
  "payment_in_progress",
  "This payment is being processed; retry the same request with it.",
)
const OPEN = {
  kind: "unknown",
  error: new Error("socket hang up"),
} as const satisfies Settled

describe("a caller who does not pay", () => {
  test("gets the price and counts as unpaid; an invalid payment header counts as unusable", async () => {
    const { status, headers, body, required } = await buy({})
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      402,
      "application/json; charset=utf-8",
      "no-store",
    ])
    const error = "PAYMENT-SIGNATURE header is required"
    expect(body).toEqual({ x402Version: 1, error, accepts: [terms.requirementsV1] })
    expect(required).toEqual(terms.challenge(error))
    expect(desk.ended()).toEqual({ unpaid: 1 })
    for (const name of ["PAYMENT-SIGNATURE", "X-PAYMENT"])
      expect((await buy({ [name]: base64("hello") })).required.error).toBe("invalid_payload: not base64 JSON")
    expect(desk.ended()).toEqual({ unpaid: 1, unusable: 2 })
  })

  test("learns what is wrong with a paid request, and can reuse the payment", async () => {
    const headers = await desk.pay()
    expect(await buy(headers, {})).toMatchObject({ status: 400 })
    expect([desk.ended(), desk.asked]).toEqual([{ "bad-request": 1 }, []])
    expect(await buy(headers)).toMatchObject({ status: 200 })
  })

  test("learns which calls exist, and how to make them", async () => {
    const said = async (method: string, path: string) => {
      const response = await fetch(desk.url + path, { method })
      return [response.status, response.headers.get("allow"), await response.text()]
    }
    const error = (text: string) => JSON.stringify({ detail: { error: text } })
    expect(await said("GET", "/search")).toEqual([
      405,
      "POST",
      error("GET is not allowed here. Allowed: POST."),
    ])
    expect(await said("POST", "/.well-known/pricing")).toEqual([
      405,
      "GET, HEAD",
      error("POST is not allowed here. Allowed: GET, HEAD."),
    ])
    expect(await said("HEAD", "/.well-known/pricing")).toEqual([200, null, ""])
    expect(await said("GET", "/")).toEqual([
      404,
      null,
      error("Only POST /search is served here, and its price at /.well-known/pricing."),
    ])
  })
})

describe("a paid search", () => {
  test("is answered with a receipt, and logged with the time of each step", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    desk.facilitator.verify = async () => (vi.advanceTimersByTime(100.4), { kind: "valid" })
    desk.engine.instead = async () => void vi.advanceTimersByTime(20)
    desk.facilitator.settle = async () => (
      vi.advanceTimersByTime(3000),
      { kind: "settled", transaction: HASH }
    )
    const answer = await buy(await desk.pay())
    const { status, headers, body, receipt } = answer
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/json; charset=utf-8",
      "private, no-store",
    ])
    expect(body).toMatchObject({ query: "pumps", results: [{ title: "Pumps" }] })
    const { network, asset } = terms.requirements
    expect(receipt).toEqual({ success: true, transaction: HASH, network, payer: payer.address })
    await desk.quiet()
    expect(desk.logged("payment")).toMatchObject([
      {
        payment: expect.stringContaining(payer.address.toLowerCase()),
        transaction: HASH,
        amount: "10000",
        version: 2,
        outcome: "sold",
        verifyMs: 100,
        searchMs: 20,
        settleMs: 3000,
      },
    ])
    expect(desk.ended()).toEqual({ sold: 1 })
    expect(desk.asked).toEqual(["verify", "settle"])
    expect(await desk.sale()).toMatchObject({
      transaction: HASH,
      network,
      asset,
      payer: payer.address,
      payTo: payee.address,
      usd: "0.010000",
      version: 2,
      verifyMs: 100,
      searchMs: 20,
      settleMs: 3000,
      deliveredAt: expect.any(String),
    })
  })

  test("is not answered twice, and its payment buys no other search", async () => {
    const headers = await desk.pay()
    await buy(headers)
    await desk.quiet()
    expect(desk.ended()).toEqual({ sold: 1 })
    for (const question of [QUESTION, { query: "seals" }]) {
      const again = await buy(headers, question)
      expect(again).toMatchObject({ status: 402, required: { error: "payment_already_used" } })
    }
    expect(desk.ended()).toEqual({ sold: 1, "already-used": 2 })
  })

  test("holds its memory until the answer is sent", async () => {
    const { here, reached, go } = hold()
    desk.facilitator.settle = async () => (await here(), { kind: "settled", transaction: HASH })
    const buying = buy(await desk.pay())
    await Promise.race([reached, buying])
    expect(desk.room.held).toBe(1)
    go()
    await buying
    await desk.quiet()
    expect(desk.room.held).toBe(0)
  })
})

describe("nothing is charged", () => {
  test("for a payment that the facilitator rejects, and the reason is passed on", async () => {
    desk.facilitator.verify = async () => ({ kind: "invalid", reason: "invalid_signature" })
    expect(await buy(await desk.pay())).toMatchObject({
      status: 402,
      required: { error: "invalid_signature" },
    })
    expect([desk.ended(), desk.asked, desk.engine.queries]).toEqual([{ invalid: 1 }, ["verify"], []])
  })

  test("while payments cannot be checked; the log says why, and the payer can retry", async () => {
    desk.facilitator.verify = async () => ({ kind: "unavailable", error: new Error("it is down") })
    const message = "The payment cannot be checked right now; nothing was charged."
    const answer = await buy(await desk.pay())
    expect(comeAgain(answer)).toEqual(later(503, "5", "payment_service_unavailable", message))
    expect(answer.text).not.toContain("it is down")
    expect([desk.ended(), desk.engine.queries]).toEqual([{ "facilitator-unavailable": 1 }, []])
    expect(desk.logged("a payment could not be checked")).toMatchObject([{ err: { message: "it is down" } }])
  })

  test("when there is no room for a search; the payment is not even checked", async () => {
    const refused = new ApiError(429, "Too much to do.", {}, { "Retry-After": "7" })
    vi.spyOn(desk.room, "check").mockImplementationOnce(() => {
      throw refused
    })
    const headers = await desk.pay()
    expect(comeAgain(await buy(headers))).toEqual([429, "7", { detail: { error: "Too much to do." } }])
    expect([desk.ended(), desk.asked]).toEqual([{ overloaded: 1 }, []])
    expect(await buy(headers)).toMatchObject({ status: 200 })
  })

  test("for a search that fails, and the payment stays good", async () => {
    const headers = await desk.pay()
    desk.engine.instead = () => Promise.reject(new Error("the index is gone"))
    expect(await buy(headers)).toMatchObject({ status: 500 })
    expect([desk.ended(), desk.asked]).toEqual([{ "search-failed": 1 }, ["verify"]])
    desk.engine.instead = null
    expect(await buy(headers)).toMatchObject({ status: 200 })
  })

  test("for a search that takes longer than 25 seconds, and the payment stays good", async () => {
    const headers = await desk.pay()
    const late = new AbortController()
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(late.signal)
    desk.engine.instead = async (_, signal) => {
      late.abort()
      signal!.throwIfAborted()
    }
    const answer = await buy(headers)
    expect(timeout.mock.calls[0]).toEqual([25_000])
    const error = "The search took too long. Nothing was charged; try again with the same payment."
    expect([answer.status, answer.body]).toEqual([503, { detail: { error } }])
    expect([desk.ended(), desk.asked]).toEqual([{ "search-failed": 1 }, ["verify"]])
    desk.engine.instead = null
    expect(await buy(headers)).toMatchObject({ status: 200 })
  })

  test.each([
    ["and is told to stop", (signal: AbortSignal) => signal.throwIfAborted()],
    ["and comes too late", () => {}],
  ])("when the payer hangs up during the search, which continues %s", async (_, then) => {
    const headers = await desk.pay()
    const begun = Promise.withResolvers<void>()
    desk.engine.instead = async (__, signal) => {
      begun.resolve()
      await once(signal!, "abort")
      then(signal!)
    }
    await hangUp(headers, begun.promise)
    await desk.quiet()
    expect(desk.ended()).toEqual({ "caller-gone": 1 })
    expect(desk.asked).toEqual(["verify"])
    expect(desk.logged("{method} {path} {status} {ms} ms")).toContainEqual(
      expect.objectContaining({ status: 499 }),
    )
    expect(desk.room.held).toBe(0)
    desk.engine.instead = null
    expect(await buy(headers)).toMatchObject({ status: 200 })
  })

  test("when the facilitator refuses to settle; the receipt gives the reason too", async () => {
    desk.facilitator.settle = async () => ({ kind: "refused", reason: "invalid_signature" })
    const headers = await desk.pay()
    const { status, required, receipt, text } = await buy(headers)
    expect([status, required.error]).toEqual([402, "invalid_signature"])
    expect(receipt).toEqual({
      success: false,
      errorReason: "invalid_signature",
      transaction: "",
      network: terms.requirements.network,
      payer: payer.address,
    })
    expect(text).not.toContain("results")
    expect(desk.ended()).toEqual({ refused: 1 })
    expect(desk.logged("payment")).toMatchObject([{ outcome: "refused" }])
    // The answer is the same as if the payment had never been sent.
    expect(await buy(headers, { query: "seals" })).toMatchObject({ required: { error: "invalid_signature" } })
    expect(desk.engine.queries).toHaveLength(2)
  })
})

describe("a payment in progress", () => {
  test("is not started again by a copy of its request", async () => {
    const { here, reached, go } = hold()
    desk.engine.instead = here
    const headers = await desk.pay()
    const first = buy(headers)
    await Promise.race([reached, first])
    expect(comeAgain(await buy(headers))).toEqual(IN_PROGRESS)
    expect(desk.ended()).toEqual({ "in-progress": 1 })
    expect(await buy(headers, { query: "seals" })).toMatchObject({
      required: { error: "payment_already_used" },
    })
    expect(desk.ended()).toEqual({ "in-progress": 1, "already-used": 1 })
    go()
    expect(await first).toMatchObject({ status: 200 })
    expect(desk.engine.queries).toHaveLength(1)
  })

  test("starts once when copies of its request arrive together, however slow the ledger is", async () => {
    const { here, reached, go } = hold()
    desk.engine.instead = here
    const get = desk.ledger.get.bind(desk.ledger)
    vi.spyOn(desk.ledger, "get").mockImplementation(async (id) => {
      await pause(50)
      return await get(id)
    })
    const headers = await desk.pay()
    const both = [buy(headers), buy(headers)]
    expect(comeAgain(await Promise.race(both))).toEqual(IN_PROGRESS)
    await reached
    go()
    expect(new Set((await Promise.all(both)).map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(desk.engine.queries).toHaveLength(1)
  })

  test("stays in progress until the ledger records the delivery of its answer", async () => {
    const { here, reached, go } = hold()
    const delivered = desk.ledger.delivered.bind(desk.ledger)
    vi.spyOn(desk.ledger, "delivered").mockImplementation(async (id) => {
      await here()
      await delivered(id)
    })
    const headers = await desk.pay()
    expect(await buy(headers)).toMatchObject({ status: 200 })
    await reached
    const again = buy(headers)
    await Promise.race([again, pause(50)])
    go()
    expect(await again).toMatchObject({ required: { error: "payment_already_used" } })
  })

  test("is left to another process that was quicker", async () => {
    vi.spyOn(desk.ledger, "begin").mockResolvedValueOnce(false)
    const headers = await desk.pay()
    expect(comeAgain(await buy(headers))).toEqual(IN_PROGRESS)
    expect([desk.ended(), desk.asked]).toEqual([{ "in-progress": 1 }, ["verify"]])
  })

  test("is left to another process that settles it or resumes it at the same moment", async () => {
    const headers = await desk.pay()
    desk.facilitator.settle = async () => OPEN
    await buy(headers)
    const asked = desk.asked.length
    vi.spyOn(desk.ledger, "resume").mockResolvedValueOnce(false)
    expect(comeAgain(await buy(headers))).toEqual(IN_PROGRESS)
    await desk.ledger.resume((await desk.ledger.unsettled())[0]!.id)
    expect(comeAgain(await buy(headers))).toEqual(IN_PROGRESS)
    expect([desk.ended(), desk.asked.length]).toEqual([{ unknown: 1, "in-progress": 2 }, asked])
    // An unknown outcome doesn't use up the payer's place either: after a payment without funds, a payer has only one.
    desk.facilitator.settle = async () => ({ kind: "refused", reason: "insufficient_funds" })
    await buy(await desk.pay())
    desk.facilitator.settle = async () => ({ kind: "settled", transaction: HASH })
    expect(await buy(await desk.pay())).toMatchObject({ status: 200 })
  })
})

describe("a payment with an unknown outcome", () => {
  const MESSAGE = (sent = "") =>
    `It is not known yet whether the payment was settled${sent}. Retry the same request with the same payment and don't sign a new one: you will not be charged twice.`

  test("stays open; when the payer retries, it is settled and the earlier answer is returned", async () => {
    const headers = await desk.pay()
    desk.facilitator.settle = async () => OPEN
    const first = await buy(headers, { query: "pumps", country: "germany" })
    expect(comeAgain(first)).toEqual(later(503, "5", "settlement_unknown", MESSAGE()))
    expect(desk.ended()).toEqual({ unknown: 1 })
    // The payment is kept so that the network can be asked about it later.
    expect(
      (await desk.ledger.unsettled()).map(({ authorization }) => JSON.parse(authorization)),
    ).toMatchObject([{ version: 2, from: payer.address, to: payee.address, value: "10000" }])
    desk.facilitator.settle = async () => ({ ...OPEN, transaction: HASH })
    // The same request with its fields in another order.
    const same = { country: "germany", query: "pumps" }
    expect(comeAgain(await buy(headers, same))).toEqual(
      later(503, "5", "settlement_unknown", MESSAGE(` (transaction ${HASH})`)),
    )
    expect(desk.ended()).toEqual({ unknown: 2 })
    expect(desk.logged("payment")).toMatchObject([
      { outcome: "unknown" },
      { outcome: "unknown", transaction: HASH },
    ])
    desk.facilitator.settle = async () => ({ kind: "settled", transaction: HASH })
    expect(await buy(headers, same)).toMatchObject({ status: 200, receipt: { transaction: HASH } })
    await desk.quiet()
    expect(desk.ended()).toEqual({ unknown: 2, "delivered-later": 1 })
    expect(desk.logged("payment").at(-1)).toMatchObject({ outcome: "delivered-later" })
    expect(desk.engine.queries).toHaveLength(1)
  })

  test("stays open too if an internal error occurs while it is settled", async () => {
    const headers = await desk.pay()
    desk.facilitator.settle = () => Promise.reject(new TypeError("a fault of ours"))
    expect(await buy(headers)).toMatchObject({ status: 500 })
    expect(desk.ended()).toEqual({ "search-failed": 1 })
    desk.facilitator.settle = async () => ({ kind: "settled", transaction: HASH })
    expect(await buy(headers)).toMatchObject({ status: 200 })
    expect(desk.engine.queries).toHaveLength(1)
  })
})

test("a payer who pays and hangs up can fetch the answer later at no extra cost", async () => {
  const headers = await desk.pay()
  const { here, reached, go } = hold()
  desk.facilitator.settle = async () => (await here(), { kind: "settled", transaction: HASH })
  await hangUp(headers, reached)
  await desk.left()
  expect(desk.room.held).toBe(0)
  go()
  await desk.quiet()
  expect(desk.ended()).toEqual({ "sold-undelivered": 1 })
  expect(desk.logged("payment")).toMatchObject([{ outcome: "sold-undelivered", transaction: HASH }])
  expect(await buy(headers, { query: "seals" })).toMatchObject({
    required: { error: "payment_already_used" },
  })
  const asked = [...desk.asked]
  expect(await buy(headers)).toMatchObject({
    status: 200,
    body: { results: [{ title: "Pumps" }] },
    receipt: { transaction: HASH },
  })
  await desk.quiet()
  expect(desk.ended()).toEqual({ "sold-undelivered": 1, "already-used": 1, "delivered-later": 1 })
  expect([desk.asked, desk.engine.queries.length]).toEqual([asked, 1])
})

test("a payer who recently had no funds gets one request at a time, and others are not limited", async () => {
  desk.facilitator.settle = async () => ({ kind: "refused", reason: "insufficient_funds" })
  await buy(await desk.pay())
  const { here, reached, go } = hold()
  desk.engine.instead = here
  // An address in lower case names the same account.
  const small: Flaw = { authorization: { from: payer.address.toLowerCase() as Address } }
  const [one, two, other] = [await desk.pay(), await desk.pay(payer, small), await desk.pay(stranger)]
  desk.facilitator.settle = async () => ({ kind: "settled", transaction: HASH })
  const first = buy(one)
  await Promise.race([reached, first])
  const message =
    "This payer recently lacked the money for a payment: send fewer payments at a time. Nothing was charged."
  expect(comeAgain(await buy(two))).toEqual(later(429, "5", "payer_limited", message))
  expect(desk.ended()).toEqual({ refused: 1, limited: 1 })
  const another = buy(other)
  await expect.poll(() => desk.engine.queries.length).toBe(3)
  go()
  expect([(await first).status, (await another).status]).toEqual([200, 200])
  // Completed purchases make room.
  expect(await buy(two)).toMatchObject({ status: 200 })
})

test("a connection that breaks under an answer is only logged", async () => {
  const { here, reached, go } = hold()
  desk.engine.instead = here
  const asking = request(`${desk.url}/search`, { method: "POST", headers: await desk.pay() })
  asking.on("error", () => {})
  asking.end(JSON.stringify(QUESTION))
  await Promise.race([reached, once(asking, "response")])
  asking.socket!.resetAndDestroy()
  await desk.left()
  expect(desk.logged("answer not written")).toMatchObject([{ err: { code: "ECONNRESET" } }])
  go()
  await desk.quiet()
  expect(desk.ended()).toEqual({ "caller-gone": 1 })
})

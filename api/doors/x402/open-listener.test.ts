import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { json } from "node:stream/consumers"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"

import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { openBooks } from "./books/books.ts"
import { openLedger } from "./books/payment-ledger.ts"
import { ask, sign } from "./testing/payments.ts"
import { sellSearches } from "./testing/sell.ts"
import { payee, payer } from "./testing/wallets.ts"

// Tests the listener from opening to closing, including its regular work.

const QUESTION = { query: "pumps" }
const HASH = `0x${"ab".repeat(32)}`
/** An address that no machine has (RFC 5737). */
const ELSEWHERE = "192.0.2.1"
const AUTHORIZATION = {
  from: payer.address,
  to: payee.address,
  value: "10000",
  validAfter: "0",
  validBefore: "2000",
  nonce: `0x${"ab".repeat(32)}`,
  version: 2,
}

/** A working facilitator and node: according to the node, every authorization has expired. */
let outside: TestSite
let dataDir: string

beforeAll(async () => {
  const says = (answer: object) => JSON.stringify(answer)
  const node: Readonly<Record<string, unknown>> = {
    eth_chainId: "0x14a34",
    eth_getBlockByNumber: { number: "0x1", timestamp: "0xffffffff" },
    eth_call: "0x0",
  }
  outside = await startTestSite({
    "/verify": says({ isValid: true }),
    "/settle": says({ success: true, transaction: HASH }),
    "/node": async (request, response) => {
      const { method } = (await json(request)) as { readonly method: string }
      response.end(says({ result: node[method] }))
    },
  })
})
afterAll(() => outside[Symbol.asyncDispose]())
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "fossick-listener-"))
  outside.requests.length = 0
  // A test sets the clock forward, and the listener then does its regular work.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dataDir, { recursive: true })
})

type How = NonNullable<Parameters<typeof sellSearches>[1]>

async function open(
  env: Readonly<Record<string, string>> = {},
  parts: How["parts"] = {},
  gate: How["gate"] = {},
) {
  const shop = await sellSearches({ X402_FACILITATOR_URL: outside.origin, ...env }, { dataDir, parts, gate })
  return {
    ...shop,
    logged: (msg: string) =>
      shop.logLines
        .map((line) => JSON.parse(line) as { readonly [field: string]: unknown; readonly msg: string })
        .filter((line) => line.msg === msg),
    async [Symbol.asyncDispose]() {
      const closing = this.close()
      // While the listener is closing, idle connections are closed at intervals, and all others at the end.
      await expect.poll(() => (vi.advanceTimersByTime(1000), closing.isOver)).toBe(true)
    },
    close() {
      const closing = { isOver: false }
      void shop[Symbol.asyncDispose]().then(() => (closing.isOver = true))
      return closing
    },
  }
}
const WITH_NODE = () => ({ X402_RPC_URL: outside.url("/node") })
const UNKEPT = "the payment ledger could not be updated; trying again soon"
const LOOKED_UP = "an open payment was looked up"

/** Leaves a payment in the ledger; its outcome is unknown, or a process is still working on it. */
async function leave(
  id: string,
  { process, ...more }: { process?: string; authorization?: string; ranOut?: number } = {},
) {
  using ledger = await openLedger(dataDir, undefined, process)
  const facts = {
    validBefore: Math.floor(Date.now() / 1000) - (more.ranOut ?? 0),
    authorization: more.authorization ?? JSON.stringify(AUTHORIZATION),
    answer: "{}",
  }
  await ledger.begin({ id, fingerprint: "f" }, facts)
  if (process === undefined) await ledger.unknown(id)
}
/** The ledger as another reader sees it. */
async function read<T>(look: (db: StateStore) => Promise<T>): Promise<T> {
  const db = await openStateStore(dataDir)
  try {
    return await look(db)
  } finally {
    db.close()
  }
}
const outcomes = () =>
  read(async (db) => (await openBooks(db).outcomes({})).map(({ outcome, count }) => [outcome, count]))
const states = () =>
  read(async (db) =>
    (await statement(db, "select id, state from x402_payments order by id").all()).map((row) => ({ ...row })),
  )

describe("the listener opens", () => {
  test("on the configured host or the appliance's own, and logs what is sold and who is paid", async () => {
    await using shop = await open({}, { host: "127.0.0.1" })
    expect(shop.logged("selling searches at {url}")).toMatchObject([
      {
        part: "x402",
        port: Number(new URL(shop.url).port),
        url: "https://search.example/search",
        network: "eip155:84532",
        payTo: payee.address,
      },
    ])
    const failed = { code: "EADDRNOTAVAIL", prefix: "FOSSICK_X402" }
    await expect(open({}, { host: ELSEWHERE })).rejects.toMatchObject(failed)
    await expect(open({ FOSSICK_X402_HOST: ELSEWHERE })).rejects.toMatchObject(failed)
    await using own = await open({ FOSSICK_X402_HOST: "127.0.0.1" }, { host: ELSEWHERE })
    expect(await ask(own.url, QUESTION)).toMatchObject({ status: 402 })
  })

  test("on no port already in use, names the setting in the error, and leaves nothing behind", async () => {
    const port = new URL(outside.origin).port
    const timers = vi.getTimerCount()
    await expect(open({ FOSSICK_X402_PORT: port })).rejects.toMatchObject({
      code: "EADDRINUSE",
      prefix: "FOSSICK_X402",
    })
    expect(vi.getTimerCount()).toBe(timers)
  })
})

describe("every five seconds", () => {
  test("records how requests ended, and writes the rest when it closes", async () => {
    {
      await using shop = await open()
      await ask(shop.url, QUESTION)
      await vi.advanceTimersByTimeAsync(4999)
      expect(await outcomes()).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(await outcomes()).toEqual([["unpaid", 1]])
      await vi.advanceTimersByTimeAsync(5000)
      await ask(shop.url, QUESTION)
      expect(await outcomes()).toEqual([["unpaid", 1]])
      expect([...shop.outcomes]).toEqual([["unpaid", 2]])
    }
    expect(await outcomes()).toEqual([["unpaid", 2]])
  })

  test("forgets expired payments, and treats those of a lost process as open", async () => {
    await using shop = await open({}, { process: "this one" })
    await leave("over", { ranOut: 3601 })
    await leave("lost", { process: "another" })
    expect(await states()).toEqual([
      { id: "lost", state: "settling" },
      { id: "over", state: "unknown" },
    ])
    await vi.advanceTimersByTimeAsync(5000)
    expect(await states()).toEqual([{ id: "lost", state: "unknown" }])
    expect(shop.logged(UNKEPT)).toEqual([])
  })

  test("logs a failed ledger write and retries it, and still tells the price", async () => {
    await using shop = await open()
    const move = (from: string, to: string) => read((db) => db.script(`alter table ${from} rename to ${to}`))
    await move("x402_payments", "elsewhere")
    await vi.advanceTimersByTimeAsync(5000)
    expect(shop.logged(UNKEPT)).toMatchObject([
      { part: "x402", level: 40, err: { message: expect.stringContaining("x402_payments") } },
    ])
    expect(await ask(shop.url, QUESTION)).toMatchObject({ status: 402 })
    await move("elsewhere", "x402_payments")
    await vi.advanceTimersByTimeAsync(5000)
    expect(shop.logged(UNKEPT)).toHaveLength(1)
    expect(await outcomes()).toEqual([["unpaid", 1]])
  })
})

describe("every minute", () => {
  test("the network is asked about open payments", async () => {
    await leave("one")
    await using shop = await open(WITH_NODE())
    vi.advanceTimersByTime(59_999)
    expect(outside.requests).toEqual([])
    vi.advanceTimersByTime(1)
    await expect.poll(() => shop.logged(LOOKED_UP)).toMatchObject([{ payment: "one", found: "dead" }])
    expect([await states(), shop.logged(UNKEPT)]).toEqual([[], []])
  })

  test("logs a payment that cannot be looked up", async () => {
    await leave("one", { authorization: "{" })
    await using shop = await open(WITH_NODE())
    vi.advanceTimersByTime(60_000)
    await expect.poll(() => shop.logged(UNKEPT)).toMatchObject([{ err: { type: "SyntaxError" } }])
  })

  test("asks nobody if no node is known, even when a settlement is left open", async () => {
    await leave("one")
    outside.serve({ "/settle": (_, response) => void response.destroy() })
    await using shop = await open()
    const { headers } = await sign(shop.url, payer)
    expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 503 })
    vi.advanceTimersByTime(60_000)
    await setImmediate()
    expect(shop.logged(UNKEPT)).toEqual([])
    expect(shop.logged("the outcome of a settlement is unknown")).toHaveLength(2)
    expect(shop.logged("the network cannot be queried")).toEqual([])
    expect(await states()).toMatchObject([{ state: "unknown" }, { id: "one", state: "unknown" }])
    outside.serve({ "/settle": JSON.stringify({ success: true, transaction: HASH }) })
  })
})

/** A purchase whose search doesn't end until a test says so. */
async function buyOne(shop: Awaited<ReturnType<typeof open>>) {
  const { headers } = await sign(shop.url, payer)
  const [searching, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shop.engine.instead = async () => {
    searching.resolve()
    await found.promise
  }
  const buying = ask(shop.url, QUESTION, headers)
  await Promise.race([searching.promise, buying])
  return { buying, find: () => found.resolve() }
}

test("a caller waiting for a search can leave, and one who would wait too long is refused before its payment is checked", async () => {
  await using shop = await open({}, {}, { searches: 1, searchQueue: 1 })
  const { buying, find } = await buyOne(shop)
  const [second, third] = [await sign(shop.url, payer), await sign(shop.url, payer)]
  const caller = new AbortController()
  const waiting = ask(shop.url, QUESTION, second.headers, caller.signal).catch((error: Error) => error)
  await expect.poll(() => outside.requests).toEqual(["/verify", "/verify"])
  // A search is queued once there is no room for another.
  await expect
    .poll(() => ask(shop.url, QUESTION, third.headers))
    .toMatchObject({ status: 429, body: { detail: { error: expect.stringContaining("Try again in") } } })
  expect(outside.requests).toEqual(["/verify", "/verify"])
  caller.abort()
  await waiting
  await expect.poll(() => shop.outcomes.get("caller-gone")).toBe(1)
  find()
  expect(await buying).toMatchObject({ status: 200 })
  expect(shop.engine.queries).toHaveLength(1)
})

describe("the listener closes", () => {
  const refuses = async ({ url }: { readonly url: string }) => {
    const connected = once(connect(Number(new URL(url).port), "127.0.0.1"), "connect")
    await expect(connected).rejects.toMatchObject({ code: "ECONNREFUSED" })
  }

  test("after the current purchase is answered, letting nobody else in", async () => {
    const shop = await open(WITH_NODE())
    const { buying, find } = await buyOne(shop)
    const closing = shop.close()
    await refuses(shop)
    vi.advanceTimersByTime(9900)
    find()
    expect(await buying).toMatchObject({ status: 200, receipt: { success: true } })
    // The connection is closed just before it would be cut off: idle connections are closed at intervals.
    await expect.poll(() => (vi.advanceTimersByTime(50), closing.isOver)).toBe(true)
    expect(await outcomes()).toEqual([
      ["sold", 1],
      ["unpaid", 1],
    ])
    vi.advanceTimersByTime(120_000)
    expect(shop.logged(UNKEPT)).toEqual([])
  })

  test("without a purchase that takes longer than ten seconds: it is cut off, and not charged", async () => {
    const shop = await open()
    const { buying, find } = await buyOne(shop)
    const cut = buying.catch((error: Error) => error.message)
    const closing = shop.close()
    vi.advanceTimersByTime(10_000)
    expect(await cut).toBe("fetch failed")
    await expect.poll(() => closing.isOver).toBe(true)
    find()
    expect(outside.requests).toEqual(["/verify"])
  })
})

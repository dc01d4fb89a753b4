import { json } from "node:stream/consumers"

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { talkedTo } from "#base/outbound/testing/talked-to.ts"
import { startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import type { Authorization } from "../payment.ts"
import { paymentTerms, type Terms } from "../terms.ts"
import { type Chain, rpcChain } from "./chain.ts"

const PAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const PAYEE = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const OTHER = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
// The hash as shown by the network's explorers.
const AUTHORIZATION_USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const AUTHORIZATION_STATE = "0xe94a0102"
const BALANCE_OF = "0x70a08231"

const AUTHORIZATION: Authorization = {
  from: PAYER,
  to: PAYEE,
  value: "10000",
  validAfter: "0",
  validBefore: "2000",
  nonce: `0x${"AB".repeat(32)}`,
}
const SINCE = 1_000_000
const word = (hex: string) => hex.slice(2).toLowerCase().padStart(64, "0")
const hex = (number: number) => `0x${number.toString(16)}`
const HASH = `0x${"12".repeat(32)}`

/** The node's replies; `null` sends no result for that method. */
const well = () => ({
  chainId: 84_532,
  head: 500,
  now: 1500,
  isUsed: false,
  balance: 10_000n,
  /** Block whose log shows that the authorization was used. */
  usedIn: 0 as number | null,
  transfer: {} as object,
  timeOf: (_block: number): number => 1500,
  fault: {} as Record<string, { status?: number; text: string }>,
})
type Call = {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

let node = well()
let calls: Call[] = []
let posted: unknown[] = []
let terms: Terms
let chain: Chain

function answer({ method, params }: Call): unknown {
  const [first] = params as [any] // oxlint-disable-line typescript/no-explicit-any -- what a node is sent
  switch (method) {
    case "eth_chainId":
      return hex(node.chainId)
    case "eth_getBlockByNumber":
      return first === "latest"
        ? { number: hex(node.head), timestamp: hex(node.now) }
        : { number: first, timestamp: hex(node.timeOf(Number(first))) }
    case "eth_call":
      return first.data.startsWith(BALANCE_OF) ? hex(Number(node.balance)) : node.isUsed ? hex(1) : hex(0)
    case "eth_getLogs": {
      const to = first.toBlock === "latest" ? Infinity : Number(first.toBlock)
      const isThere = node.usedIn !== null && node.usedIn >= Number(first.fromBlock) && node.usedIn <= to
      return isThere ? [{ transactionHash: HASH, logIndex: "0x9" }] : []
    }
    default:
      return {
        logs: [
          { logIndex: "0x9", address: terms.requirements.asset, topics: [AUTHORIZATION_USED], data: "0x" },
          {
            logIndex: "0xa",
            address: terms.requirements.asset.toLowerCase(),
            topics: [TRANSFER, `0x${word(PAYER)}`, `0x${word(PAYEE)}`],
            data: hex(10_000),
            ...node.transfer,
          },
        ],
      }
  }
}

let server: TestSite

beforeAll(async () => {
  terms = await paymentTerms({
    network: "eip155:84532",
    payTo: PAYEE,
    publicUrl: "https://search.example",
    v1: true,
  })
  server = await startTestSite({
    "*": async (request, response) => {
      const call = (await json(request)) as Call
      calls.push(call)
      posted = [request.method, request.headers["content-type"]]
      const { status = 200, text } = node.fault[call.method] ?? {
        text: JSON.stringify({ jsonrpc: "2.0", id: 1, result: answer(call) }),
      }
      response.writeHead(status).end(text)
    },
  })
})

afterAll(() => server[Symbol.asyncDispose]())

beforeEach(() => {
  node = well()
  calls = []
  chain = rpcChain(server.origin, terms)
})

const look = (since = SINCE) => chain.look(AUTHORIZATION, since)
const methods = () => calls.map(({ method }) => method)

describe("an authorization that was not used", () => {
  test("is open while it is valid and covered", async () => {
    expect(await look()).toEqual({ kind: "open" })
    expect(posted).toEqual(["POST", "application/json"])
    for (const call of calls) expect(call).toMatchObject({ jsonrpc: "2.0", id: 1 })
    expect(calls.slice(1).map(({ params }) => params)).toEqual([
      ["latest", false],
      [
        {
          to: terms.requirements.asset,
          data: AUTHORIZATION_STATE + word(PAYER) + AUTHORIZATION.nonce.slice(2).toLowerCase(),
        },
        "latest",
      ],
      [{ to: terms.requirements.asset, data: BALANCE_OF + word(PAYER) }, "latest"],
    ])
  })

  test("is dead from the second it expires", async () => {
    node.now = 2000
    expect(await look()).toEqual({ kind: "dead", because: "expired" })
    node.now = 1999
    expect(await look()).toEqual({ kind: "open" })
  })

  test("is dead without cover", async () => {
    node.balance = 9999n
    expect(await look()).toEqual({ kind: "dead", because: "no-balance" })
  })
})

describe("an authorization that was used", () => {
  beforeEach(() => {
    node.isUsed = true
    node.usedIn = 400
  })

  test("is paid when the transfer to us comes next in its transaction", async () => {
    expect(await look()).toEqual({ kind: "paid", transaction: HASH })
    expect(calls.find(({ method }) => method === "eth_getLogs")?.params).toEqual([
      {
        address: terms.requirements.asset,
        topics: [AUTHORIZATION_USED, `0x${word(PAYER)}`, AUTHORIZATION.nonce.toLowerCase()],
        fromBlock: "0x0",
        toBlock: "latest",
      },
    ])
    expect(calls.at(-1)).toMatchObject({ method: "eth_getTransactionReceipt", params: [HASH] })
  })

  test.each([
    ["of another token", { address: OTHER }],
    ["that is no transfer", { topics: [AUTHORIZATION_USED, `0x${word(PAYER)}`, `0x${word(PAYEE)}`] }],
    ["from somebody else", { topics: [TRANSFER, `0x${word(OTHER)}`, `0x${word(PAYEE)}`] }],
    ["to somebody else", { topics: [TRANSFER, `0x${word(PAYER)}`, `0x${word(OTHER)}`] }],
    ["of less", { data: hex(9999) }],
    ["further on in it", { logIndex: "0xb" }],
  ])("was spent elsewhere if something %s comes next", async (_, transfer) => {
    node.transfer = transfer
    expect(await look()).toEqual({ kind: "dead", because: "spent-elsewhere" })
  })

  test("is searched for in ranges of blocks, back to the first", async () => {
    node.head = 2500
    node.usedIn = null
    expect(await look()).toEqual({ kind: "dead", because: "spent-elsewhere" })
    expect(methods().filter((method) => method === "eth_getTransactionReceipt")).toEqual([])
    const spans = () =>
      calls
        .filter(({ method }) => method === "eth_getLogs")
        .map(({ params: [{ fromBlock, toBlock }] }: any) => [Number(fromBlock), toBlock]) // oxlint-disable-line typescript/no-explicit-any -- as above
    expect(spans()).toEqual([
      [1500, "latest"],
      [500, hex(1499)],
      [0, hex(499)],
    ])
    calls = []
    node.usedIn = 499
    expect(await look()).toMatchObject({ kind: "paid" })
    expect(spans()).toHaveLength(3)
  })

  test("is searched for back to the time of the payment, allowing two minutes of clock difference", async () => {
    node.head = 9000
    node.usedIn = 100
    const since = 1000
    node.timeOf = (block) => (block === 8000 ? since - 120 : since - 121)
    expect(await look(since * 1000 + 999)).toEqual({ kind: "dead", because: "spent-elsewhere" })
    expect(methods().filter((method) => method === "eth_getLogs")).toHaveLength(2)
    // The search stops at this block, because its timestamp is early enough.
    const blocks = calls.filter(({ method }) => method === "eth_getBlockByNumber").map(({ params }) => params)
    expect(blocks).toEqual(["latest", hex(8000), hex(7000)].map((block) => [block, false]))
  })

  test("can be too old to be found", async () => {
    node.head = 100_000
    node.usedIn = 40_000
    expect(await look()).toMatchObject({ kind: "paid" })
    node.usedIn = 39_999
    expect(await look()).toMatchObject({
      kind: "unreachable",
      error: { message: "the use of an authorization was not found in 60000 blocks" },
    })
  })
})

describe("a blockchain node", () => {
  const error = (message: string) => ({ kind: "unreachable", error: { message } })

  test("on another network is not trusted, and the right one is asked for its network once", async () => {
    node.chainId = 8453
    expect(await look()).toMatchObject(error("X402_RPC_URL points to a node on network 8453, not 84532"))
    expect(methods()).toEqual(["eth_chainId"])
    node.chainId = 84_532
    await look()
    await look()
    expect(methods().filter((method) => method === "eth_chainId")).toHaveLength(2)
  })

  test.each([
    [{ status: 500, text: '{"result":"0x1"}' }, "eth_getBlockByNumber: HTTP 500"],
    [{ text: '{"error":{"message":"too many requests"}}' }, "eth_getBlockByNumber: too many requests"],
    [{ text: "{}" }, "eth_getBlockByNumber: undefined"],
    [{ text: `{"error":{"message":"${"x".repeat(300)}"}}` }, `eth_getBlockByNumber: ${"x".repeat(200)}`],
  ])("that answers %o is unreachable", async (fault, message) => {
    node.fault["eth_getBlockByNumber"] = fault
    expect(await look()).toMatchObject(error(message))
  })

  test("appears among the operator's outbound hosts, for payments", async () => {
    await look()
    expect(await talkedTo()).toContain(`payments ${server.authority}`)
  })

  test("that does not respond is unreachable", async () => {
    const nobody = rpcChain("http://127.0.0.1:9", terms)
    expect(await nobody.look(AUTHORIZATION, SINCE)).toMatchObject({ kind: "unreachable" })
  })
})

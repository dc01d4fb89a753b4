import { once } from "node:events"
import { connect } from "node:net"

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { startChain, type TestChain } from "./testing/chain.ts"
import { startFacilitator, type TestFacilitator } from "./testing/facilitator.ts"
import { ask, base64, type Flaw, sendRaw, sign } from "./testing/payments.ts"
import { sellSearches } from "./testing/sell.ts"
import { brokePayer, payee, payer, stranger } from "./testing/wallets.ts"

const QUESTION = { query: "pumps" }
const now = () => Math.floor(Date.now() / 1000)

describe("invalid payments", { tags: ["chain"] }, () => {
  let chain: TestChain
  let facilitator: TestFacilitator
  let shop: Awaited<ReturnType<typeof sellSearches>>
  let before: { earned: bigint; searches: number; verified: number }

  beforeAll(async () => {
    chain = await startChain()
    facilitator = await startFacilitator(chain.rpcUrl)
    shop = await sellSearches({ X402_FACILITATOR_URL: facilitator.url, X402_RPC_URL: chain.rpcUrl })
  })
  afterAll(async () => {
    await shop?.[Symbol.asyncDispose]()
    await facilitator?.[Symbol.asyncDispose]()
    await chain?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    facilitator.fail()
    before = {
      earned: await chain.balance(payee.address),
      searches: shop.engine.queries.length,
      verified: facilitator.calls.verify,
    }
  })
  /** The charges, searches and calls to the facilitator since the test began. */
  const since = async () => ({
    charged: Number((await chain.balance(payee.address)) - before.earned),
    searches: shop.engine.queries.length - before.searches,
    verified: facilitator.calls.verify - before.verified,
  })
  const nothing = { charged: 0, searches: 0, verified: 0 }

  test.each([
    ["that is no JSON", "{bad"],
    ["that is empty", ""],
    ["that is no object", "[]"],
    ["without a query", "{}"],
  ])("tells the price without a payment, even for a body %s", async (_, body) => {
    expect(await ask(shop.url, body)).toMatchObject({ status: 402, required: { x402Version: 2 } })
    expect(await since()).toEqual(nothing)
  })

  test("tells a browser the price in JSON too, even while the facilitator is down", async () => {
    facilitator.fail({ verify: { kind: "drop" }, settle: { kind: "drop" } })
    const { status, headers } = await ask(shop.url, QUESTION, {
      Accept: "text/html",
      "User-Agent": "Mozilla/5.0",
    })
    expect(status).toBe(402)
    expect(headers.get("content-type")).toMatch(/^application\/json/)
    expect(await since()).toEqual(nothing)
  })

  test.each([
    ["GET", "/search", 405],
    ["HEAD", "/search", 405],
    ["PUT", "/search", 405],
    ["OPTIONS", "/search", 405],
    ["POST", "/", 404],
    ["POST", "/search/", 404],
    ["POST", "/SEARCH", 404],
    ["POST", "//search", 404],
    ["POST", "/%73earch", 404],
    ["POST", "/search%2f", 404],
    ["POST", "/x/../search", 404],
    ["POST", "/extract", 404],
    ["POST", "/search?x=1", 402],
    ["POST", "/.well-known/pricing", 405],
  ])("%s %s never reaches the search", async (method, path, status) => {
    expect((await sendRaw(shop.url, { method, path })).status).toBe(status)
    expect(await since()).toEqual(nothing)
  })

  test.each([
    ["not base64", "%%%", "invalid_payload"],
    ["base64 of text", base64("hello"), "invalid_payload"],
    ["base64 of null", base64("null"), "invalid_x402_version"],
    ["base64 of a list", base64("[]"), "invalid_x402_version"],
    ["base64 of a string", base64('"x"'), "invalid_x402_version"],
    ["in the alphabet of base64url", `${base64("{}").replace("=", "")}-_`, "invalid_payload"],
    [
      "deeply nested",
      base64(`{"x402Version":2,"accepted":${"[".repeat(1500)}${"]".repeat(1500)}}`),
      "invalid_payload",
    ],
    ["of 9 kB", base64("x".repeat(6900)), "invalid_payload"],
  ])("rejects a payment header that is %s without asking the facilitator", async (_, header, error) => {
    const { status, required } = await ask(shop.url, QUESTION, { "PAYMENT-SIGNATURE": header })
    expect(status).toBe(402)
    expect(required.error).toContain(error)
    expect(await since()).toEqual(nothing)
    expect(shop.logLines.filter((line) => line.includes(" ERROR "))).toEqual([])
  })

  test("the server rejects a payment header of 20 kB, and ignores one sent twice", async () => {
    const huge = { "PAYMENT-SIGNATURE": base64("x".repeat(15_000)) }
    expect((await sendRaw(shop.url, { headers: huge })).status).toBe(431)
    const [one, two] = [await sign(shop.url, payer), await sign(shop.url, payer)]
    const twice = { "PAYMENT-SIGNATURE": [...Object.values(one.headers), ...Object.values(two.headers)] }
    expect((await sendRaw(shop.url, { headers: twice })).status).toBe(402)
    expect(await since()).toEqual(nothing)
  })

  test.each<[string, Flaw, string]>([
    [
      "has no signature",
      { after: ({ payload, ...rest }) => ({ ...rest, payload: { authorization: payload.authorization } }) },
      "invalid_payload",
    ],
    ["is empty", { after: (all) => ({ ...all, payload: {} }) }, "invalid_payload"],
    [
      "has a field too many",
      { after: ({ payload, ...rest }) => ({ ...rest, payload: { ...payload, permit2Authorization: {} } }) },
      "invalid_payload",
    ],
    [
      "has a value that is no decimal",
      {
        after: (all) => ({
          ...all,
          payload: { ...all["payload"], authorization: { ...all["payload"].authorization, value: "0x2710" } },
        }),
      },
      "invalid_payload",
    ],
    ["says version 1", { after: (all) => ({ ...all, x402Version: 1 }) }, "invalid_x402_version"],
    ["says version 3", { after: (all) => ({ ...all, x402Version: 3 }) }, "invalid_x402_version"],
    ["accepted a lower price", { accepted: { amount: "9999" } }, "No matching payment requirements"],
    [
      "accepted another network",
      { accepted: { network: "eip155:8453" } },
      "No matching payment requirements",
    ],
    ["accepted another token", { accepted: { asset: stranger.address } }, "No matching payment requirements"],
    [
      "accepted to pay somebody else",
      { accepted: { payTo: stranger.address } },
      "No matching payment requirements",
    ],
    ["accepted another scheme", { accepted: { scheme: "upto" } }, "No matching payment requirements"],
    [
      "accepted another signing domain",
      { accepted: { extra: { name: "USD Coin", version: "2" } } },
      "No matching payment requirements",
    ],
    [
      "is valid for years",
      { authorization: { validBefore: String(now() + 10 ** 8) } },
      "invalid_exact_evm_payload_authorization_valid_before",
    ],
    [
      "is short",
      { authorization: { value: "9999" } },
      "invalid_exact_evm_payload_authorization_value_mismatch",
    ],
    [
      "is too much",
      { authorization: { value: "10001" } },
      "invalid_exact_evm_payload_authorization_value_mismatch",
    ],
    [
      "pays somebody else",
      { authorization: { to: stranger.address } },
      "invalid_exact_evm_recipient_mismatch",
    ],
    [
      "ran out",
      { authorization: { validBefore: String(now() - 10) } },
      "invalid_exact_evm_payload_authorization_valid_before",
    ],
    [
      "runs out too soon",
      { authorization: { validBefore: String(now() + 3) } },
      "invalid_exact_evm_payload_authorization_valid_before",
    ],
    [
      "is not valid yet",
      { authorization: { validAfter: String(now() + 600), validBefore: String(now() + 900) } },
      "invalid_exact_evm_payload_authorization_valid_after",
    ],
  ])("rejects a payment that %s without asking the facilitator", async (_, flaw, error) => {
    const { headers } = await sign(shop.url, payer, flaw)
    expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 402, required: { error } })
    expect(await since()).toEqual(nothing)
  })

  test.each<[string, Flaw, string]>([
    ["is signed for another network", { domain: { chainId: 8453 } }, "invalid_exact_evm_signature"],
    [
      "is signed for another token",
      { domain: { verifyingContract: stranger.address } },
      "invalid_exact_evm_signature",
    ],
    ["is signed by another key", { signer: stranger }, "invalid_exact_evm_signature"],
  ])("rejects a payment that %s for that reason, and does not search", async (_, flaw, error) => {
    const { headers } = await sign(shop.url, payer, flaw)
    expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 402, required: { error } })
    expect(await since()).toEqual({ ...nothing, verified: 1 })
  })

  test("tells a payer without funds so", async () => {
    const { headers } = await sign(shop.url, brokePayer)
    const error = "invalid_exact_evm_insufficient_balance"
    expect(await ask(shop.url, QUESTION, headers)).toMatchObject({ status: 402, required: { error } })
    expect(await since()).toEqual({ ...nothing, verified: 1 })
  })
})

test("clients that never close their side hold no descriptor of the paid listener", async () => {
  await using shop = await sellSearches({ X402_FACILITATOR_URL: "http://127.0.0.1:9" })
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const port = Number(new URL(shop.url).port)
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    }),
  )
  await expect.poll(() => shop.connections.open).toBe(20)
  for (const socket of sockets) socket.write("nonsense\r\n\r\n")
  await expect.poll(() => shop.connections.open).toBe(0)
  for (const socket of sockets) socket.destroy()
})

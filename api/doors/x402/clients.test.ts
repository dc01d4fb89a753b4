import { wrapAxiosWithPayment, x402Client as axiosClient } from "@x402/axios"
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from "@x402/core/schemas"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { create } from "axios"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

import { NETWORK, startChain, type TestChain, USDC } from "./testing/chain.ts"
import { startFacilitator, type TestFacilitator } from "./testing/facilitator.ts"
import { ask, signV1, unbase64 } from "./testing/payments.ts"
import { sellSearches } from "./testing/sell.ts"
import { payee, payer, payerAxios, payerV1 } from "./testing/wallets.ts"

// The payers are unmodified third-party clients; the test supplies only the wallet.

const QUESTION = { query: "pumps", search_depth: "advanced" }
const REQUEST = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(QUESTION),
}

describe("clients that pay", { tags: ["chain"] }, () => {
  let chain: TestChain
  let facilitator: TestFacilitator
  let shop: Awaited<ReturnType<typeof sellSearches>>
  let before: bigint

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
    before = await chain.balance(payee.address)
  })
  const earned = async () => (await chain.balance(payee.address)) - before

  test("a caller who does not pay gets the price, in both versions of the protocol", async () => {
    const { status, headers, required, body } = await ask(shop.url, QUESTION)
    expect(status).toBe(402)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("content-type")).toMatch(/^application\/json/)
    expect(PaymentRequiredV2Schema.parse(required)).toMatchObject({
      x402Version: 2,
      resource: { url: "https://search.example/search" },
      accepts: [{ scheme: "exact", network: NETWORK, amount: "10000", asset: USDC, payTo: payee.address }],
    })
    expect(PaymentRequiredV1Schema.parse(body)).toMatchObject({
      accepts: [{ network: "base-sepolia", maxAmountRequired: "10000", payTo: payee.address }],
    })
    expect(headers.get("payment-required")!.length).toBeLessThan(2000)
  })

  test("@x402/fetch pays and gets its answer, with a receipt of the network", async () => {
    const wallet = new x402Client().register("eip155:*", new ExactEvmScheme(payer))
    const funds = await chain.balance(payer.address)
    const response = await wrapFetchWithPayment(fetch, wallet)(`${shop.url}/search`, REQUEST)
    expect(response.status).toBe(200)
    expect(response.headers.get("cache-control")).toBe("private, no-store")
    expect(await response.json()).toMatchObject({ query: "pumps", results: [{ title: "Pumps" }] })
    const receipt = unbase64(response.headers.get("payment-response"))
    expect(receipt).toMatchObject({ success: true, network: NETWORK, payer: payer.address })
    expect(await chain.reader.getTransactionReceipt({ hash: receipt.transaction })).toMatchObject({
      status: "success",
    })
    expect(await earned()).toBe(10_000n)
    expect(funds - (await chain.balance(payer.address))).toBe(10_000n)
  })

  test("@x402/axios pays and gets its answer", async () => {
    const wallet = new axiosClient().register("eip155:*", new ExactEvmScheme(payerAxios))
    const client = wrapAxiosWithPayment(create(), wallet)
    const { status, data } = await client.post(`${shop.url}/search`, QUESTION)
    expect(status).toBe(200)
    expect(data.results).toHaveLength(1)
    expect(await earned()).toBe(10_000n)
  })

  test("a version 1 client, which reads only the body of the 402, pays and gets its answer", async () => {
    const wallet = new x402Client().registerV1("base-sepolia", new ExactEvmSchemeV1(payerV1))
    const seenByV1: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (response.status !== 402) return response
      return new Response(await response.text(), {
        status: 402,
        headers: { "Content-Type": "application/json" },
      })
    }
    const response = await wrapFetchWithPayment(seenByV1, wallet)(`${shop.url}/search`, REQUEST)
    expect(response.status).toBe(200)
    expect(unbase64(response.headers.get("x-payment-response"))).toMatchObject({
      success: true,
      network: "base-sepolia",
    })
    expect(await earned()).toBe(10_000n)
  })

  test("a handmade version 1 payment is accepted, and one that is too small is not", async () => {
    const short = await signV1(shop.url, payerV1, { authorization: { value: "9999" } })
    expect(await ask(shop.url, QUESTION, short.headers)).toMatchObject({ status: 402 })
    const right = await signV1(shop.url, payerV1)
    expect(await ask(shop.url, QUESTION, right.headers)).toMatchObject({ status: 200 })
    expect(await earned()).toBe(10_000n)
  })

  test("version 1 payments are ignored when version 1 is off", async () => {
    await using other = await sellSearches({ X402_FACILITATOR_URL: facilitator.url, X402_V1: "off" })
    const { headers } = await signV1(shop.url, payerV1)
    const { status, body } = await ask(other.url, QUESTION, headers)
    expect(status).toBe(402)
    expect(body).toEqual({ detail: { error: "PAYMENT-SIGNATURE header is required" } })
    expect(await earned()).toBe(0n)
  })
})

import { ExactEvmScheme } from "@x402/evm/exact/server"
import { getAddress, keccak256 as viemKeccak, toHex } from "viem"
import { describe, expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"

import { hit } from "../../testing/fake-engine.ts"
import { parseAddress } from "./chain/address.ts"
import { sellingOf, x402Settings } from "./settings.ts"
import { keccak256 } from "./chain/keccak.ts"
import { engineForSale } from "./for-sale.ts"
import { paymentTerms } from "./terms.ts"
import { StagedEngine } from "./testing/sell.ts"
import { NO_READERS } from "../../testing/no-readers.ts"

const PAY_TO = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
const COMPLETE = {
  FOSSICK_X402_SOURCES: "docs,wiki",
  X402_PAY_TO: PAY_TO,
  X402_NETWORK: "eip155:8453",
  X402_FACILITATOR_URL: "https://facilitator.example/",
  X402_PUBLIC_URL: "https://search.example/paid/",
}
const selling = (env: Readonly<Record<string, string>>) => sellingOf(readSettings(x402Settings, env), 8080)

describe("the x402 settings", () => {
  test("sell nothing until payee, network, facilitator and public address are all set", () => {
    expect(selling({})).toEqual({ on: false, missing: [] })
    expect(selling({ X402_PAY_TO: PAY_TO })).toEqual({
      on: false,
      missing: ["X402_NETWORK", "X402_FACILITATOR_URL", "X402_PUBLIC_URL"],
    })
    expect(selling(COMPLETE)).toMatchObject({
      on: true,
      config: { forSale: { sources: ["docs", "wiki"], collections: [] }, payTo: PAY_TO },
    })
  })

  test("sell no source by default, and all of them only if set explicitly", () => {
    expect(() => selling({ ...COMPLETE, FOSSICK_X402_SOURCES: "" })).toThrow("FOSSICK_X402_SOURCES must name")
    expect(() => selling({ ...COMPLETE, FOSSICK_X402_SOURCES: "*,docs" })).toThrow("must be either * alone")
    expect(selling({ ...COMPLETE, FOSSICK_X402_SOURCES: "*" })).toMatchObject({ config: { forSale: null } })
    const help = { ...COMPLETE, FOSSICK_X402_COLLECTIONS: "help" }
    for (const [sources, names] of [
      ["docs", ["docs"]],
      ["", []],
    ] as const)
      expect(selling({ ...help, FOSSICK_X402_SOURCES: sources })).toMatchObject({
        config: { forSale: { sources: names, collections: ["help"] } },
      })
    expect(() => selling({ ...help, FOSSICK_X402_SOURCES: "*" })).toThrow("must be either * alone")
  })

  test.each(["http://node.example/key", "https://node.example/key", ""])("accept a node at %j", (rpcUrl) => {
    expect(selling({ ...COMPLETE, X402_RPC_URL: rpcUrl })).toMatchObject({ on: true, config: { rpcUrl } })
  })

  test.each([
    ["X402_PAY_TO", PAY_TO.toLowerCase(), "include its checksum"],
    ["X402_PAY_TO", PAY_TO.replace("BC", "CB"), "include its checksum"],
    ["X402_PAY_TO", `0x${"0".repeat(40)}`, "must not be the zero address"],
    ["X402_PAY_TO", "0x12", "must be an address"],
    ["X402_PAY_TO", `x${PAY_TO}`, "must be an address"],
    ["X402_PAY_TO", `${PAY_TO}0`, "must be an address"],
    ["X402_NETWORK", "base", "must be one of eip155:8453, eip155:84532"],
    ["X402_FACILITATOR_URL", "ftp://facilitator.example", "must be an http or https address"],
    ["X402_RPC_URL", "ftp://me:secret@node.example", "must be an http or https address"],
    ["X402_RPC_URL", "xhttp://node.example", "must be an http or https address"],
    ["X402_RPC_URL", "httpx://node.example", "must be an http or https address"],
    ["X402_RPC_URL", "node.example", "must be an http or https address"],
    ["X402_PUBLIC_URL", "https://me:secret@search.example", "without a user name or password"],
    ["X402_SETTLE_TIMEOUT_MS", "60000", "must be a whole number from 100 to 30000"],
  ])("reject %s of %j", (name, value, why) => {
    expect(() => selling({ ...COMPLETE, [name]: value })).toThrow(`${name} ${why}`.slice(0, name.length))
    expect(() => selling({ ...COMPLETE, [name]: value })).toThrow(why)
    expect(() => selling({ ...COMPLETE, [name]: value })).not.toThrow("secret@")
  })

  test("require a separate port, which the system can choose", () => {
    const config = readSettings(x402Settings, { ...COMPLETE, FOSSICK_X402_PORT: "0" })
    expect(sellingOf(config, 0)).toMatchObject({ on: true, config: { port: 0 } })
    expect(() => selling({ ...COMPLETE, FOSSICK_X402_PORT: "8080" })).toThrow("must differ from FOSSICK_PORT")
  })

  test("a query never reaches sources that are not for sale", async () => {
    const engine = new StagedEngine()
    const query = { text: "pumps", limit: 5, filter: { sources: ["secret", "docs"], languages: ["en"] } }
    const collections = { sourcesOf: async (names: readonly string[]) => names.map((name) => `of-${name}`) }
    const parts = { collections, readers: NO_READERS }
    const ask = async (forSale: Parameters<typeof engineForSale>[1]) =>
      (await engineForSale(engine, forSale, parts).search(query)).hits
    expect(await ask({ sources: ["docs"], collections: [] })).toEqual([])
    expect(engine.queries.pop()!.filter).toMatchObject({ sources: ["docs"], languages: ["en"] })
    engine.hits = [hit({ source: "docs" }), hit({ source: "secret" })]
    expect(await ask({ sources: ["docs"], collections: ["help"] })).toMatchObject([{ source: "docs" }])
    // A deleted collection gives access to nothing.
    engine.queries.length = 0
    const nothing = { collections: { sourcesOf: async () => [] }, readers: NO_READERS }
    const gone = engineForSale(engine, { sources: [], collections: ["gone"] }, nothing)
    expect(await gone.search({ text: "pumps", limit: 5 })).toEqual({ hits: [] })
    expect(engine.queries).toEqual([])
  })
})

test.each([
  ["eip155:8453", "base", "USD Coin"],
  ["eip155:84532", "base-sepolia", "USDC"],
])("the price on %s is one cent in its own USDC", async (network, nameV1, domain) => {
  const one = selling({ ...COMPLETE, X402_NETWORK: network })
  const terms = await paymentTerms(one.on ? one.config : (undefined as never))
  const extra = { name: domain, version: "2" }
  expect(terms.requirements).toMatchObject({ network, amount: "10000", payTo: PAY_TO, extra })
  expect(terms.requirementsV1).toMatchObject({ network: nameV1, maxAmountRequired: "10000", extra })
  expect(terms.chainId).toBe(Number(network.slice("eip155:".length)))
  const resource = {
    url: "https://search.example/paid/search",
    description: "Web search at advanced depth, one request",
    mimeType: "application/json",
  }
  const { requirements } = terms
  expect(terms.challenge("no")).toEqual({ x402Version: 2, error: "no", resource, accepts: [requirements] })
  const { url, ...described } = resource
  expect(terms.requirementsV1).toMatchObject({ ...described, resource: url, maxTimeoutSeconds: 120 })
  for (const { scheme } of [requirements, terms.requirementsV1!]) expect(scheme).toBe("exact")
})

test("refuses a price that converts to a different amount", async () => {
  const price = { amount: "10001", asset: "0xtoken" }
  const parse = vi.spyOn(ExactEvmScheme.prototype, "parsePrice").mockResolvedValue(price)
  const one = selling(COMPLETE)
  await expect(paymentTerms(one.on ? one.config : (undefined as never))).rejects.toThrow(
    "USD 0.010000 came out as 10001 units of 0xtoken instead of 10000",
  )
  parse.mockRestore()
})

test("digests and checksums match another implementation", () => {
  for (const length of [0, 1, 31, 135, 136, 137, 300]) {
    const text = "f".repeat(length)
    expect(`0x${keccak256(text)}`).toBe(viemKeccak(toHex(text)))
  }
  for (let one = 1; one < 50; one++) {
    const address = getAddress(`0x${keccak256(String(one)).slice(24)}`)
    expect(parseAddress(address)).toBe(address)
  }
})

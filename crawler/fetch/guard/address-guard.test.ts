import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Agent } from "undici"
import { describe, expect, test } from "vitest"
import { AddressGuard } from "./address-guard.ts"
import { isPrivateByName } from "./allowed-networks.ts"
import { BlockedAddressError } from "./blocked-address.ts"
import { exchange } from "../exchange.ts"

function guard(...allowed: string[]): AddressGuard {
  return new AddressGuard({ allowed, connections: 4, connectTimeoutMs: 30_000 })
}

describe("addresses that are not public", () => {
  test.each([
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1./",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://192.0.0.8/",
    "http://198.18.0.1/",
    "http://203.0.113.9/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::1]/",
    "http://[::]/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001:db8::1]/",
  ])("%s is rejected", async (url) => {
    await using guarded = guard()
    expect(() => guarded.dispatcherFor(new URL(url))).toThrow(BlockedAddressError)
    expect(isPrivateByName(new URL(url))).toBe(true)
  })

  test.each(["http://93.184.216.34/", "http://[2606:2800:220:1::1]/", "https://example.com/"])(
    "%s may be connected to",
    async (url) => {
      await using guarded = guard()
      expect(() => guarded.dispatcherFor(new URL(url))).not.toThrow()
    },
  )
})

describe("a name that resolves to a private address", () => {
  test("is rejected when the connection is made", async () => {
    await using guarded = guard()
    const url = new URL("http://localhost:9/")
    const result = await exchange(guarded.dispatcherFor(url), url, {
      headers: {},
      maxBytes: 1000,
      signal: new AbortController().signal,
      wants: () => true,
    })
    expect(result).toMatchObject({
      kind: "error",
      error: { name: "BlockedAddressError", code: "BLOCKED_ADDRESS" },
    })
  })

  test.each([["localhost"], ["127.0.0.0/8"], ["*.invalid", "127.0.0.1", "::1"]])(
    "is reached when %s is allowed",
    async (...allowed) => {
      const server = createServer((_, response) => response.end("hello"))
      await new Promise<void>((done) => {
        server.listen(0, "127.0.0.1", done)
      })
      await using guarded = guard(...allowed)
      const url = new URL(`http://localhost:${(server.address() as AddressInfo).port}/`)
      const result = await exchange(guarded.dispatcherFor(url), url, {
        headers: {},
        maxBytes: 1000,
        signal: new AbortController().signal,
        wants: () => true,
      })
      server.close()
      expect(result).toMatchObject({ kind: "response", status: 200 })
    },
  )
})

test("requests under the same rules share their connections, which close with the guard", async () => {
  const guarded = guard("near.example")
  const at = (url: string) => guarded.dispatcherFor(new URL(url)) as Agent
  const agent = at("https://docs.example/a")
  expect(at("https://wiki.example/")).toBe(agent)
  const near = at("http://near.example/")
  expect(near).not.toBe(agent)
  await guarded[Symbol.asyncDispose]()
  expect([agent.destroyed, near.destroyed]).toEqual([true, true])
})

test("a guard without a source has no hosts to check", async () => {
  await using guarded = guard()
  await expect(guarded.checkHosts()).resolves.toBeUndefined()
})

describe("allowed networks", () => {
  test("a port narrows an entry to that port", async () => {
    await using guarded = guard("127.0.0.1:8080", "[::1]:8080")
    expect(() => guarded.dispatcherFor(new URL("http://127.0.0.1:8080/"))).not.toThrow()
    expect(() => guarded.dispatcherFor(new URL("http://[::1]:8080/"))).not.toThrow()
    expect(() => guarded.dispatcherFor(new URL("http://127.0.0.1:6379/"))).toThrow(BlockedAddressError)
  })

  test("a range covers IPv4 addresses mapped to IPv6", async () => {
    await using guarded = guard("10.0.0.0/8")
    expect(() => guarded.dispatcherFor(new URL("http://[::ffff:10.0.0.1]/"))).not.toThrow()
  })

  test("an invalid entry is named", () => {
    expect(() => guard("http://intranet/")).toThrow(`"http://intranet/" isn't one`)
  })
})

import { once } from "node:events"
import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { OutgoingProxy } from "../connect/outgoing-proxy.ts"
import { AddressGuard, type AddressGuardOptions } from "../guard/address-guard.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { startTestProxy } from "../../testing/test-proxy.ts"
import { bytes, endless, redirect, startTestSite } from "../../testing/test-site.ts"
import { GuardProxy, type ProxyPass } from "./guard-proxy.ts"

describe("the proxy in front of the browser", () => {
  test("fetches what the guard allows, and counts the bytes", async () => {
    await using site = await startTestSite({
      "/data.json": bytes("[1]", { "content-type": "application/json" }),
    })
    await using out = await opened(site.authority)
    const answer = await get(out, site.url("/data.json"))
    expect(answer).toMatchObject({ status: 200, body: "[1]" })
    expect(out.pass.bytes).toBeGreaterThan(3)
    expect((await tunnel(out, site.authority, "GET /data.json HTTP/1.0\r\n\r\n")).body).toContain("[1]")
  })

  test("answers 407 without a pass, or with an expired one", async () => {
    await using site = await startTestSite({ "/": "private" })
    await using out = await opened(site.authority)
    expect((await get({ proxy: out.proxy }, site.url("/"))).status).toBe(407)
    expect((await tunnel({ proxy: out.proxy }, site.authority, "")).status).toBe(407)
    out.pass[Symbol.dispose]()
    expect((await get(out, site.url("/"))).status).toBe(407)
    expect(site.requests).toEqual([])
  })

  test.each(["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"])(
    "reaches no private address by the name %s",
    async (host) => {
      await using site = await startTestSite({ "/": "private" })
      await using out = await opened("127.0.0.1:9")
      const port = new URL(site.origin).port
      expect((await get(out, `http://${host}:${port}/`)).status).toBe(502)
      expect((await tunnel(out, `${host}:${port}`, "GET / HTTP/1.0\r\n\r\n")).status).toBe(502)
      expect(site.requests).toEqual([])
      expect(out.pass.refused).toHaveLength(1)
    },
  )

  test("closes even if clients keep their connections open", async () => {
    await using site = await startTestSite({ "/": "private" })
    const proxy = await GuardProxy.start()
    await using guard = new AddressGuard({ allowed: [], connections: 4, connectTimeoutMs: 30_000 })
    const pass = proxy.admit(guard, 1_000_000)
    const { port } = new URL(proxy.address)
    const clients = [{}, credentials(pass)].map((headers) => {
      const client = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true })
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      // A hanging browser sends nothing else, and does not close its end of the connection.
      client.write(`CONNECT ${site.authority} HTTP/1.1\r\nhost: a\r\n${fields.join("")}\r\nunread`)
      return client
    })
    await Promise.all(clients.map((client) => once(client, "data")))
    const closed = Promise.all(
      clients.map((client) =>
        once(
          client.on("error", () => {}),
          "close",
        ),
      ),
    )
    await proxy[Symbol.asyncDispose]()
    for (const client of clients) client.end()
    await closed
    expect(site.requests).toEqual([])
  })

  test("leaves redirects to the browser, whose next request is checked again", async () => {
    await using canary = await startTestSite({ "/": "private" })
    await using site = await startTestSite({ "/to": redirect(canary.url("/")) })
    await using out = await opened(site.authority)
    expect(await get(out, site.url("/to"))).toMatchObject({ status: 302 })
    expect((await get(out, canary.url("/"))).status).toBe(502)
    expect(canary.requests).toEqual([])
  })

  test("cuts off a page that receives more than its limit", async () => {
    await using site = await startTestSite({ "/endless": endless(50_000_000), "/more": "more" })
    await using out = await opened(site.authority, 1_000_000)
    await expect(get(out, site.url("/endless"))).rejects.toThrow(/aborted|hang up|reset/)
    expect(out.pass.isSpent).toBe(true)
    expect(out.pass.bytes).toBeLessThan(5_000_000)
    expect((await get(out, site.url("/more"))).status).toBe(407)
  })

  test.each(["/relative", "ftp://127.0.0.1/", "https://127.0.0.1/"])("refuses to forward %s", async (url) => {
    await using out = await opened("127.0.0.0/8")
    expect((await get(out, url)).status).toBe(400)
  })

  test("forwards no proxy headers to the site", async () => {
    const seen: string[] = []
    await using site = await startTestSite({
      "/": (incoming, response) => {
        seen.push(...Object.keys(incoming.headers))
        response.end()
      },
    })
    await using out = await opened(site.authority)
    await get(out, site.url("/"), { "x-kept": "1" })
    expect(seen).toContain("x-kept")
    expect(seen.filter((name) => name.startsWith("proxy-"))).toEqual([])
  })
})

describe("the proxy in front of the browser, behind an outgoing proxy", () => {
  test("reaches the internet only through it, with a password that the page never sees", async () => {
    using internet = new FakeInternet({ "docs.example": PUBLIC_ADDRESS, "inner.example": "10.1.2.3" })
    const headers: string[] = []
    await using site = await startTestSite({
      "/": (incoming, response) => {
        headers.push(...Object.keys(incoming.headers))
        response.end("far")
      },
    })
    await using far = await startTestProxy("crawler:pass-word", () => ({
      port: Number(new URL(site.origin).port),
    }))
    await using out = await opened("127.0.0.0/8", 10_000_000, {
      resolve: internet.resolve,
      proxy: OutgoingProxy.of({
        proxy: `http://crawler:pass-word@${far.authority}`,
        proxyPasswordFile: "",
        proxyExcept: [],
        proxyLookup: "here",
      }),
    })
    expect(await get(out, "http://docs.example/")).toEqual({ status: 200, body: "far" })
    const { status, body } = await tunnel(out, "docs.example:443", "GET / HTTP/1.0\r\n\r\n")
    expect([status, body.endsWith("far")]).toEqual([200, true])
    expect((await tunnel(out, "inner.example:443", "")).status).toBe(502)
    expect(far.tunnels).toEqual([`${PUBLIC_ADDRESS}:80`, `${PUBLIC_ADDRESS}:443`])
    expect(headers).not.toContain("proxy-authorization")
  })
})

interface Way {
  readonly proxy: GuardProxy
  readonly pass?: ProxyPass
}

async function opened(
  allowed: string,
  maxBytes = 10_000_000,
  more: Pick<AddressGuardOptions, "proxy" | "resolve"> = {},
) {
  const guard = new AddressGuard({ allowed: [allowed], connections: 4, connectTimeoutMs: 30_000, ...more })
  const proxy = await GuardProxy.start()
  const pass = proxy.admit(guard, maxBytes)
  return {
    proxy,
    pass,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await guard[Symbol.asyncDispose]()
    },
  }
}

function credentials(pass: ProxyPass | undefined): Record<string, string> {
  if (!pass) return {}
  const encoded = Buffer.from(`${pass.username}:${pass.password}`).toString("base64")
  return { "proxy-authorization": `Basic ${encoded}` }
}

async function get({ proxy, pass }: Way, path: string, headers: Record<string, string> = {}) {
  return await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const { port } = new URL(proxy.address)
    request(
      { host: "127.0.0.1", port, path, headers: { ...credentials(pass), ...headers }, agent: false },
      (answer) => {
        resolve(text(answer).then((body) => ({ status: answer.statusCode, body })))
      },
    )
      .on("error", reject)
      .end()
  })
}

async function tunnel({ proxy, pass }: Way, target: string, send: string) {
  const socket = connect(Number(new URL(proxy.address).port), "127.0.0.1")
  const headers = Object.entries(credentials(pass)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${headers.join("")}\r\n${send}`)
  const body = await text(socket)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(body)?.[1]), body }
}

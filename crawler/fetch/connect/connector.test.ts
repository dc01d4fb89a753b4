import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type LookupFunction, type Socket } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { TLSSocket } from "node:tls"

import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { OutboundLedger } from "#base/outbound/outbound-ledger.ts"
import { writeOutbound } from "#base/outbound/outbound.ts"
import { freePort } from "#base/testing/free-port.ts"

import { PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { startSecureSite } from "../../testing/secure-site.ts"
import { startTestProxy } from "../../testing/test-proxy.ts"
import { openSocket, secureSocket, type Way } from "./connector.ts"
import { makeCertificate } from "./make-certificate.ts"
import { OutgoingProxy, type ProxySettings } from "./outgoing-proxy.ts"
import { SourceTls, tlsProblems } from "./source-tls.ts"

// Connections that something else than undici is given: plain ones and secure ones, directly and through the proxy.

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const file = (name: string, text: string) => {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}
const root = makeCertificate({ subject: "Connector Root", isAuthority: true })
const caFile = file("root.pem", root.cert)
const NO_SOURCE = { seeds: [], caFile: null, clientCert: null, login: null } as const

const leadsTo = (address: string) =>
  ((_host, { all }, done) =>
    all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)) as LookupFunction
const toLoopback = leadsTo("127.0.0.1")
const toInternet = leadsTo(PUBLIC_ADDRESS)
const way = (more: Partial<Way> = {}): Way => ({
  purpose: "crawl",
  timeoutMs: 60_000,
  proxy: null,
  tls: null,
  isNear: () => false,
  ...more,
})
const through = (authority: string, more: Partial<ProxySettings> = {}) =>
  OutgoingProxy.of({
    proxy: `http://${authority}`,
    proxyPasswordFile: "",
    proxyExcept: [],
    proxyLookup: "here",
    ...more,
  })

/** Whom this process talked to since the last look. */
function talkedTo(): string[] {
  using db = new DatabaseSync(":memory:")
  db.exec("create table schema_version (part text primary key, version integer not null) strict")
  writeOutbound(db)
  return new OutboundLedger(db)
    .list({ limit: 100, offset: 0 })
    .map(({ purpose, host }) => `${purpose} ${host}`)
    .sort()
}

/** A server that says `greeting` to whoever connects, and then what it is told; null: it says nothing at all. */
async function startEcho(greeting: string | null = "") {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    if (greeting === null) return
    socket.write(greeting)
    socket.pipe(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** What comes back for some bytes. */
async function answerOver(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [data] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return data.toString()
}

beforeEach(() => void talkedTo())
afterEach(() => vi.useRealTimers())

describe("a plain connection", () => {
  test("is made to the address that was checked, noted, and left to whoever asked", async () => {
    await using echo = await startEcho()
    const socket = await openSocket(new URL(`http://docs.example:${echo.port}/a`), toLoopback, way())
    expect(talkedTo()).toEqual([`crawl docs.example:${echo.port}`])
    // Neither a time-out nor an error of what it is used for is ours.
    expect([socket.timeout ?? 0, socket.listenerCount("error")]).toEqual([0, 0])
    expect(await answerOver(socket, "hello")).toBe("hello")
  })

  test("that is refused, or is not there in time, is none, and nobody was talked to", async () => {
    const refused = openSocket(new URL(`http://docs.example:${await freePort()}/`), toLoopback, way())
    await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" })
    const never = (() => {}) as LookupFunction
    const late = openSocket(new URL("http://docs.example/"), never, way({ timeoutMs: 20 }))
    await expect(late).rejects.toThrow("no connection in time")
    expect(talkedTo()).toEqual([])
  })

  test("goes through the proxy, and both are noted", async () => {
    await using echo = await startEcho()
    await using proxy = await startTestProxy(null, () => echo)
    const out = way({ proxy: through(proxy.authority) })
    const socket = await openSocket(new URL("http://docs.example/a"), toInternet, out)
    expect([await answerOver(socket, "hello"), socket.timeout ?? 0]).toEqual(["hello", 0])
    expect(proxy.tunnels).toEqual([`${PUBLIC_ADDRESS}:80`])
    expect(talkedTo()).toEqual(["crawl docs.example", `proxy ${proxy.authority}`])
    const nowhere = ((_host, _options, done) => done(null, [])) as LookupFunction
    await expect(openSocket(new URL("http://docs.example/"), nowhere, out)).rejects.toThrow(
      "docs.example has no address",
    )
  })
})

describe("the proxy", () => {
  test("is told an address of IPv6 in brackets, and its credentials where there are any", async () => {
    await using echo = await startEcho()
    for (const [credentials, user, password] of [
      [null, "", ""],
      ["me:p@ss", "me:p%40ss@", ""],
      ["me:", "me@", ""],
      [":p@ss", ":p%40ss@", ""],
      ["me:of a file", "me@", file("password", "of a file\r\n")],
    ] as const) {
      await using proxy = await startTestProxy(credentials, () => echo)
      const open = through(`${user}${proxy.authority}`, { proxyPasswordFile: password })!
      expect(await answerOver(await open.open("2001:db8::1", 443, 60_000), "hello")).toBe("hello")
      expect(proxy.tunnels).toEqual(["[2001:db8::1]:443"])
    }
  })

  test("may send what the site says along with its yes", async () => {
    await using proxy = await startEcho("HTTP/1.1 200 OK\r\n\r\nwelcome")
    const socket = await through(`127.0.0.1:${proxy.port}`)!.open("docs.example", 25, 60_000)
    const [data] = (await once(socket, "data")) as [Buffer]
    socket.destroy()
    expect(data.toString()).toMatch(/^welcome/)
  })

  test("that says nothing in time may do it the next time, and one that says no will not", async () => {
    await using silent = await startEcho(null)
    const late = through(`127.0.0.1:${silent.port}`)!.open("docs.example", 80, 30)
    await expect(late).rejects.toMatchObject({ name: "ProxyError", transient: true })
    await expect(late).rejects.toThrow(`the proxy 127.0.0.1:${silent.port} gave no connection in time`)
    for (const [status, transient] of [
      [403, false],
      [407, false],
      [499, false],
      [500, true],
      [503, true],
    ] as const) {
      await using proxy = await startTestProxy(null, () => ({ status }))
      await expect(through(proxy.authority)!.open("docs.example", 80, 60_000)).rejects.toMatchObject({
        name: "ProxyError",
        transient,
      })
    }
  })
})

describe("a secure connection", () => {
  const forNames = makeCertificate({ subject: "site", names: ["docs.example", "127.0.0.1"], issuer: root })
  const tls = new SourceTls({ ...NO_SOURCE, caFile }, {})

  async function secured(port: number, host: string, more: Partial<Way> = {}): Promise<TLSSocket> {
    const url = new URL(`https://${host}:${port}/`)
    return await secureSocket(await openSocket(url, toLoopback, way(more)), url, way(more))
  }

  test("is made over it, for the name that was asked for, and speaks HTTP/1.1", async () => {
    const asked: (string | false | undefined)[] = []
    await using site = await startSecureSite(forNames, {
      ALPNProtocols: ["h2", "http/1.1"],
      SNICallback: (name, done) => {
        asked.push(name)
        done(null)
      },
    })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    for (const host of ["docs.example", "127.0.0.1"]) {
      const socket = await secured(site.port, host, { tls })
      expect([socket.authorized, socket.alpnProtocol, vi.getTimerCount()]).toEqual([true, "http/1.1", 0])
      socket.destroy()
    }
    // An address is no name.
    expect(asked).toEqual(["docs.example"])
  })

  test("by an authority that is not known, or for another name, is refused with the reason", async () => {
    await using site = await startSecureSite(forNames)
    await expect(secured(site.port, "docs.example")).rejects.toThrow("an authority that is not known here")
    await expect(secured(site.port, "wiki.example", { tls })).rejects.toThrow(
      "the certificate is for docs.example, 127.0.0.1, not for wiki.example",
    )
  })

  test("names three of many names, and the subject where a certificate has none", async () => {
    const names = ["a.example", "b.example", "c.example", "d.example", "e.example"]
    await using many = await startSecureSite(makeCertificate({ subject: "many", names, issuer: root }))
    await expect(secured(many.port, "docs.example", { tls })).rejects.toThrow(
      "is for a.example, b.example, c.example and 2 more, not for docs.example",
    )
    await using none = await startSecureSite(makeCertificate({ subject: "none", issuer: root }))
    await expect(secured(none.port, "docs.example", { tls })).rejects.toThrow(
      'the certificate is for "none", not for docs.example',
    )
  })

  test("that is not there in time is none", async () => {
    await using silent = await startEcho(null)
    await expect(secured(silent.port, "docs.example", { timeoutMs: 30 })).rejects.toThrow(
      "no connection in time",
    )
  })
})

describe("a source's certificates", () => {
  const client = makeCertificate({ subject: "fossick", issuer: root })
  const clientCert = {
    cert: `file:${file("client.pem", client.cert)}`,
    key: "${CLIENT_KEY}",
    passphrase: null,
  }

  test("are shown to its seeds and the page of its login, be they named by http, and to no other", () => {
    const login = { kind: "form", url: "https://login.example:8443/in" } as never
    const seeds = ["http://docs.example/a", "https://wiki.example/", "http://intranet.example:8080/"]
    const tls = new SourceTls({ seeds, caFile: null, clientCert, login }, { CLIENT_KEY: client.key })
    const own = tls.contextFor(new URL("https://docs.example/b"))
    expect(own).toBeDefined()
    const isOwn = (address: string) => tls.contextFor(new URL(address)) === own
    for (const address of [
      "https://docs.example:443/",
      "https://wiki.example/x",
      "https://login.example:8443/",
      "https://intranet.example:8080/",
    ])
      expect([address, isOwn(address)]).toEqual([address, true])
    for (const address of [
      "https://docs.example:8443/",
      "https://login.example/",
      "https://intranet.example/",
      "https://other.example/",
    ])
      expect([address, tls.contextFor(new URL(address))]).toEqual([address, undefined])
  })

  test("are named by references, each field by itself", () => {
    expect(tlsProblems({ caFile: "/ca.pem", clientCert })).toEqual([])
    expect(tlsProblems({})).toEqual([])
    const problems = tlsProblems({
      caFile: "ca.pem",
      clientCert: { cert: "x", key: "${KEY}", passphrase: "y" },
    })
    expect(problems.map(({ path }) => path)).toEqual([
      ["caFile"],
      ["clientCert", "cert"],
      ["clientCert", "passphrase"],
    ])
    expect(problems[1]!.message).toMatch(/^must name a secret/)
  })
})

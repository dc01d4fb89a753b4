import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer as createHttpServer, type IncomingHttpHeaders } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer, type LookupFunction, type Socket } from "node:net"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates, type TlsOptions, type TLSSocket } from "node:tls"

import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { talkedTo } from "#base/outbound/testing/talked-to.ts"
import { freePort } from "#base/testing/free-port.ts"

import { PUBLIC_ADDRESS } from "../../testing/fake-internet.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { startSecureSite } from "../../testing/secure-site.ts"
import { startTestProxy } from "../../testing/test-proxy.ts"
import { AddressGuard } from "../guard/address-guard.ts"
import { connectorFor, openSocket, secureSocket, type Way } from "./connector.ts"
import { makeCertificate } from "./make-certificate.ts"
import { OutgoingProxy, type ProxySettings } from "./outgoing-proxy.ts"
import { SourceTls, tlsOf, tlsProblems } from "./source-tls.ts"

// Opens connections the way users other than undici do: plain and secure ones, directly and through the proxy.

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

/** A server that sends `greeting` to each client, then echoes the data it receives; `null` if it sends nothing. */
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

/**
 * Starts a proxy that records its requests, answers `yes`, and keeps the connection open; with a certificate,
 * connections to it are secure.
 * @param yes its answer in wire format
 */
async function startAskedProxy(yes: string, secure?: TlsOptions) {
  const asked: IncomingHttpHeaders[] = []
  const closed: Promise<unknown>[] = []
  const server = secure ? createHttpsServer(secure) : createHttpServer()
  server.on("connect", ({ headers }, client: Socket) => {
    asked.push(headers)
    closed.push(once(client, "close"))
    client.on("error", () => {}).resume()
    client.once("end", () => client.end())
    client.write(yes)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    authority: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** For each connection, a promise that resolves when it closes. */
    closed,
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done))
    },
  }
}
const YES = "HTTP/1.1 200 OK\r\n\r\n"

/** The options that undici passes to a connector to request a connection. */
const asks = (url: string) => {
  const { protocol, host, hostname, port } = new URL(url)
  return { protocol, host, hostname, port }
}

/** A connection as undici receives it. */
const connected = (url: string, lookup: LookupFunction, out: Way): Promise<Socket> =>
  new Promise((resolve, reject) => {
    connectorFor(lookup, out)(asks(url), (...[error, socket]) => {
      if (error) reject(error)
      else resolve(socket)
    })
  })

/** The answer to the given bytes. */
async function answerOver(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [data] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return data.toString()
}

beforeEach(async () => void (await talkedTo()))
afterEach(() => vi.useRealTimers())

describe("a plain connection", () => {
  test("goes to the checked address, is recorded, and is left to the caller", async () => {
    await using echo = await startEcho()
    const socket = await openSocket(new URL(`http://docs.example:${echo.port}/a`), toLoopback, way())
    expect(await talkedTo()).toEqual([`crawl docs.example:${echo.port}`])
    // The caller is responsible for time-outs and errors while using the connection.
    expect([socket.timeout ?? 0, socket.listenerCount("error")]).toEqual([0, 0])
    expect(await answerOver(socket, "hello")).toBe("hello")
  })

  test("that is refused or times out fails, and is not recorded", async () => {
    const refused = openSocket(new URL(`http://docs.example:${await freePort()}/`), toLoopback, way())
    await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" })
    const never = (() => {}) as LookupFunction
    const late = openSocket(new URL("http://docs.example/"), never, way({ timeoutMs: 20 }))
    await expect(late).rejects.toThrow("the connection timed out")
    expect(await talkedTo()).toEqual([])
  })

  test("goes through the proxy, and both are recorded", async () => {
    await using echo = await startEcho()
    await using proxy = await startTestProxy(null, () => echo)
    const out = way({ proxy: through(proxy.authority) })
    const socket = await openSocket(new URL("http://docs.example/a"), toInternet, out)
    expect([await answerOver(socket, "hello"), socket.timeout ?? 0]).toEqual(["hello", 0])
    expect(proxy.tunnels).toEqual([`${PUBLIC_ADDRESS}:80`])
    expect(await talkedTo()).toEqual(["crawl docs.example", `proxy ${proxy.authority}`])
    const nowhere = ((_host, _options, done) => done(null, [])) as LookupFunction
    await expect(openSocket(new URL("http://docs.example/"), nowhere, out)).rejects.toThrow(
      "docs.example has no address",
    )
  })
})

describe("an undici connection", () => {
  test("goes through the proxy to the requested port, and is recorded with it", async () => {
    await using echo = await startEcho()
    await using proxy = await startTestProxy(null, () => echo)
    const out = way({ proxy: through(proxy.authority) })
    const socket = await connected("http://docs.example:8081/", toInternet, out)
    expect(await answerOver(socket, "hello")).toBe("hello")
    expect(proxy.tunnels).toEqual([`${PUBLIC_ADDRESS}:8081`])
    expect(await talkedTo()).toEqual(["crawl docs.example:8081", `proxy ${proxy.authority}`])
  })

  test("looks up no name for an address", async () => {
    await using echo = await startEcho()
    await using proxy = await startTestProxy(null, () => echo)
    const asked = ((host, _options, done) => done(new Error(`${host} was looked up`), "")) as LookupFunction
    const out = way({ proxy: through(proxy.authority) })
    const socket = await connected(`http://${PUBLIC_ADDRESS}/`, asked, out)
    expect(await answerOver(socket, "hello")).toBe("hello")
  })

  test("resumes the TLS session of the previous one with the same certificates", async () => {
    const docs = makeCertificate({ subject: "docs", names: ["docs.example"], issuer: root })
    await using site = await startSecureSite(docs)
    const tls = new SourceTls({ ...NO_SOURCE, caFile }, {})
    const connector = connectorFor(toLoopback, way({ tls }))
    const sessions: unknown[] = []
    const next = () =>
      new Promise<TLSSocket>((resolve, reject) => {
        connector(asks(`https://docs.example:${site.port}/`), (...[error, socket]) => {
          if (error) reject(error)
          else resolve(socket as TLSSocket)
        })
      })
    const first = await next()
    // The test keeps a reference to the session because undici has only a weak one.
    sessions.push(...((await once(first, "session")) as unknown[]))
    const second = await next()
    expect([first, second].map((socket) => socket.isSessionReused())).toEqual([false, true])
    expect(sessions).toHaveLength(1)
    for (const socket of [first, second]) socket.destroy()
  })
})

describe("a guard", () => {
  test("opens plain connections and secure ones over them, recorded as the crawl's by default", async () => {
    const docs = makeCertificate({ subject: "docs", names: ["docs.example"], issuer: root })
    await using site = await startSecureSite(docs)
    const tls = new SourceTls({ ...NO_SOURCE, caFile }, {})
    await using guard = new AddressGuard({
      allowed: ["docs.example"],
      connections: 1,
      connectTimeoutMs: 60_000,
      tls,
      resolve: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    })
    const url = new URL(`https://docs.example:${site.port}/`)
    const socket = await guard.secure(await guard.open(url), url)
    expect(socket.authorized).toBe(true)
    socket.destroy()
    expect(await talkedTo()).toEqual([`crawl ${url.host}`])
  })

  test("uses its own TLS when a source has certificates or there are extra authorities", () => {
    const tls = new SourceTls({ ...NO_SOURCE, caFile }, {})
    const ownsTls = (more: object) =>
      new AddressGuard({ allowed: [], connections: 1, connectTimeoutMs: 1, ...more }).ownsTls
    expect(ownsTls({})).toBe(false)
    expect(ownsTls({ tls: null, hasOwnAuthorities: false })).toBe(false)
    expect(ownsTls({ tls })).toBe(true)
    expect(ownsTls({ hasOwnAuthorities: true })).toBe(true)
  })
})

describe("the proxy", () => {
  test("is the configured one, or null when none is configured", () => {
    expect(OutgoingProxy.of()).toBeNull()
    expect(through("x")).not.toBeNull()
    const none = { proxy: "", proxyPasswordFile: "", proxyExcept: [], proxyLookup: "here" } as const
    expect(OutgoingProxy.of(none)).toBeNull()
  })

  test("gets no credentials when there are none, and those of a file without its last line break", async () => {
    await using proxy = await startAskedProxy(YES)
    const password = file("two lines", "of a\nfile\n")
    for (const [user, more] of [
      ["", {}],
      ["me:secret@", {}],
      ["me@", { proxyPasswordFile: password }],
    ] as const) {
      const open = through(`${user}${proxy.authority}`, more)!
      const tunnel = await open.open("docs.example", 443, 60_000)
      tunnel.destroy()
    }
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
    expect(proxy.asked.map(({ "proxy-authorization": told }) => told)).toEqual([
      undefined,
      basic("me:secret"),
      basic("me:of a\nfile"),
    ])
    // Headers for the proxy do not reach the target.
    expect(proxy.asked.map(({ authorization, host }) => [authorization, host])).toEqual(
      Array.from({ length: 3 }, () => [undefined, "docs.example:443"]),
    )
  })

  test("may require a secure connection, and gets no credentials when its certificate is not trusted", async () => {
    const own = makeCertificate({ subject: "proxy", names: ["localhost", "127.0.0.1"] })
    const names: string[] = []
    await using proxy = await startAskedProxy(YES, {
      ...own,
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
    })
    const { port } = new URL(`http://${proxy.authority}`)
    const secure = (host: string) => through("", { proxy: `https://me:secret@${host}:${port}` })!
    await expect(secure("127.0.0.1").open("docs.example", 443, 60_000)).rejects.toThrow(
      `the proxy ${proxy.authority} cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    )
    expect(proxy.asked).toEqual([])
    const known = getCACertificates("default")
    setDefaultCACertificates([...known, own.cert])
    try {
      for (const host of ["127.0.0.1", "localhost"]) {
        const tunnel = await secure(host).open("docs.example", 443, 60_000)
        tunnel.destroy()
      }
    } finally {
      setDefaultCACertificates(known)
    }
    expect(proxy.asked).toHaveLength(2)
    // The server name (SNI) is the proxy's, not the site's, and IP addresses are never sent as server names.
    expect(names).toEqual(["localhost"])
  })

  test.each(["403 No", "407 Who", "204 Nothing", "100 Continue"])(
    "that answers %s is disconnected, even if it keeps the connection open",
    async (status) => {
      await using proxy = await startAskedProxy(`HTTP/1.1 ${status}\r\ncontent-length: 3\r\n\r\nno.`)
      await expect(through(proxy.authority)!.open("docs.example", 80, 60_000)).rejects.toThrow(
        status.slice(0, 3),
      )
      await Promise.all(proxy.closed)
      expect(proxy.closed).toHaveLength(1)
    },
  )

  test("that cannot be reached is a transient failure", async () => {
    const authority = `127.0.0.1:${await freePort()}`
    await expect(through(authority)!.open("docs.example", 80, 60_000)).rejects.toMatchObject({
      name: "ProxyError",
      message: `the proxy ${authority} cannot be reached (ECONNREFUSED)`,
      transient: true,
      cause: { code: "ECONNREFUSED" },
    })
  })

  test("gets IPv6 addresses in brackets, and credentials if there are any", async () => {
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

  test("may send the site's first bytes along with its response", async () => {
    await using proxy = await startEcho("HTTP/1.1 200 OK\r\n\r\nwelcome")
    const socket = await through(`127.0.0.1:${proxy.port}`)!.open("docs.example", 25, 60_000)
    const [data] = (await once(socket, "data")) as [Buffer]
    socket.destroy()
    expect(data.toString()).toMatch(/^welcome/)
  })

  test("that times out or answers 5xx is a transient failure, and one that answers 4xx is permanent", async () => {
    await using silent = await startEcho(null)
    const late = through(`127.0.0.1:${silent.port}`)!.open("docs.example", 80, 30)
    await expect(late).rejects.toMatchObject({
      name: "ProxyError",
      message: `the connection through the proxy 127.0.0.1:${silent.port} timed out`,
      transient: true,
    })
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

  test("is made over a plain one, for the requested name, and speaks HTTP/1.1", async () => {
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
      // The caller handles errors.
      expect(socket.listenerCount("error")).toBe(0)
      socket.destroy()
    }
    // An IP address is not sent as a server name.
    expect(asked).toEqual(["docs.example"])
  })

  test("by an unknown authority or for another name is rejected with the reason", async () => {
    await using site = await startSecureSite(forNames)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    await expect(secured(site.port, "docs.example")).rejects.toThrow(
      "an authority that this appliance doesn't trust",
    )
    expect(vi.getTimerCount()).toBe(0)
    await expect(secured(site.port, "wiki.example", { tls })).rejects.toThrow(
      "the certificate is for docs.example, 127.0.0.1, not for wiki.example",
    )
  })

  test("names three of many names, or the subject when a certificate has none", async () => {
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

  test("that takes too long times out", async () => {
    await using silent = await startEcho(null)
    await expect(secured(silent.port, "docs.example", { timeoutMs: 30 })).rejects.toThrow(
      "the connection timed out",
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

  test("are shown to its seeds and its login page, even when these are http addresses, and to no other site", () => {
    const login = { kind: "form", url: "https://login.example:8443/in" } as never
    const seeds = [
      "http://docs.example/a",
      "https://wiki.example/",
      "http://intranet.example:8080/",
      "http://odd.example:443/",
    ]
    const tls = new SourceTls({ seeds, caFile: null, clientCert, login }, { CLIENT_KEY: client.key })
    const own = tls.contextFor(new URL("https://docs.example/b"))
    expect(own).toBeDefined()
    const isOwn = (address: string) => tls.contextFor(new URL(address)) === own
    for (const address of [
      "https://docs.example:443/",
      "https://wiki.example/x",
      "https://login.example:8443/",
      "https://intranet.example:8080/",
      "https://odd.example/",
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

  test("are null when a source names none, and share one authority across all its connections", () => {
    expect(tlsOf(NO_SOURCE, {})).toBeNull()
    const tls = tlsOf({ ...NO_SOURCE, seeds: ["https://docs.example/"], caFile }, {})!
    const contexts = ["https://docs.example/", "https://other.example/"].map((address) =>
      tls.contextFor(new URL(address)),
    )
    expect(contexts[0]).toBeDefined()
    expect(contexts[0]).toBe(contexts[1])
  })

  test("are sent with the intermediates that lead to an authority the site knows", async () => {
    const middle = makeCertificate({ subject: "Connector Issuing", isAuthority: true, issuer: root })
    const own = makeCertificate({ subject: "fossick", issuer: middle })
    const chain = `file:${file("chain.pem", `${own.cert}\nthe one that issued it:\n${middle.cert}`)}`
    const docs = makeCertificate({ subject: "docs", names: ["docs.example"], issuer: root })
    await using site = await startSecureSite(docs, {
      requestCert: true,
      rejectUnauthorized: true,
      ca: root.cert,
    })
    const url = new URL(`https://docs.example:${site.port}/`)
    const tls = new SourceTls(
      { ...NO_SOURCE, seeds: [url.href], caFile, clientCert: { ...clientCert, cert: chain } },
      { CLIENT_KEY: own.key },
    )
    const socket = await secureSocket(await openSocket(url, toLoopback, way()), url, way({ tls }))
    const answer = await answerOver(socket, "GET / HTTP/1.1\r\nhost: docs.example\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(site.requests).toEqual([{ path: "/", client: "fossick" }])
  })

  test("are reported by field when missing, with the system's reason", () => {
    const seeds = ["https://docs.example/"]
    const made = (more: object, env: NodeJS.ProcessEnv) => {
      try {
        return tlsOf({ ...NO_SOURCE, seeds, ...more }, env)
      } catch (error) {
        return error
      }
    }
    const env = { CLIENT_KEY: client.key, NONE: "no certificate" }
    expect(made({ clientCert: { ...clientCert, passphrase: "${PASS}" } }, env)).toMatchObject({
      message: "clientCert.passphrase: the secret ${PASS} is not set in the crawler's environment",
    })
    expect(made({ caFile: "/no/such/ca.pem" }, env)).toMatchObject({
      message: "caFile: /no/such/ca.pem cannot be read (ENOENT)",
      cause: { cause: { code: "ENOENT" } },
    })
    expect(made({ clientCert: { ...clientCert, cert: "${NONE}" } }, env)).toMatchObject({
      message: expect.stringMatching(/^clientCert.cert: \$\{NONE\} contains no certificate in PEM format/),
      cause: { cause: { message: expect.stringMatching(/^contains no certificate in PEM format/) } },
    })
  })

  test("must be references, and each field is checked", () => {
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

import { getEventListeners } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { Dispatcher } from "undici"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { type PageUrl, toPageUrl } from "#engine"
import {
  breaksOff,
  bytes,
  conditional,
  endless,
  hangs,
  html,
  redirect,
  startTestSite,
  status,
  type TestSite,
  unended,
} from "../testing/test-site.ts"
import { SecureConnectionError } from "./connect/certificate-error.ts"
import { fetchPage, type FetchOptions, validatorsOf } from "./fetch.ts"
import { AddressGuard } from "./guard/address-guard.ts"
import { CredentialSession } from "./session.ts"

const PAGE = "<html><body>Here.</body></html>"
let everNew = 0
const asked: Record<string, string | string[] | undefined>[] = []
let site: TestSite
let guard: AddressGuard

beforeAll(async () => {
  site = await startTestSite({
    "/": html(PAGE),
    "/headers": (request, response) => {
      asked.push(request.headers)
      html(PAGE)(request, response)
    },
    "/from": redirect("/headers", 301),
    "/once": redirect("/", 302),
    "/route": redirect("/", 307),
    "/own-route": redirect("/#/mine", 303),
    "/a": redirect("/b", 308),
    "/b": redirect("/a"),
    "/1": redirect("/2"),
    "/2": redirect("/3"),
    "/3": redirect("/"),
    "/mail": redirect("mailto:a@b.example"),
    "/nowhere": bytes("", {}, 302),
    "/utf8": (_, response) => {
      response.writeHead(302, { location: Buffer.from("/café").toString("latin1") }).end()
    },
    "/caf%C3%A9": html("coffee"),
    "/304": conditional(PAGE, { etag: '"1"', lastModified: "Thu, 01 Jan 2026 00:00:00 GMT" }),
    "/304-unasked": bytes("", {}, 304),
    "/busy": status(429, { "retry-after": "7" }),
    "/closed": status(503, { "retry-after": "99999999" }),
    "/waiting": status(503),
    "/404": status(404),
    "/408": status(408),
    "/500": status(500),
    "/to-404": redirect("/404"),
    "/image": bytes("x", { "content-type": "image/png" }),
    "/big-image": bytes("x".repeat(3000), { "content-type": "image/png" }),
    "/big-404": bytes("x".repeat(3000), { "content-type": "text/html" }, 404),
    "/300": bytes("x".repeat(3000), { "content-type": "text/html" }, 300),
    "/big": bytes("x".repeat(3000), { "content-type": "text/html" }),
    "/fits": bytes("x".repeat(2000), { "content-type": "text/html" }),
    "/bomb": bytes(gzipSync("x".repeat(3000)), { "content-type": "text/html", "content-encoding": "gzip" }),
    "/thrice": bytes("x", { "content-type": "text/html", "content-encoding": "gzip, br, gzip" }),
    "/not-gzip": bytes("plain", { "content-type": "text/html", "content-encoding": "gzip" }),
    "/endless": endless(1 << 26),
    "/hangs": hangs(),
    "/breaks": breaksOff(),
    "/unended": unended(PAGE),
    "/short": unended(PAGE, { "content-length": "100000" }),
    "/unended-gzip": unended(gzipSync(PAGE), { "content-encoding": "gzip" }),
    "/torn-gzip": unended(gzipSync(PAGE).subarray(0, 20), { "content-encoding": "gzip" }),
    "/torn-404": (_, response) => {
      response.writeHead(404, { "content-length": "1000" }).write("not", () => response.destroy())
    },
    "/cookie": (request, response) => {
      if (request.headers.cookie?.includes("seen=1") === true) html(PAGE)(request, response)
      else response.writeHead(302, { location: "/cookie", "set-cookie": "seen=1; Path=/" }).end()
    },
    "/ever-new": (_, response) => {
      everNew += 1
      response.writeHead(302, { location: "/ever-new", "set-cookie": `n=${everNew}` }).end()
    },
    "/wall": (_, response) => {
      response
        .writeHead(302, {
          location: `http://localhost:${new URL(site.origin).port}/headers`,
          "set-cookie": ["wall=1; Path=/", "other=1; Domain=localhost; Path=/"],
        })
        .end()
    },
    "/shop/enter": (_, response) => {
      response
        .writeHead(303, {
          location: "/headers",
          "set-cookie": ["basket=7; Path=/shop", "lang=fr; Path=/"],
        })
        .end()
    },
    "/login": (request, response) => {
      asked.push(request.headers)
      response
        .writeHead(302, { location: "/headers", "set-cookie": ["session=abc; Path=/", "x=1; Path=/other"] })
        .end()
    },
  })
  guard = new AddressGuard({
    allowed: [site.authority, "127.0.0.1", "localhost", "gone.example", "later.example", "away.example"],
    connections: 4,
    connectTimeoutMs: 60_000,
    resolve: (name, _, callback) => {
      if (name === "gone.example") callback(Object.assign(new Error("no"), { code: "ENOTFOUND" }), [])
      else if (name === "later.example") callback(Object.assign(new Error("no"), { code: "EAI_AGAIN" }), [])
      else callback(null, [{ address: "127.0.0.1", family: 4 }])
    },
  })
})
afterAll(async () => {
  await guard[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const url = (path: string): PageUrl => toPageUrl(path.startsWith("http") ? path : site.url(path))!
const fetch = (path: string, options: Partial<FetchOptions> = {}) =>
  fetchPage(url(path), {
    guard,
    userAgent: "Tester/1",
    maxBytes: 2000,
    maxRedirects: 2,
    timeoutMs: 60_000,
    accepts: (type) => type === "text/html",
    ...options,
  })
const text = (result: Awaited<ReturnType<typeof fetch>>) =>
  result.kind === "fetched" ? Buffer.from(result.body).toString() : result

/** A guard whose connections return the given response: a redirect to this address, or an error. */
const byHand = (answerOf: (url: URL) => string | Error) =>
  ({
    dispatcherFor: (at: URL) =>
      new (class extends Dispatcher {
        override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
          const answer = answerOf(at)
          const controller = {} as Dispatcher.DispatchController
          handler.onRequestStart?.(controller, {})
          if (typeof answer !== "string") handler.onResponseError?.(controller, answer)
          else {
            handler.onResponseStart?.(controller, 302, { location: answer }, "Found")
            handler.onResponseEnd?.(controller, {})
          }
          return true
        }
      })(),
  }) as unknown as AddressGuard
const failure = (code: string, message = code) => Object.assign(new Error(message), { code })

afterEach(() => {
  vi.useRealTimers()
})

describe("a redirect", () => {
  test("leads to the page, under its final address", async () => {
    expect(await fetch("/once")).toMatchObject({ kind: "fetched", url: url("/"), status: 200 })
    expect(text(await fetch("/utf8"))).toBe("coffee")
  })

  test("keeps the fragment route of the original address, unless the target has its own (RFC 9110 §10.2.2)", async () => {
    expect(await fetch("/route#/guide")).toMatchObject({ kind: "fetched", url: url("/#/guide") })
    expect(await fetch("/own-route#/guide")).toMatchObject({ kind: "fetched", url: url("/#/mine") })
  })

  test("carries the cookies set on the way, each to its own host and path", async () => {
    const cookies = async (path: string, options: Partial<FetchOptions> = {}) => {
      asked.length = 0
      await fetch(path, options)
      return asked.map(({ cookie }) => cookie)
    }
    expect(text(await fetch("/cookie"))).toBe(PAGE)
    expect(await cookies("/shop/enter")).toEqual(["lang=fr"])
    expect(await cookies("/wall")).toEqual([undefined])
    // The next visit sends no cookies, as if it came from another reader.
    expect(await cookies("/headers")).toEqual([undefined])
    // On the sites of a login, only the cookies of its session are sent, and new ones are kept in the session.
    const login = { kind: "cookies", cookies: { own: "1" } } as const
    const session = new CredentialSession(login, [site.origin], {})
    expect(await cookies("/shop/enter", { session })).toEqual(["own=1; lang=fr"])
    expect(await cookies("/headers", { session })).toEqual(["own=1; lang=fr"])
  })

  test("to the same address with a new cookie each time ends like any other chain of redirects", async () => {
    expect(await fetch("/ever-new")).toMatchObject({
      because: "redirect-loop",
      detail: `more than 2 redirects, the last to ${url("/ever-new")}`,
    })
    expect(everNew).toBe(3)
  })

  test("that loops, goes on too long or leads to no page fails with the reason", async () => {
    expect(await fetch("/a")).toEqual({
      kind: "failed",
      because: "redirect-loop",
      detail: `redirect loop back to ${url("/a")}`,
      transient: false,
    })
    expect(await fetch("/2")).toMatchObject({ kind: "fetched" })
    expect(await fetch("/1")).toMatchObject({
      because: "redirect-loop",
      detail: `more than 2 redirects, the last to ${url("/")}`,
    })
    expect(await fetch("/mail")).toMatchObject({
      because: "http-status",
      detail: 'redirects to "mailto:a@b.example", which isn\'t an http or https address',
    })
    expect(await fetch("/nowhere")).toMatchObject({ because: "http-status", detail: "the site answered 302" })
  })

  test("is not followed when the callback ends the visit, and is reported once", async () => {
    const followed: string[] = []
    const onRedirect = async (to: PageUrl) => {
      followed.push(to)
      return to === url("/3") ? ({ kind: "skipped", because: "out-of-scope" } as const) : null
    }
    expect(await fetch("/1", { onRedirect })).toEqual({ kind: "skipped", because: "out-of-scope" })
    expect(followed).toEqual([url("/2"), url("/3")])
    followed.length = 0
    expect(await fetch("/a", { onRedirect })).toMatchObject({ because: "redirect-loop" })
    expect(followed).toEqual([url("/b")])
  })

  test("to a failing host names that host, since people see another address", async () => {
    const port = new URL(site.origin).port
    await using leading = await startTestSite({
      "/moved": redirect(`http://gone.example:${port}/`, 301),
      "/for-good": redirect(`http://gone.example:${port}/`, 308),
      "/today": redirect("http://10.0.0.7/", 302),
      "/404": redirect(site.url("/404"), 301),
    })
    const from = (path: string) => fetch(leading.url(path))
    expect(await from("/moved")).toMatchObject({
      because: "dns",
      detail: `moved to http://gone.example:${port}/ (301): the host name cannot be resolved (ENOTFOUND)`,
    })
    expect(await from("/for-good")).toMatchObject({ detail: expect.stringMatching(/^moved to .+ \(308\): /) })
    expect(await from("/today")).toMatchObject({
      because: "blocked-address",
      detail:
        "redirects to http://10.0.0.7/ (302): 10.0.0.7 isn't a public address; allow it with FOSSICK_ALLOWED_NETWORKS",
    })
    for (const [code, detail] of [
      ["ECONNREFUSED", "the connection was refused"],
      ["ERR_SSL_WRONG_VERSION_NUMBER", "no secure connection: no"],
      ["ETIMEDOUT", "the connection timed out"],
    ] as const) {
      const broken = byHand(({ host }) =>
        host === "docs.example" ? "https://wiki.example/" : failure(code, "no"),
      )
      expect(await fetch("https://docs.example/", { guard: broken })).toMatchObject({
        detail: `redirects to https://wiki.example/ (302): ${detail}`,
      })
    }
    // A missing page needs no further explanation.
    expect(await from("/404")).toMatchObject({ detail: "the site answered 404" })
  })
})

describe("a request", () => {
  test("sends its user agent, accepted types and validators", async () => {
    const validators = { etag: '"1"', lastModified: "Thu, 01 Jan 2026 00:00:00 GMT" }
    asked.length = 0
    await fetch("/headers", { validators, accept: "text/html" })
    await fetch("/headers")
    await fetch("/headers", { validators: { etag: null, lastModified: null } })
    expect(asked[0]).toMatchObject({
      "user-agent": "Tester/1",
      accept: "text/html",
      "accept-encoding": "gzip, deflate, br, zstd",
      "if-none-match": '"1"',
      "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT",
    })
    for (const plain of asked.slice(1)) {
      expect(plain["accept"]).toMatch(/^text\/html,/)
      expect("if-none-match" in plain || "if-modified-since" in plain).toBe(false)
    }
  })

  test("sends no validators to the target of a redirect", async () => {
    asked.length = 0
    await fetch("/from", { validators: { etag: '"1"', lastModified: null } })
    expect("if-none-match" in asked[0]!).toBe(false)
  })

  test("carries its session, which stores the cookies that the site sets", async () => {
    const login = { kind: "headers", headers: { "X-Team": "${TEAM}" } } as const
    const session = new CredentialSession(login, [site.origin], { TEAM: "docs" })
    asked.length = 0
    await fetch("/login", { session })
    expect(asked.map(({ cookie, "x-team": team }) => [cookie, team])).toEqual([
      [undefined, "docs"],
      ["session=abc", "docs"],
    ])
  })

  test("returns not-modified when the copy is still good", async () => {
    const validators = { etag: '"1"', lastModified: null }
    expect(await fetch("/304", { validators })).toMatchObject({ kind: "not-modified", url: url("/304") })
    expect(await fetch("/304")).toMatchObject({ kind: "fetched" })
    // The request wasn't conditional, so 304 is an error.
    expect(await fetch("/304-unasked")).toMatchObject({
      because: "http-status",
      detail: "the site answered 304",
    })
  })
})

describe("a site that", () => {
  test("is too busy is postponed as long as it asks, for a day at most, and for some seconds when it gives no time", async () => {
    const waits: number[] = []
    for (const path of ["/busy", "/closed", "/waiting"]) {
      const before = Date.now()
      const result = await fetch(path)
      if (result.kind !== "postponed") throw new Error(JSON.stringify(result))
      expect(result.status).toBe(path === "/busy" ? 429 : 503)
      waits.push(Math.round((result.until.getTime() - before) / 3_600_000))
      expect(result.until.getTime() - before).toBeGreaterThan(4000)
    }
    expect(waits).toEqual([0, 24, 0])
  })

  test.each([
    ["/404", 404, false],
    ["/to-404", 404, false],
    ["/408", 408, true],
    ["/500", 500, true],
  ])("answers %s fails, transiently or for good", async (path, code, transient) => {
    expect(await fetch(path)).toEqual({
      kind: "failed",
      because: "http-status",
      detail: `the site answered ${code}`,
      transient,
      status: code,
    })
  })

  test("sends an unsupported type is skipped with that type, without reading the body", async () => {
    for (const path of ["/image", "/big-image"])
      expect(await fetch(path)).toEqual({
        kind: "skipped",
        because: "unsupported-type",
        detail: "image/png",
      })
  })

  test("answers with an error is reported by its status, however long the body", async () => {
    expect(await fetch("/big-404")).toMatchObject({ detail: "the site answered 404" })
    expect(await fetch("/300")).toMatchObject({ because: "http-status", detail: "the site answered 300" })
  })

  test.each(["/big", "/bomb", "/endless"])("sends more than the limit is skipped: %s", async (path) => {
    expect(await fetch(path)).toEqual({
      kind: "skipped",
      because: "too-large",
      detail: "more than 2000 bytes",
    })
  })

  test("sends exactly the limit is read", async () => {
    expect(text(await fetch("/fits"))).toBe("x".repeat(2000))
  })

  test("uses an encoding that cannot be undone fails transiently", async () => {
    expect(await fetch("/thrice")).toEqual({
      kind: "failed",
      because: "bad-encoding",
      detail: "compressed 3 times",
      transient: true,
    })
    expect(await fetch("/not-gzip")).toMatchObject({
      because: "bad-encoding",
      detail: expect.stringMatching(/^the gzip body is truncated or corrupt: /),
    })
  })

  test("breaks off, hangs or refuses connections fails transiently", async () => {
    expect(await fetch("/breaks", { maxBytes: 1 << 20 })).toEqual({
      kind: "failed",
      because: "bad-encoding",
      detail: "the answer was cut off after 29 of 100000 bytes",
      transient: true,
    })
    expect(await fetch("/hangs", { timeoutMs: 300 })).toEqual({
      kind: "failed",
      because: "timeout",
      detail: "no answer within 300 ms",
      transient: true,
    })
    const closed = createServer().listen(0, "127.0.0.1")
    const { port } = await new Promise<AddressInfo>((done) => {
      closed.once("listening", () => done(closed.address() as AddressInfo))
    })
    await new Promise((done) => {
      closed.close(done)
    })
    expect(await fetch(`http://127.0.0.1:${port}/`)).toMatchObject({
      because: "refused",
      detail: "the connection was refused",
      transient: true,
    })
  })

  test("cuts off its answer yields the partial body when that is enough", async () => {
    const detail = `the answer was cut off after ${PAGE.length} bytes`
    const part = (body: string | RegExp, cutOff: string) => ({ kind: "fetched", status: 200, cutOff, body })
    for (const [path, cutOff] of [
      ["/unended", detail],
      ["/short", `the answer was cut off after ${PAGE.length} of 100000 bytes`],
    ] as const) {
      expect(await fetch(path, { maxBytes: 1 << 20 })).toMatchObject({
        because: "bad-encoding",
        detail: cutOff,
        transient: true,
      })
      const taken = await fetch(path, {
        maxBytes: 1 << 20,
        takesCutOff: ({ body }) => Buffer.from(body).toString() === PAGE,
      })
      expect(taken).toMatchObject(part(expect.anything(), cutOff))
      expect(text(taken)).toBe(PAGE)
    }
    // The body is unpacked if the gzip stream is complete. An error status remains an error, whether or not the whole
    // body arrived.
    expect(text(await fetch("/unended-gzip", { takesCutOff: () => true }))).toBe(PAGE)
    expect(await fetch("/torn-gzip", { takesCutOff: () => true })).toMatchObject({
      because: "bad-encoding",
      detail: "the answer was cut off after 20 bytes",
    })
    expect(await fetch("/torn-404")).toMatchObject({ because: "http-status", status: 404 })
  })

  test.each([
    ["UND_ERR_CONNECT_TIMEOUT", "timeout", "the connection timed out"],
    ["ETIMEDOUT", "timeout", "the connection timed out"],
    ["UND_ERR_HEADERS_TIMEOUT", "timeout", "the site stopped answering"],
    ["UND_ERR_BODY_TIMEOUT", "timeout", "the site stopped answering"],
    ["ECONNRESET", "refused", "the connection was reset"],
    ["EPIPE", "refused", "the connection was closed"],
    ["ENETUNREACH", "refused", "the network cannot be reached"],
    ["EHOSTUNREACH", "refused", "the host cannot be reached"],
    ["UND_ERR_SOCKET", "refused", "the connection was closed"],
  ])("cannot be reached fails with an explanation: %s", async (code, because, detail) => {
    expect(await fetch("http://docs.example/", { guard: byHand(() => failure(code)) })).toEqual({
      kind: "failed",
      because,
      detail,
      transient: true,
    })
  })

  test("requires a client certificate fails with that reason, even after the handshake", async () => {
    const end = async (error: Error) => await fetch("https://docs.example/", { guard: byHand(() => error) })
    const alert = failure(
      "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
      "tlsv13 alert certificate required:912",
    )
    const told =
      "the site refused the connection (certificate required); it may require a client certificate: set the source's clientCert"
    const failed = { kind: "failed", because: "tls", transient: false }
    expect(await end(alert)).toEqual({ ...failed, detail: `no secure connection: ${told}` })
    // The error is recognized with or without an error code.
    expect(await end(new Error("tlsv13 alert access denied"))).toMatchObject(failed)
    // An error that was already explained is not explained again, even if the certificate contains the text of an
    // alert.
    const named = 'the certificate was issued by "alert unknown ca"'
    expect(await end(new SecureConnectionError("INVALID_CA", named, alert))).toEqual({
      ...failed,
      detail: `no secure connection: ${named}`,
    })
  })

  test("has no DNS name fails, transiently only when the name server says so", async () => {
    expect(await fetch("http://gone.example/")).toEqual({
      kind: "failed",
      because: "dns",
      detail: "the host name cannot be resolved (ENOTFOUND)",
      transient: false,
    })
    expect(await fetch("http://later.example/")).toMatchObject({ because: "dns", transient: true })
  })

  test("speaks another protocol fails", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).resume()
      socket.end("220 mail.example ESMTP\r\n")
    }).listen(0, "127.0.0.1")
    const { port } = await new Promise<AddressInfo>((done) => {
      server.once("listening", () => done(server.address() as AddressInfo))
    })
    expect(await fetch(`http://127.0.0.1:${port}/`)).toMatchObject({
      because: "http-status",
      detail: expect.stringMatching(/^invalid HTTP answer: /),
      transient: false,
    })
    expect(await fetch(`https://127.0.0.1:${port}/`)).toMatchObject({
      because: "tls",
      detail: expect.stringMatching(/^no secure connection: /),
    })
    await new Promise((done) => {
      server.close(done)
    })
  })

  test("may not be read is not contacted", async () => {
    const before = site.requests.length
    expect(await fetch("http://10.0.0.7/")).toMatchObject({
      because: "blocked-address",
      detail: "10.0.0.7 isn't a public address; allow it with FOSSICK_ALLOWED_NETWORKS",
      transient: false,
    })
    expect(site.requests.length).toBe(before)
  })
})

test("a caller who aborts before or during a fetch gets an answer", async () => {
  const cancelled = {
    kind: "failed",
    because: "cancelled",
    detail: "the caller stopped waiting",
    transient: false,
  }
  expect(await fetch("/", { signal: AbortSignal.abort() })).toEqual(cancelled)
  const stop = new AbortController()
  const waiting = fetch("/hangs", { signal: stop.signal, maxBytes: 1 << 20 })
  setImmediate(() => stop.abort())
  expect(await waiting).toEqual(cancelled)
})

test("a finished fetch leaves no timers or listeners behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { signal } = new AbortController()
  const waits = () => [vi.getTimerCount(), getEventListeners(signal, "abort").length]
  let during: number[] = []
  const late = byHand(() => {
    // One listener belongs to the fetch; its exchange listens to a different signal, which all hops of the fetch share.
    during = waits()
    return failure("ECONNRESET")
  })
  await fetch("http://docs.example/", { guard: late, signal })
  expect([during, waits()]).toEqual([
    [1, 1],
    [0, 0],
  ])
})

test("only validators that can be sent back are kept", () => {
  const kept = (etag: string) => validatorsOf({ etag }).etag
  expect(kept('"abc ~"')).toBe('"abc ~"')
  expect(["", 'a"é"', '"a\u0007"', "x".repeat(501)].map(kept)).toEqual([null, null, null, null])
  expect(kept("x".repeat(500))).toHaveLength(500)
  expect(validatorsOf({ "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" })).toEqual({
    etag: null,
    lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
  })
})

import { connect } from "node:net"
import { gzipSync } from "node:zlib"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { EngineError } from "#engine"

import { FakeEngine, hit } from "./testing/fake-engine.ts"
import { answerOf, type ServedApp, serveApp, TEST_KEY } from "./testing/serve-app.ts"

const engine = new FakeEngine([hit()])
let app: ServedApp

beforeAll(async () => {
  app = await serveApp({ engine, config: { bodyLimit: 2000 } })
})
afterAll(() => app[Symbol.asyncDispose]())

const bearer = { Authorization: `Bearer ${TEST_KEY}` }
const json = { "Content-Type": "application/json" }

describe("keys", () => {
  test.each([
    ["no key", {}],
    ["a wrong key", { Authorization: "Bearer nope" }],
    ["another scheme", { Authorization: `Basic ${TEST_KEY}` }],
    ["an empty bearer", { Authorization: "Bearer" }],
  ])("returns 401 for %s", async (_, headers) => {
    const answer = await app.post("/search", { query: "pumps" }, { headers: { ...json, ...headers } })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ detail: { error: "Unauthorized: missing or invalid API key." } })
  })

  test("accepts a key in the body, unless a header contradicts it or body keys are switched off", async () => {
    const body = { query: "pumps", api_key: TEST_KEY }
    expect((await app.post("/search", body, { headers: json })).status).toBe(200)
    expect(
      (await app.post("/search", body, { headers: { ...json, Authorization: "Bearer nope" } })).status,
    ).toBe(401)
    await using strict = await serveApp({ config: { bodyKey: false } })
    expect((await strict.post("/search", body, { headers: json })).status).toBe(401)
  })
})

describe("paths and methods", () => {
  test.each(["/search", "//search", "/search/", "/tv/search", "//tv//search"])(
    "%s runs a search",
    async (path) => {
      expect((await app.post(path, { query: "pumps" })).status).toBe(200)
    },
  )

  test.each([
    "/v1/vector_stores/7/search",
    "/tv/v2/search",
    "/V1/extract",
    "/openai/search",
    "/https://example.com/search",
  ])("%s belongs to another API and runs no search", async (path) => {
    expect((await app.post(path, { query: "pumps" })).status).toBe(404)
  })

  test.each(["/v2/search", "//v2/search", "/v1/search/"])(
    "%s runs the search of another API",
    async (path) => {
      const found = await fetch(app.url + path, {
        method: "POST",
        headers: { ...json, ...bearer },
        body: '{"query": "pumps"}',
      })
      expect(await found.json()).toMatchObject({ success: true })
    },
  )

  test("the path of the public URL works as a prefix, even if it looks like a version", async () => {
    await using served = await serveApp({
      engine: new FakeEngine([hit()]),
      config: { publicUrl: "https://example.com/tools/v2" },
    })
    const found = await fetch(`${served.url}/tools/v2/search`, {
      method: "POST",
      headers: { ...json, ...bearer },
      body: '{"query": "pumps"}',
    })
    expect(found.status).toBe(200)
    for (const path of ["/v2/search", "/tools/v2/v2/search"]) {
      const other = await fetch(served.url + path, {
        method: "POST",
        headers: { ...json, ...bearer },
        body: '{"query": "pumps"}',
      })
      expect(await other.json()).toMatchObject({ success: true })
    }
    const read = await fetch(`${served.url}/tools/v2/read/https://example.com/pumps`, { headers: bearer })
    expect([read.status, await read.text()]).toEqual([
      200,
      expect.stringContaining("A **pump** moves water."),
    ])
  })

  test("returns 404 in the error envelope for an unknown path", async () => {
    const answer = await app.post("/nothing", {})
    expect(answer.status).toBe(404)
    expect(answer.body.detail.error).toContain("/nothing")
  })

  test.each(["GET", "QUERY", "PROPFIND"])("returns 405 with the allowed method for %s", async (method) => {
    const answer = await answerOf(await fetch(`${app.url}/search`, { method, headers: bearer }))
    expect(answer.status).toBe(405)
    expect(answer.headers.get("allow")).toBe("POST")
    expect(answer.body.detail.error).toBe(`${method} is not allowed here. Allowed: POST.`)
  })
})

describe("bodies", () => {
  const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    answerOf(
      await fetch(`${app.url}/search`, { method: "POST", headers: { ...json, ...bearer, ...headers }, body }),
    )

  test.each([
    ['{"query":', 400, "The request body is not valid JSON."],
    ["", 400, "The request body is empty. Send a JSON object."],
    ["[]", 400, "The request body must be a JSON object."],
    ['"pumps"', 400, "The request body must be a JSON object."],
    ["null", 400, "The request body must be a JSON object."],
    [JSON.stringify({ query: "x".repeat(3000) }), 413, "Request body exceeds 2000 bytes."],
  ])("%s", async (body, status, error) => {
    const answer = await send(body)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ detail: { error } })
  })

  test("rejects bytes that are not valid UTF-8", async () => {
    const answer = await send(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))
    expect(answer.body.detail.error).toBe("The request body is not valid UTF-8.")
  })

  test("gzip is read; broken gzip and gzip that unpacks beyond the limit are refused", async () => {
    const gzip = { "Content-Encoding": "gzip" }
    const packed = new Uint8Array(gzipSync(JSON.stringify({ query: "pumps" })))
    expect((await send(packed, gzip)).status).toBe(200)
    const truncated = await send(packed.subarray(0, 20), gzip)
    expect(truncated.status).toBe(400)
    expect(truncated.body.detail.error).toBe("The request body is not valid gzip.")
    expect((await send(new Uint8Array([1, 2, 3]), gzip)).status).toBe(400)
    expect((await send(new Uint8Array(gzipSync("x".repeat(1_000_000))), gzip)).status).toBe(413)
  })

  test("returns 415 for other types and encodings, but accepts a charset", async () => {
    expect((await send("query=pumps", { "Content-Type": "text/plain" })).status).toBe(415)
    expect((await send("{}", { "Content-Encoding": "zstd" })).status).toBe(415)
    expect((await send('{"query":"p"}', { "Content-Type": "application/json; charset=utf-8" })).status).toBe(
      200,
    )
  })

  test("keeps serving after a body that ends too early", async () => {
    const port = Number(new URL(app.url).port)
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(
          `POST /search HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.Authorization}\r\nContent-Length: 99\r\n\r\n{`,
        )
        socket.end(() => socket.destroy())
      })
      socket.on("close", () => resolve())
    })
    expect((await app.post("/search", { query: "pumps" })).status).toBe(200)
  })
})

/** Sends raw bytes and returns the whole response, read until the connection closes. */
function sendRaw(...chunks: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1", () => {
      for (const chunk of chunks) socket.write(chunk)
    })
    socket.on("data", (chunk) => (text += String(chunk)))
    socket.on("error", reject)
    socket.on("close", () => resolve(text))
  })
}

describe("malformed requests", () => {
  const close = "Connection: close\r\n"
  test.each([
    ["no HTTP", "hello\r\n\r\n", 400, "Bad Request"],
    ["no host", `GET /healthz HTTP/1.1\r\n${close}\r\n`, 400, "Bad Request"],
    ["a broken target", `GET http://[ HTTP/1.1\r\nHost: a\r\n${close}\r\n`, 400, "Bad Request"],
    [
      "an unknown expectation",
      `POST /search HTTP/1.1\r\nHost: a\r\nExpect: much\r\n${close}\r\n`,
      417,
      "Expectation Failed",
    ],
  ])("%s", async (_, bytes, status, error) => {
    const answer = await sendRaw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(JSON.stringify({ detail: { error } }))
  })

  test("with a chunked body over the limit are rejected, and the connection stays open", async () => {
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`
    const head = `Host: a\r\nAuthorization: ${bearer.Authorization}\r\nTransfer-Encoding: chunked\r\n`
    const answer = await sendRaw(
      `POST /search HTTP/1.1\r\n${head}\r\n`,
      ...Array<string>(20).fill(chunk),
      "0\r\n\r\n",
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${close}\r\n`,
    )
    expect(answer).toContain('{"detail":{"error":"Request body exceeds 2000 bytes."}}')
    expect(answer).toContain('{"status":"ok"}')
  })
})

describe("internal errors", () => {
  test("answers a bug with a 500 that reveals nothing, and logs the details", async () => {
    engine.failure = new Error("secret detail at /some/path")
    const answer = await app.post("/search", { query: "pumps" })
    engine.failure = null
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({ detail: { error: "Internal Server Error" } })
    expect(app.logLines.join("")).toContain("secret detail")
  })

  test("answers 503 with instructions when the index cannot be read", async () => {
    engine.failure = new EngineError("EMBEDDER_MISMATCH", "384 against 256")
    const answer = await app.post("/search", { query: "pumps" })
    engine.failure = null
    expect(answer.status).toBe(503)
    expect(answer.body.detail.error).toContain("fossick index upgrade")
  })
})

describe("logs and ids", () => {
  test("does not log a failure when the caller hangs up", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const endless = Object.assign(new FakeEngine(), {
      search: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error))
          ask()
        }),
    })
    await using waiting = await serveApp({ engine: endless })
    const caller = new AbortController()
    const call = waiting.post(
      "/search",
      { query: "p" },
      { signal: caller.signal, headers: { ...json, ...bearer } },
    )
    await asked
    caller.abort()
    await expect(call).rejects.toThrow("aborted")
    await expect
      .poll(() => waiting.logLines.map((line) => JSON.parse(line)))
      .toEqual([expect.objectContaining({ path: "/search", status: 499 })])
  })

  test("a request is logged with its id, without query and keys", async () => {
    const body = { query: "very private words", api_key: "body-key", apiKey: "leaked-key" }
    const answer = await app.post("/search?token=in-url", body)
    expect(answer.headers.get("x-request-id")).toBe(answer.body.request_id)
    const line = app.logLines.find((one) => one.includes(answer.body.request_id))
    expect(JSON.parse(line!)).toMatchObject({ path: "/search", status: 200, key: "tester" })
    expect(app.logLines.join("")).not.toMatch(/private words|body-key|leaked-key|in-url|test-key/)
  })
})

describe("health", () => {
  test("/healthz needs no key; /readyz says what is wrong", async () => {
    await using half = await serveApp({
      checks: {
        index: async () => null,
        crawler: async () => "no crawler process has been seen",
        model: async () => {
          throw new EngineError("MODEL_UNAVAILABLE", "no model at https://me:secret@hub.example")
        },
        disk: async () => {
          throw new Error("cannot open /home/me/private")
        },
      },
    })
    expect((await answerOf(await fetch(`${half.url}/healthz`))).body).toEqual({ status: "ok" })
    const ready = await answerOf(await fetch(`${half.url}/readyz`))
    expect(ready.status).toBe(503)
    expect(ready.body).toEqual({
      status: "not ready",
      checks: {
        index: "ok",
        crawler: "no crawler process has been seen",
        model: "The embedding model cannot be loaded; the server's log says why.",
        disk: "Not working; the server's log says why.",
      },
    })
    expect(half.logLines.join("")).toContain("cannot open /home/me/private")
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
  })

  test("/readyz?exclude=crawler is ready without a crawler, but not if anything else is missing", async () => {
    let index: string | null = null
    await using app = await serveApp({
      checks: { index: async () => index, crawler: async () => "no crawler process has been seen" },
    })
    const ask = async (query: string) => await answerOf(await fetch(`${app.url}/readyz${query}`))
    expect((await ask("")).status).toBe(503)
    expect(await ask("?exclude=crawler")).toMatchObject({
      status: 200,
      body: { status: "ready", checks: { index: "ok", crawler: "no crawler process has been seen" } },
    })
    index = "The index cannot be reached."
    expect((await ask("?exclude=crawler")).status).toBe(503)
    expect(await ask("?exclude=index")).toMatchObject({
      status: 400,
      body: { detail: { error: "Invalid exclude. Must be one of crawler." } },
    })
  })

  test("concurrent readiness requests share one check", async () => {
    let looks = 0
    const { promise: go, resolve } = Promise.withResolvers<null>()
    await using slow = await serveApp({
      checks: {
        index: () => {
          looks++
          return go
        },
      },
    })
    const asked = [1, 2, 3].map(async () => (await fetch(`${slow.url}/readyz`)).status)
    await expect.poll(() => slow.requests()).toBe(3)
    resolve(null)
    expect(await Promise.all(asked)).toEqual([200, 200, 200])
    expect(looks).toBe(1)
    expect((await fetch(`${slow.url}/readyz`)).status).toBe(200)
    expect(looks).toBe(2)
  })
})

test("logs notable requests at info, and probes and handbook pages at debug", async () => {
  await using app = await serveApp()
  for (const path of ["/healthz", "/readyz", "/docs/", "/nowhere"]) await fetch(`${app.url}${path}`)
  await expect.poll(() => app.logLines.length).toBeGreaterThanOrEqual(4)
  const levels = app.logLines.map((line) => JSON.parse(line) as { path?: string; level: number })
  const levelOf = (path: string) => levels.find((line) => line.path === path)?.level
  expect(["/healthz", "/readyz", "/docs/", "/nowhere"].map(levelOf)).toEqual([20, 20, 20, 30])
})

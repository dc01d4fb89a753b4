import { getEventListeners, once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Agent, Dispatcher } from "undici"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { QueuedBudget } from "#base/flow/memory/queued-budget.ts"
import { startTestSite, type TestSite } from "../testing/test-site.ts"
import { exchange, type ExchangeOptions } from "./exchange.ts"

const HTML = { "content-type": "text/html" }
/** Maximum size in bytes of an unwanted body that is still read to its end. */
const DRAINED = 65_536

const asked: { method: string | undefined; body: string }[] = []
/** Promises that resolve when a connection closes, for requests whose body was not sent to its end. */
const left: Promise<unknown>[] = []
const sockets = new Set<unknown>()
let site: TestSite
let agent: Agent

/** Sends part of the announced body, then stops. */
const stops =
  (headers: Record<string, string | number>, sent: number) =>
  (request: IncomingMessage, response: ServerResponse) => {
    left.push(once(request.socket, "close"))
    response.writeHead(200, headers)
    response.write("x".repeat(sent))
  }
/** A body of this many bytes, with or without Content-Length. */
const whole = (bytes: number, isTold: boolean) => (request: IncomingMessage, response: ServerResponse) => {
  sockets.add(request.socket)
  response.writeHead(200, isTold ? { ...HTML, "content-length": bytes } : HTML)
  response.end("x".repeat(bytes))
}

beforeAll(async () => {
  site = await startTestSite({
    "/asked": async (request, response) => {
      asked.push({ method: request.method, body: await text(request) })
      response.end("thanks")
    },
    "/hints": (_, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => {
        response.writeHead(200, HTML).end("page")
      })
    },
    "/long-told": stops({ "content-length": DRAINED + 1 }, 1),
    "/long": stops({}, DRAINED + 1),
    "/silent": stops({}, 1),
    "/told": whole(DRAINED, true),
    "/untold": whole(DRAINED, false),
    "/much": whole(DRAINED + 5, true),
  })
  agent = new Agent({ connections: 1 })
})
afterAll(async () => {
  await agent.destroy()
  await site[Symbol.asyncDispose]()
})
beforeEach(() => {
  left.length = 0
  sockets.clear()
})

const ask = (path: string, more: Partial<ExchangeOptions> = {}, dispatcher: Dispatcher = agent) =>
  exchange(dispatcher, new URL(site.url(path)), {
    headers: {},
    maxBytes: 100_000,
    signal: new AbortController().signal,
    wants: () => true,
    ...more,
  })
/** The length of the received body. */
const bytesOf = (result: Awaited<ReturnType<typeof ask>>) =>
  result.kind === "response" ? result.body.length : result

test("a request has a body only when it is a POST", async () => {
  await ask("/asked")
  await ask("/asked", { post: "a=1" })
  expect(asked).toEqual([
    { method: "GET", body: "" },
    { method: "POST", body: "a=1" },
  ])
})

test("early hints are not taken for the response", async () => {
  const statuses: number[] = []
  const wants = (status: number) => statuses.push(status) > 0
  expect(await ask("/hints", { wants })).toMatchObject({ kind: "response", status: 200, headers: HTML })
  expect(statuses).toEqual([200])
})

test("a body that is too long, as declared or as it arrives, is abandoned", async () => {
  expect(await ask("/long-told", { maxBytes: DRAINED })).toEqual({ kind: "too-large" })
  expect(await ask("/long", { maxBytes: DRAINED })).toEqual({ kind: "too-large" })
  await Promise.all(left)
  expect(left).toHaveLength(2)
})

test("a wanted body is read up to the size limit", async () => {
  expect(bytesOf(await ask("/much", { maxBytes: DRAINED + 5 }))).toBe(DRAINED + 5)
  expect(await ask("/much", { maxBytes: DRAINED + 4 })).toEqual({ kind: "too-large" })
})

test("an unwanted long body is abandoned, and the response is returned without it", async () => {
  const wants = () => false
  for (const path of ["/long-told", "/long"]) {
    const result = await ask(path, { wants })
    expect(result).toMatchObject({ kind: "response", status: 200 })
    expect(bytesOf(result)).toBe(0)
  }
  await Promise.all(left)
  expect(left).toHaveLength(2)
})

test("an unwanted short body is read anyway, since that costs less than a new connection", async () => {
  const wants = () => false
  for (const path of ["/told", "/untold", "/told"])
    expect(bytesOf(await ask(path, { wants, maxBytes: 10 }))).toBe(0)
  expect(sockets.size).toBe(1)
})

test("an abort rejects with the caller's own reason and disconnects from the site", async () => {
  const stop = new AbortController()
  const why = new Error("enough")
  const wants = () => {
    setImmediate(() => stop.abort(why))
    return true
  }
  expect(await ask("/silent", { signal: stop.signal, wants })).toEqual({
    kind: "error",
    error: why,
  })
  await Promise.all(left)
  expect(left).toHaveLength(1)
  const wordless = AbortSignal.abort("without an error")
  const result = await ask("/asked", { signal: wordless })
  expect(result).toMatchObject({ kind: "error", error: { message: "aborted" } })
})

test("an abort ends the wait for a connection", async () => {
  const stop = new AbortController()
  class Waiting extends Dispatcher {
    override dispatch() {
      setImmediate(() => stop.abort())
      return false
    }
  }
  expect(await ask("/", { signal: stop.signal }, new Waiting())).toEqual({
    kind: "error",
    error: stop.signal.reason,
  })
})

test("a finished exchange leaves no abort listener behind", async () => {
  const { signal } = new AbortController()
  const waiting = ask("/asked", { signal })
  expect(getEventListeners(signal, "abort")).toHaveLength(1)
  await waiting
  expect(getEventListeners(signal, "abort")).toEqual([])
})

test("reading pauses while the memory for bodies is used up", async () => {
  const budget = new QueuedBudget(100)
  const first = budget.open()
  await first.reserve(100)
  using memory = budget.open()
  const told: string[] = []
  /** Sends a body in two parts, the second once reading continues. */
  class ByHand extends Dispatcher {
    override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      const controller = {
        pause: () => told.push("pause"),
        resume: () => {
          told.push("resume")
          handler.onResponseData?.(controller, Buffer.from("two"))
          handler.onResponseEnd?.(controller, {})
        },
      } as unknown as Dispatcher.DispatchController
      handler.onRequestStart?.(controller, {})
      handler.onResponseStart?.(controller, 200, {}, "OK")
      handler.onResponseData?.(controller, Buffer.from("one"))
      return true
    }
  }
  const waiting = ask("/", { memory }, new ByHand())
  expect(told).toEqual(["pause"])
  first[Symbol.dispose]()
  expect(bytesOf(await waiting)).toBe(6)
  expect([told, memory.held]).toEqual([["pause", "resume"], 6])
})

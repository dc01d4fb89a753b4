import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir } from "node:fs/promises"
import { Agent, request as httpRequest, type IncomingMessage, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

import Koa from "koa"
import { describe, expect, test } from "vitest"

import type { RequestState } from "../../context.ts"
import { httpServer } from "../http-server.ts"
import { jsonBody } from "../middleware/json-body.ts"
import { ArrivingBodies } from "./arriving-bodies.ts"
import { type ConnectionLimits, Connections } from "./connections.ts"
import { connectionCap } from "./descriptors.ts"

const MB = 1_000_000

/** A server whose `/<bytes>` answers with that many bytes, `/wait` when `finish` is called, and other paths immediately. */
async function serve(given: Partial<ConnectionLimits> = {}) {
  const limits = {
    all: 1000,
    perAddress: 1000,
    proxies: [],
    sendMs: 60_000,
    unsentBytes: 1000 * MB,
    ahead: 50,
  }
  const connections = new Connections({ ...limits, ...given })
  const app = new Koa<RequestState>()
  const finished = Promise.withResolvers<void>()
  let begun = 0
  app.on("error", () => {})
  app.use(async (ctx) => {
    begun++
    if (ctx.path === "/wait") await finished.promise
    ctx.body = "x".repeat(Number(ctx.path.slice(1)) || 2)
  })
  const server = httpServer(app, connections)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    server,
    connections,
    begun: () => begun,
    finish: finished.resolve,
    /** A connection that sends the given data and never closes its side, whatever it receives. */
    async open(sent = "", localAddress = "127.0.0.1") {
      const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true })
      socket.on("error", () => {})
      sockets.push(socket)
      await once(socket, "connect")
      if (sent !== "") socket.write(sent)
      return socket
    },
    ask: (path: string, localAddress = "127.0.0.1") => ask(port, path, localAddress),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

async function ask(port: number, path: string, localAddress = "127.0.0.1") {
  const call = httpRequest({ port, host: "127.0.0.1", localAddress, path, agent: new Agent() })
  call.end()
  const [response] = (await once(call, "response")) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** The sockets that a server really has open, even if our own records have lost track of them. */
const held = (server: Server): Promise<number> => promisify(server.getConnections.bind(server))()

describe("callers who never close their side", () => {
  test("hold no descriptor after a 408, even if they sent nothing", async () => {
    await using app = await serve()
    const silent = await Promise.all(Array.from({ length: 20 }, () => app.open()))
    await expect.poll(() => app.connections.open).toBe(20)
    const answered = once(silent[0]!, "data")
    app.server.headersTimeout = app.server.requestTimeout = 50
    const [told] = (await answered) as [Buffer]
    expect(told.toString()).toMatch(/^HTTP\/1.1 408 .*\{"detail":\{"error":"Request Timeout"\}\}$/s)
    await expect.poll(() => held(app.server)).toBe(0)
    await expect.poll(() => app.connections.open).toBe(0)
  })

  test("hold no descriptor after invalid HTTP either", async () => {
    await using app = await serve()
    await Promise.all(Array.from({ length: 20 }, () => app.open("nonsense\r\n\r\n")))
    await expect.poll(() => app.connections.open).toBe(20)
    await expect.poll(() => held(app.server)).toBe(0)
  })
})

describe("a full server", () => {
  test("closes connections that are idle for new ones, the longest idle first", async () => {
    await using app = await serve({ all: 3 })
    const first = await app.open()
    await expect.poll(() => app.connections.open).toBe(1)
    await app.open()
    await app.open()
    await expect.poll(() => app.connections.open).toBe(3)
    const closed = once(first, "end")
    expect((await app.ask("/2")).status).toBe(200)
    await closed
    expect(app.connections.cut.get("idle")).toBe(1)
  })

  test("refuses a new connection when all are busy, says so, and keeps nothing of it", async () => {
    await using app = await serve({ all: 2 })
    await app.open(get("/wait"))
    await app.open(get("/wait"))
    await expect.poll(app.begun).toBe(2)
    const { status, headers, body } = await app.ask("/2")
    expect([status, headers["retry-after"], headers["content-type"]]).toEqual([
      503,
      "5",
      "application/json; charset=utf-8",
    ])
    expect(JSON.parse(body)).toEqual({ detail: { error: expect.stringContaining("connections") } })
    expect(app.connections.cut.get("full")).toBe(1)
    await app.open()
    await expect.poll(() => held(app.server)).toBe(2)
    app.finish()
    await expect.poll(async () => (await app.ask("/2")).status).toBe(200)
  })

  test("refuses an address that has too many, and serves the others", async () => {
    await using app = await serve({ perAddress: 2 })
    await app.open(get("/wait"))
    await app.open(get("/wait"))
    await expect.poll(app.begun).toBe(2)
    expect((await app.ask("/2")).status).toBe(503)
    expect((await app.ask("/2", "127.0.0.2")).status).toBe(200)
    expect(app.connections.cut.get("address")).toBe(1)
  })

  test("does not limit the connections of a trusted proxy by address", async () => {
    await using app = await serve({ perAddress: 2, proxies: ["127.0.0.1"] })
    for (let i = 0; i < 5; i++) await app.open(get("/wait"))
    await expect.poll(app.begun).toBe(5)
    expect((await app.ask("/2")).status).toBe(200)
  })
})

describe("readers", () => {
  test("that read nothing are cut off, and a slow but steady one gets everything", async () => {
    await using app = await serve({ sendMs: 5000 })
    const slow = await app.open(get(`/${24 * MB}`))
    const deaf = await app.open(get(`/${24 * MB}`))
    await expect.poll(() => app.connections.unsentBytes).toBeGreaterThan(30 * MB)
    let taken = 0
    // A client that keeps sending data isn't necessarily reading any.
    const chatter = setInterval(() => deaf.write(get("/2")), 200)
    // Keeps reading for longer than a client may go without reading.
    while (taken < 24 * MB) {
      const part = slow.read(Math.min(64 * 1024, slow.readableLength || 1)) as Buffer | null
      if (part === null) await once(slow, "readable")
      else taken += part.length
      await sleep(15)
    }
    await expect.poll(() => app.connections.cut.get("stalled")).toBe(1)
    clearInterval(chatter)
    await expect.poll(() => held(app.server)).toBe(1)
    await expect.poll(() => app.connections.unsentBytes).toBe(0)
  })

  test("together hold no more than the limit", async () => {
    await using app = await serve({ unsentBytes: 40 * MB })
    await Promise.all(Array.from({ length: 8 }, () => app.open(get(`/${20 * MB}`))))
    await expect.poll(() => app.connections.cut.get("unsent")).toBeGreaterThanOrEqual(6)
    expect(app.connections.unsentBytes).toBeLessThanOrEqual(40 * MB)
    expect(app.connections.open).toBe(8 - app.connections.cut.get("unsent")!)
  })

  test("that pipeline many requests get one answer at a time", async () => {
    await using app = await serve()
    const deaf = await app.open(get(`/${20 * MB}`).repeat(50))
    await expect.poll(() => app.connections.unsentBytes).toBeGreaterThan(MB)
    expect(app.begun()).toBe(1)
    deaf.destroy()
    const reader = await app.open(get("/wait") + get("/3").repeat(20) + get("/4"))
    reader.setEncoding("latin1")
    let read = ""
    reader.on("data", (part: string) => (read += part))
    app.finish()
    await expect
      .poll(() => read.match(/xx+/g)?.map((body) => body.length))
      .toEqual([2, ...Array.from({ length: 20 }, () => 3), 4])
  })

  test("that pipeline more requests than can wait are cut off", async () => {
    await using app = await serve({ ahead: 20 })
    await app.open(get("/wait").repeat(21))
    await expect.poll(() => app.connections.ahead.longest).toBe(20)
    expect(app.connections.cut.get("ahead")).toBe(0)
    await app.open(get("/wait").repeat(22))
    await expect.poll(() => app.connections.cut.get("ahead")).toBe(1)
    app.finish()
  })

  test("that pipeline far more requests than can wait are cut off once", async () => {
    await using app = await serve()
    await app.open(get("/wait").repeat(5000))
    await expect.poll(app.begun).toBe(1)
    await expect.poll(() => held(app.server)).toBe(0)
    expect(app.connections.cut.get("ahead")).toBe(1)
    await expect.poll(() => app.connections.ahead.longest).toBe(0)
  })

  test("report the longest queue of any connection", async () => {
    await using app = await serve()
    await app.open(get("/wait").repeat(3))
    await app.open(get("/wait").repeat(40))
    await app.open(get("/wait"))
    await expect.poll(() => app.connections.ahead.longest).toBe(39)
    app.finish()
    await expect.poll(() => app.connections.ahead.longest).toBe(0)
    expect(app.connections.cut.get("ahead")).toBe(0)
  })
})

describe("while 60 connections have each pipelined 40 requests", () => {
  const [sockets, each] = [60, 40]

  /** How many of the requests had started when this one was answered. */
  async function begunBefore(path: string, from: string): Promise<number> {
    await using app = await serve()
    const flood = await Promise.all(Array.from({ length: sockets }, () => app.open("", "127.0.0.2")))
    await expect.poll(() => app.connections.open).toBe(sockets)
    for (const socket of flood) socket.resume().write(get("/2").repeat(each))
    expect((await app.ask(path, from)).status).toBe(200)
    const begun = app.begun()
    await expect.poll(app.begun).toBe(sockets * each + 1)
    return begun
  }

  // Each turn of the event loop starts a few requests, and a new connection takes a handful of turns.
  test.each([
    ["another caller", "/3", "127.0.0.1"],
    ["a look at the health, from the same address", "/healthz", "127.0.0.2"],
  ])("%s is answered before most of them", async (_, path, from) => {
    expect(await begunBefore(path, from)).toBeLessThan((sockets * each) / 4)
  })
})

test("senders that never end their bodies share a memory limit, and the newest are cut off", async () => {
  const arriving = new ArrivingBodies(10 * MB)
  const app = new Koa<RequestState>()
  app.use(jsonBody(MB, arriving))
  app.on("error", () => {})
  const server = httpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const sockets = Array.from({ length: 30 }, () => connect({ port, host: "127.0.0.1" }))
  try {
    for (const socket of sockets) {
      socket.on("error", () => {})
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MB}\r\n\r\n${"x".repeat(0.9 * MB)}`)
    }
    await expect.poll(() => held(server)).toBe(11)
    await expect.poll(() => arriving.bytes).toBeGreaterThan(9 * MB)
    expect(arriving.bytes).toBeLessThanOrEqual(10 * MB)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, "close")
  }
  await expect.poll(() => arriving.bytes).toBe(0)
})

describe("descriptors", () => {
  test.each([
    [0, 1024, 768],
    [0, 300, 172],
    [0, 100, 16],
    [0, 1_000_000, 4096],
    [0, Infinity, 4096],
    [100, 1024, 100],
    [2000, 1024, 768],
  ])("with %i connections wanted and %i descriptors, %i are accepted", (wanted, limit, taken) => {
    expect(connectionCap(wanted, limit)).toBe(taken)
  })

  // Windows has no such limit, and no shell that sets it.
  test("are left for files, however many connect", { tags: ["posix"] }, async () => {
    const command = `ulimit -n 300; exec "${process.execPath}" "${join(import.meta.dirname, "testing/serve-few.ts")}"`
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] })
    const sockets: Socket[] = []
    try {
      const [port] = ((await once(child.stdout, "data")) as [Buffer]).map(Number)
      for (let i = 0; i < 600; i++) {
        const socket = connect({ port: port!, host: "127.0.0.1", allowHalfOpen: true })
        socket.on("error", () => {})
        sockets.push(socket)
        await once(socket, "connect")
      }
      expect(await ask(port!, "/?files=80")).toMatchObject({ status: 200, body: "80 files" })
      const open = async () =>
        process.platform === "linux" ? (await readdir(`/proc/${child.pid}/fd`)).length : 0
      await expect.poll(open).toBeLessThan(220)
    } finally {
      for (const socket of sockets) socket.destroy()
      child.kill()
      await once(child, "exit")
    }
  })
})

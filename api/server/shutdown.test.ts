import { once } from "node:events"
import { Agent, createServer, get } from "node:http"
import { type AddressInfo, connect } from "node:net"

import Koa from "koa"
import { expect, test } from "vitest"

import type { RequestState } from "../context.ts"
import { httpServer } from "./http-server.ts"
import { openSocket } from "./web-socket.ts"
import { closeServer, STOPPING } from "./shutdown.ts"

async function serverThat(answers: (end: () => void) => void) {
  const server = createServer((_, response) => answers(() => response.end("done")))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

/** The whole response, over a connection that the client would keep open. */
function ask(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent: new Agent({ keepAlive: true }) }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += String(chunk)))
      response.on("end", () => resolve(text))
    }).on("error", reject)
  })
}

test("a closing server finishes what is running, and then does not wait for kept connections", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>()
  const { server, port } = await serverThat(onAsked)
  const answer = ask(port)
  const end = await asked
  const closed = closeServer(server, 600_000)
  end()
  expect(await answer).toBe("done")
  await closed
})

test("a closing server does not wait for connections without a request", async () => {
  const server = httpServer(new Koa<RequestState>())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const connected = once(server, "connection")
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  const ended = once(socket, "close")
  await connected
  await closeServer(server, 600_000)
  expect(await ended).toEqual([false])
})

test("a closing server closes its WebSockets", async () => {
  const app = new Koa<RequestState>()
  app.use((ctx) => void openSocket(ctx))
  const server = httpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await once(socket, "open")
  const ended = once(socket, "close")
  await closeServer(server, 600_000)
  const [{ type }] = (await ended) as [Event]
  expect([type, socket.readyState]).toEqual(["close", WebSocket.CLOSED])
})

test("requests that do not finish in time are cut off", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>()
  const { server, port } = await serverThat(onAsked)
  const answer = ask(port)
  answer.catch(() => undefined)
  await asked
  await closeServer(server, 50)
  await expect(answer).rejects.toThrow("socket hang up")
})

test("an endless response ends with a notice that the server is stopping", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const app = new Koa<RequestState>()
  app.use((ctx) => {
    ctx.respond = false
    ctx.res.write("on and on ")
    ctx.res.once(STOPPING, () => ctx.res.end("and out"))
    onAsked()
  })
  const server = httpServer(app)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const answer = ask((server.address() as AddressInfo).port)
  await asked
  await closeServer(server, 600_000)
  expect(await answer).toBe("on and on and out")
})

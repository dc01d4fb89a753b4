import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { type Duplex, PassThrough } from "node:stream"

import Koa from "koa"
import { pino } from "pino"
import { expect, test } from "vitest"

import type { RequestState } from "../../context.ts"
import { logUnwritten } from "./request-log.ts"

/** Unlike once(), ignores errors. */
const closed = (stream: Duplex) => new Promise((resolve) => stream.on("close", resolve))

test("a caller who leaves a stream is not logged as an error, but a broken stream is", async () => {
  const lines: string[] = []
  const app = new Koa<RequestState>()
  logUnwritten(app, pino({}, { write: (line: string) => void lines.push(line) }))
  const bodies: PassThrough[] = []
  app.use((ctx) => {
    const body = new PassThrough()
    body.write("the first event\n\n")
    bodies.push(body)
    ctx.body = body
  })
  const server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  const follow = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.write("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
    await once(socket, "data")
    return socket
  }

  const leaves = await follow()
  leaves.destroy()
  await closed(bodies[0]!)
  const stays = await follow()
  bodies[1]!.destroy(new Error("the disk is gone"))
  await closed(stays)

  const texts = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message)
  expect([...new Set(texts)]).toEqual(["the disk is gone"])
  server.close()
  await once(server, "close")
})

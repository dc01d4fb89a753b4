import { once } from "node:events"
import { open } from "node:fs/promises"
import type { AddressInfo } from "node:net"

import Koa from "koa"

import { readSettings } from "#base/settings.ts"

import { apiSettings } from "../../../settings.ts"
import type { RequestState } from "../../../context.ts"
import { httpServer } from "../../http-server.ts"
import { openConnections } from "../connections.ts"

// A separate process that serves with a given limit on descriptors, and opens that many files on request.

const app = new Koa<RequestState>()
app.use(async (ctx) => {
  const wanted = Number(ctx.query["files"] ?? 0)
  const files = await Promise.all(Array.from({ length: wanted }, () => open(import.meta.filename)))
  await Promise.all(files.map((file) => file.close()))
  ctx.body = `${files.length} files`
})
const server = httpServer(app, openConnections(readSettings(apiSettings, {})))
server.listen(0, "127.0.0.1")
await once(server, "listening")
process.stdout.write(`${(server.address() as AddressInfo).port}\n`)

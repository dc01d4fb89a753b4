import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

import { expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"
import { crawlerSettings } from "#crawler/settings.ts"

import { apiKey, type KeyRole } from "../keys/keys.ts"
import { KeyReceivers } from "./key-receivers.ts"

test("only the operator's own keys reach networks that the operator opened", async () => {
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    response.end()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const roles: Readonly<Record<string, KeyRole>> = { ops: "admin", team: "search" }
  await using receivers = new KeyReceivers({
    keys: { byId: async (id) => (roles[id] ? apiKey({ id, role: roles[id] }) : null) },
    sending: readSettings(crawlerSettings, { FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8" }),
    userAgent: "receivers-test",
  })
  const { port } = server.address() as AddressInfo
  const send = (keyId: string) =>
    receivers.send(
      keyId,
      { id: keyId, receiver: `http://127.0.0.1:${port}/`, secret: null, body: "{}" },
      new AbortController().signal,
    )
  expect(await send("ops")).toMatchObject({ error: null })
  for (const keyId of ["team", "gone"]) {
    expect(await send(keyId)).toMatchObject({
      error: expect.stringContaining("FOSSICK_WEBHOOK_NETWORKS"),
    })
  }
  expect(await send("ops")).toMatchObject({ error: null })
  await receivers[Symbol.asyncDispose]()
  expect((await send("ops")).error).not.toBeNull()
  expect(received.map((headers) => headers["user-agent"])).toEqual(["receivers-test", "receivers-test"])
  server.closeAllConnections()
  server.close()
})

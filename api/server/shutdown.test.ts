import { once } from "node:events"
import { Agent, createServer, get } from "node:http"
import type { AddressInfo } from "node:net"

import { expect, test } from "vitest"

import { closeServer } from "./shutdown.ts"

async function serverThat(answers: (end: () => void) => void) {
  const server = createServer((_, response) => answers(() => response.end("done")))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

/** The whole answer, over a connection that the client would keep. */
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

test("what is not finished in time is cut off", async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>()
  const { server, port } = await serverThat(onAsked)
  const answer = ask(port)
  answer.catch(() => undefined)
  await asked
  await closeServer(server, 50)
  await expect(answer).rejects.toThrow("socket hang up")
})

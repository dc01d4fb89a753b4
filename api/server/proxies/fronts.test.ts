import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import type { Duplex } from "node:stream"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { tavily } from "@tavily/core"
import { describe, expect, test } from "vitest"

import type { Query } from "#engine"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { serveAccounts } from "../../testing/serve-accounts.ts"
import { serveApp, TEST_KEY } from "../../testing/serve-app.ts"
import { type Front, FRONTS, type FrontName, startFront } from "./testing/start-front.ts"

// The handbook's examples of a proxy that holds the certificate.

const PAGE = hit({ title: "Pumps" })
const TRUSTED = { trustedProxies: ["127.0.0.1"] }
const authorization = `Bearer ${TEST_KEY}`
const programs = Object.keys(FRONTS) as FrontName[]

describe.each(programs)("%s before the appliance", (program) => {
  test("forwards a Tavily client and an MCP client", { tags: [program] }, async () => {
    await using app = await serveApp({ engine: new FakeEngine([PAGE]), config: TRUSTED })
    await using front = await startFront(program, ownName(app.url))
    const url = `https://localhost:${front.port}`

    const found = await tavily({ apiKey: TEST_KEY, apiBaseURL: url }).search("how does a pump work?")
    expect(found.results.map(({ title }) => title)).toEqual(["Pumps"])

    const client = new Client({ name: "test", version: "1" })
    const requestInit = { headers: { Authorization: authorization } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    const answer = await client.callTool({ name: "tavily_search", arguments: { query: "pumps" } })
    expect(JSON.stringify(answer)).toContain(PAGE.url)
    await client.close()

    // The appliance's own texts contain the address that callers use.
    expect((await front.ask("/robots.txt")).body).toMatch(/Sitemap: https:\/\/localhost\//)
  })

  test.each([
    ["behind-a-proxy", "localhost"],
    ["clients", "api.firecrawl.dev"],
  ])(
    "allows watching a job over a WebSocket with its example in %s",
    { tags: [program] },
    async (page, name) => {
      await using app = await serveAccounts({ config: TRUSTED })
      await using front = await startFront(program, { page, name, appliance: app.url })
      const key = await app.key()
      const { body } = await app.call("/v2/crawl", key, { url: "https://docs.example.com/" })
      expect(await watched(front, { name, path: `/v2/crawl/${body.id}`, key })).toMatch(
        /"type":"catchup".*"type":"(done|error)"/s,
      )
    },
  )

  test(
    "forwards a stream as it is written, and ends it when the reader hangs up",
    { tags: [program] },
    async () => {
      const engine = new FakeEngine()
      const stopped = Promise.withResolvers<void>()
      // The report runs until its reader hangs up, so a proxy that buffers the whole response would never deliver it.
      engine.search = (_query: Query, options?: { signal?: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => {
            stopped.resolve()
            reject(options.signal!.reason as Error)
          })
        })
      await using app = await serveApp({ engine, config: TRUSTED })
      await using front = await startFront(program, ownName(app.url))
      const caller = new AbortController()
      const response = await fetch(`https://localhost:${front.port}/research`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: authorization },
        body: JSON.stringify({ input: "How does a rotary pump work?", stream: true }),
        signal: caller.signal,
      })
      const { value } = await response.body!.getReader().read()
      expect(new TextDecoder().decode(value)).toContain("event: chat.completion.chunk")
      caller.abort()
      await stopped.promise
    },
  )

  test(
    "passes on the caller's address, which is used if the proxy is trusted",
    { tags: [program, "linux"] },
    async () => {
      await using app = await serveApp({ config: TRUSTED })
      await using front = await startFront(program, ownName(app.url))
      expect(await refusedFrom(front, app.logLines)).toBe("127.0.0.2")

      await using careful = await serveApp()
      await using unknown = await startFront(program, ownName(careful.url))
      expect(await refusedFrom(unknown, careful.logLines)).toBe("127.0.0.1")
    },
  )

  test.each(["api.tavily.com", "api.firecrawl.dev"])(
    "works as %s for clients with a fixed address",
    { tags: [program] },
    async (name) => {
      await using app = await serveApp({ engine: new FakeEngine([PAGE]), config: TRUSTED })
      await using front = await startFront(program, { page: "clients", name, appliance: app.url })
      const path = name === "api.tavily.com" ? "/search" : "/v2/search"
      const body = JSON.stringify({ query: "pumps" })
      const headers = { "Content-Type": "application/json", Authorization: authorization }
      const answer = await front.ask(path, { method: "POST", headers, body })
      expect(answer).toEqual({ status: 200, body: expect.stringContaining(PAGE.url) })
      expect((await front.ask("/robots.txt")).body).toContain(`Sitemap: https://${name}/`)
    },
  )
})

const ownName = (appliance: string) => ({ page: "behind-a-proxy", name: "localhost", appliance })

/**
 * The messages sent to a client that is watching a job, up to the closing message. A server's frames need no decoding,
 * since servers don't mask them.
 */
async function watched(
  { port }: Front,
  { name, path, key }: { readonly name: string; readonly path: string; readonly key: string },
): Promise<string> {
  const asked = request({
    host: "127.0.0.1",
    port,
    servername: name,
    path,
    headers: {
      Host: name,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      "Sec-WebSocket-Protocol": key,
    },
  })
  asked.end()
  const refused = once(asked, "response").then(([{ statusCode }]) => {
    throw new Error(`no WebSocket, but ${(statusCode as number).toString()}`)
  })
  const opened = once(asked, "upgrade") as Promise<[IncomingMessage, Duplex, Buffer]>
  const [response, socket, head] = await Promise.race([opened, refused])
  expect(response.statusCode).toBe(101)
  // The server ends the connection with a frame of opcode 8, and waits for a reply to it.
  let told = head.toString()
  for await (const chunk of socket) {
    told += (chunk as Buffer).toString()
    if (/"type":"(done|error)"/.test(told)) break
  }
  return told
}

/** The logged address of a call with a wrong key that comes from another loopback address and names a third address in its header. */
async function refusedFrom(front: Front, logLines: readonly string[]): Promise<string | undefined> {
  const headers = { Authorization: "Bearer nope", "X-Forwarded-For": "203.0.113.7" }
  const { status } = await front.ask("/search", {
    method: "POST",
    localAddress: "127.0.0.2",
    headers,
    body: "{}",
  })
  expect(status).toBe(401)
  const lines = logLines.map((line) => JSON.parse(line) as { status?: number; address?: string })
  return lines.find((line) => line.status === 401)?.address
}

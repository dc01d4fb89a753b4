import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { json } from "node:stream/consumers"

import { afterAll, beforeAll, expect, test } from "vitest"

import { isListening } from "#base/testing/free-port.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"

import { type Appliance, startAppliance } from "./testing/appliance.ts"

// Tests stopping the whole appliance while it is working.

let site: TestSite
let appliance: Appliance
const { promise: released, resolve: release } = Promise.withResolvers<void>()

beforeAll(async () => {
  site = await startTestSite({
    "/": article("Home", { links: ["/slow"] }),
    "/slow": async (_, response) => {
      await released
      response.setHeader("Content-Type", "text/html").end(article("Slow", { text: "Good things take time." }))
    },
  })
  appliance = await startAppliance({
    FOSSICK_ALLOWED_NETWORKS: site.authority,
    FOSSICK_HANDBOOK: "off",
    FOSSICK_SHUTDOWN_SECONDS: "60",
  })
})
afterAll(async () => {
  release()
  await appliance?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const post = (path: string, body: object) =>
  fetch(appliance.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${appliance.apiKey}` },
    body: JSON.stringify(body),
  })

/** Whether a process is still listening. */
async function listens(): Promise<boolean> {
  const { port, hostname } = new URL(appliance.url)
  return await isListening(Number(port), hostname)
}

/** A tool call that is answered piece by piece. */
const tool = () =>
  fetch(`${appliance.url}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${appliance.apiKey}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "tavily_extract", arguments: { urls: [site.url("/slow?by-tool")] } },
    }),
  })

/** A search whose request is in progress: half of the body has been sent, `finish` sends the rest. */
function halfAsked() {
  const body = JSON.stringify({ query: "good things" })
  const call = request(`${appliance.url}/search`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Content-Length": body.length,
      Authorization: `Bearer ${appliance.apiKey}`,
    },
  })
  const answered = once(call, "response") as Promise<[IncomingMessage]>
  return {
    sent: new Promise<void>((done) => {
      call.write(body.slice(0, 9), () => {
        done()
      })
    }),
    async finish() {
      call.end(body.slice(9))
      const [response] = await answered
      return { status: response.statusCode, body: await json(response) }
    },
  }
}

test("finishes running work, starts nothing new, and closes kept connections after their answer", async () => {
  expect((await post("/search", { query: "before" })).headers.get("connection")).toBe("keep-alive")
  const crawl = post("/crawl", { url: site.url("/") })
  const streamed = tool()
  await expect.poll(() => site.requests).toEqual(expect.arrayContaining(["/slow", "/slow?by-tool"]))
  // The headers arrive before the end: the response is sent piece by piece.
  const stream = await streamed
  const search = halfAsked()
  await search.sent
  // This request is sent afterwards over another connection: once it is answered, the earlier connection has been
  // accepted, too.
  expect((await fetch(`${appliance.url}/healthz`)).status).toBe(200)
  const stopping = appliance.stop()
  await expect.poll(listens).toBe(false)
  expect(await search.finish()).toMatchObject({ status: 200, body: { query: "good things" } })
  release()

  const response = await crawl
  expect(response.headers.get("connection")).toBe("close")
  const { results } = (await response.json()) as { results: readonly { raw_content: string }[] }
  expect(results.map((one) => one.raw_content).join("")).toContain("Good things take time.")
  expect(await stream.text()).toContain("Good things take time.")
  expect(await stopping).toEqual({ code: 0, processesLeft: false })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { createReader } from "#crawler/fetch/visit/reader.ts"
import { testConfig } from "#crawler/testing/crawl-fixture.ts"
import { FakeInternet } from "#crawler/testing/fake-internet.ts"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import type { Reader } from "#crawler"

import { type ServedApp, serveApp } from "./testing/serve-app.ts"

// The caller in these tests names hosts on the operator's network, one by one, to find out which of them exist.

describe("unknown names and names that lead into a private network", () => {
  let site: TestSite
  let reader: Reader
  let app: ServedApp
  let port: string
  const internet = new FakeInternet({ "inside.example": "127.0.0.1" })

  beforeAll(async () => {
    site = await startTestSite({ "/": article("Secret") })
    ;({ port } = new URL(site.origin))
    reader = createReader(testConfig({ FOSSICK_ALLOWED_NETWORKS: "" }), { resolve: internet.resolve })
    app = await serveApp({ reader })
  })
  afterAll(async () => {
    internet[Symbol.dispose]()
    await app[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  const plain = (body: object, host: string) =>
    JSON.stringify({ ...body, request_id: "", response_time: 0 }).replaceAll(host, "HOST")

  test.each([
    ["/extract", (url: string) => ({ urls: url })],
    ["/crawl", (url: string) => ({ url })],
    ["/map", (url: string) => ({ url })],
  ])("get the same answer from %s; only the log tells them apart", async (path, body) => {
    const answers = []
    for (const host of ["inside.example", "unknown.example"]) {
      const answer = await app.post(path, body(`http://${host}:${port}/`))
      answers.push([answer.status, plain(answer.body, host)])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(JSON.stringify(answers)).not.toContain("127.0.0.1")
    expect(site.requests).toEqual([])
    const log = app.logLines.join("")
    expect(log).toContain("inside.example has no public address (127.0.0.1)")
    expect(log).toContain("the host name cannot be resolved (ENOTFOUND)")
  })

  test("take the same minimum time to answer", async () => {
    for (const host of ["inside.example", "unknown.example"]) {
      const { body } = await app.post("/extract", { urls: `http://${host}:${port}/` })
      expect(body.response_time).toBeGreaterThanOrEqual(0.49)
    }
  })

  test("get a different answer from a private address that the caller wrote out", async () => {
    const { body } = await app.post("/extract", { urls: site.url("/") })
    expect(body.failed_results[0].error).toContain("the address is in a network that is not allowed")
    expect((await app.post("/map", { url: "http://169.254.169.254/" })).status).toBe(403)
  })
})

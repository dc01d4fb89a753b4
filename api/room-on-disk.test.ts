import { expect, test } from "vitest"

import { serveTwoSources } from "./testing/two-sources.ts"

test("a nearly full disk refuses storage with 503, holds up jobs and answers searches, until there is room again", async () => {
  let isLow = true
  const room = { isLow: () => isLow, freeBytes: 0, use: null }
  await using garden = await serveTwoSources({}, { room })
  const call = (path: string, body?: unknown) => garden.app.call(path, garden.all, body)
  const research = { input: "When are roses pruned?" }
  const crawl = { url: garden.site.url("/roses/") }

  const refused = await call("/research", research)
  expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
    503,
    "60",
    { detail: { error: expect.stringContaining("disk is nearly full") } },
  ])
  const job = await call("/v2/crawl", crawl)
  expect([job.status, job.headers.get("retry-after"), job.body.success]).toEqual([503, "60", false])
  expect((await call("/search", { query: "roses" })).body.results).not.toEqual([])
  expect((await call("/extract", { urls: garden.site.url("/roses/") })).body.results).toHaveLength(1)

  isLow = false
  const begun = await call("/v2/crawl", { ...crawl, delay: 1 })
  const task = await call("/research", research)
  isLow = true
  const path = `/v2/crawl/${begun.body.id}`
  await expect.poll(async () => (await call(path)).body.status).toBe("scraping")
  expect((await call(path)).body.completed).toBe(0)
  isLow = false
  await expect.poll(async () => (await call(path)).body.status).toBe("completed")
  expect((await call(path)).body.completed).toBeGreaterThan(0)
  await expect
    .poll(async () => (await call(`/research/${task.body.request_id}`)).body.status)
    .toBe("completed")
})

test("if nothing can be stored, callers' data is refused with 503, and questions are answered", async () => {
  let keepsNothing = true
  await using garden = await serveTwoSources({}, { keepsNothing: () => keepsNothing })
  const call = (path: string, body: unknown) => garden.app.call(path, garden.all, body)
  const left = {
    "/feedback": { request_id: "r1", feedback_type: "explicit", rating: 1 },
    "/page-requests": { url: "https://docs.example.com/missing" },
    "/research": { input: "When are roses pruned?" },
    "/generate-keys": {},
    "/deactivate-keys": { request_id: "r1" },
    "/v2/crawl": { url: garden.site.url("/roses/") },
  }
  for (const [path, body] of Object.entries(left)) {
    // oxlint-disable-next-line no-await-in-loop
    const { status, headers } = await call(path, body)
    expect([path, status, headers.get("retry-after")]).toEqual([path, 503, "60"])
  }
  expect((await call("/search", { query: "roses" })).body.results).not.toEqual([])
  keepsNothing = false
  expect((await call("/page-requests", left["/page-requests"])).status).toBe(200)
})

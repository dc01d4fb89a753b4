import { afterAll, beforeAll, expect, test } from "vitest"

import { createReader, crawlerSettings, type Reader } from "#crawler"
import { article, startTestSite, type TestSite } from "#crawler/testing/test-site.ts"
import { ByteBudget } from "#base/flow/memory/byte-budget.ts"
import { readSettings } from "#base/settings.ts"

import { serveApp } from "../../testing/serve-app.ts"
import { LiveMemory } from "./live-memory.ts"

const words = (chars: number) => "Many words of one page. ".repeat(chars / 24)
const page = (title: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${words(1_200_000)}</p></article></body></html>`
const paths = Array.from({ length: 8 }, (_, at) => `/page${at}`)

let site: TestSite
let reader: Reader
beforeAll(async () => {
  site = await startTestSite({
    "/": article("Home", { links: paths }),
    ...Object.fromEntries(paths.map((path) => [path, page(path)])),
  })
  reader = createReader({ ...readSettings(crawlerSettings, {}), allowedNetworks: [site.authority] })
})
afterAll(async () => {
  await reader[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

test("a call that runs out of memory returns what it has and says what it left out", async () => {
  await using app = await serveApp({ reader, config: { callMemoryMb: 16, liveMemoryMb: 64 } })
  const crawled = await app.post("/crawl", { url: site.url("/") })
  expect(crawled.status).toBe(200)
  const { results, failed_results: failed } = crawled.body
  // The call's memory is enough for the home page and three pages of 4.8 MB each.
  expect(results).toHaveLength(4)
  expect(failed).toHaveLength(paths.length - 3)
  expect(failed[0].error).toContain("the memory for live calls is used up")
  const extracted = await app.post("/extract", { urls: paths.map((path) => site.url(path)), timeout: 60 })
  expect(extracted.body.results).toHaveLength(3)
  expect(extracted.body.failed_results).toHaveLength(paths.length - 3)
  // Each call released its memory; otherwise the next calls would have found none.
  for (let at = 0; at < 4; at++)
    expect((await app.post("/extract", { urls: site.url("/page0"), timeout: 60 })).body.results).toHaveLength(
      1,
    )
})

test("a map stores only addresses and has room for a whole site", async () => {
  await using app = await serveApp({ reader, config: { callMemoryMb: 16, liveMemoryMb: 16 } })
  const { body } = await app.post("/map", { url: site.url("/"), max_depth: 2 })
  expect(body.results).toHaveLength(paths.length + 1)
  expect(body).not.toHaveProperty("failed_results")
})

test("a call is refused early while other calls hold all memory", async () => {
  const memory = new LiveMemory(new ByteBudget(16 * 2 ** 20), { callMemoryMb: 16 })
  const first = memory.open()
  const reading = first.metered(reader).read(site.url("/page0"))
  expect((await reading).kind).toBe("read")
  const second = memory.open().metered(reader)
  expect((await second.read(site.url("/page1"))).kind).toBe("read")
  expect((await second.read(site.url("/page2"))).kind).toBe("read")
  expect(() => memory.open()).toThrow(expect.objectContaining({ because: "busy" }))
  first[Symbol.dispose]()
  expect(() => memory.open()).not.toThrow()
})

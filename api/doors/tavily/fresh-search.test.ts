import { tavily } from "@tavily/core"
import { afterAll, beforeAll, expect, test } from "vitest"

import { article, status } from "#crawler/testing/test-site.ts"

import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

let garden: TwoSources

beforeAll(async () => {
  garden = await serveTwoSources()
})
afterAll(() => garden[Symbol.asyncDispose]())

const search = async (body: object, key = garden.all) =>
  (
    await garden.app.call("/search", key, {
      query: "when are tulips planted",
      ...body,
      ...("max_age_hours" in body && { fetch_timeout: 60, ...body }),
    })
  ).body
const tulips = (text: string) => garden.site.serve({ "/tulips": article("Tulips", { text }) })
const visits = () => garden.site.requests.filter((path) => path === "/tulips").length

test("reads results again if they are older than requested, and builds the answer from their current text", async () => {
  const before = visits()
  const stored = await search({ max_age_hours: 1, max_results: 1 })
  expect([stored.results[0].content, visits()]).toEqual([expect.stringContaining("first frost"), before])

  tulips("Tulips are planted in March this year, and not in autumn.")
  const now = await search({
    max_age_hours: 0,
    max_results: 1,
    include_answer: true,
    include_raw_content: true,
  })
  expect(now).not.toHaveProperty("warnings")
  expect(now.results[0]).toMatchObject({
    url: garden.site.url("/tulips"),
    content: expect.stringContaining("in March this year"),
    raw_content: expect.stringContaining("in March this year"),
    sources: ["garden"],
  })
  expect(now.answer).toContain("March")
  expect(Date.parse(now.results[0].checked_at)).toBeGreaterThan(Date.parse(stored.results[0].checked_at))
  // The live read did not change the index, because only the crawler writes to it.
  expect((await search({ max_results: 1 })).results[0].content).toContain("first frost")
})

test("accepts the official client's own parameters", async () => {
  tulips("Tulips are planted in May, says the client.")
  const client = tavily({ apiKey: garden.all, apiBaseURL: garden.app.url })
  const options = { maxHours: 0, fetchTimeout: 60, cacheFallback: false, maxResults: 1 }
  const { results } = await client.search("when are tulips planted", options)
  expect(results[0]?.content).toContain("says the client")
})

test("Firecrawl's search does the same with maxAge", async () => {
  tulips("Tulips are planted in June, says the fire.")
  const asked = { query: "when are tulips planted", limit: 1 }
  const web = async (scrapeOptions: object) =>
    (await garden.app.call("/v2/search", garden.all, { ...asked, scrapeOptions })).body.data.web[0]
      .description
  expect(await web({ maxAge: 0 })).toContain("says the fire")
  expect(await web({})).toContain("first frost")
})

test("leaves out a result if its site does not respond, or returns it unchanged with a warning", async () => {
  garden.site.serve({ "/tulips": status(503) })
  const strict = await search({
    max_age_hours: 0,
    exact_match: true,
    query: 'tulips "before the first frost"',
  })
  expect([strict.results, strict.miss]).toEqual([[], undefined])
  expect(strict.warnings).toEqual([
    expect.objectContaining({ code: "left-out", url: garden.site.url("/tulips") }),
  ])
  const lenient = await search({ max_age_hours: 0, cache_fallback: true, max_results: 1 })
  expect(lenient.results[0].content).toContain("first frost")
  expect(lenient.warnings).toEqual([expect.objectContaining({ code: "stale" })])
})

test("reads nothing again that a key may not see", async () => {
  const before = garden.site.requests.length
  const { results } = await search(
    { query: "vault keys", max_age_hours: 0, cache_fallback: true },
    garden.narrow,
  )
  expect(results.map(({ url }: { url: string }) => url)).not.toContain(garden.site.url("/vault/keys"))
  expect(garden.site.requests.slice(before).filter((path) => path.startsWith("/vault"))).toEqual([])
})

test.each([
  ["max_age_hours", -2, "a whole number from -1 to 87600"],
  ["max_age_hours", 1.5, "a whole number from -1 to 87600"],
  ["max_hours", "1", "a whole number from -1 to 87600"],
  ["fetch_timeout", 61, "a number from 0 to 60"],
  ["cache_fallback", "yes", "true or false"],
])("rejects %s %s by field name", async (field, value, allowed) => {
  const { detail } = await search({ max_age_hours: 1, [field]: value })
  expect(detail.error).toBe(`Invalid ${field}. Must be ${allowed}.`)
})

test("warns about options that have no effect without an age", async () => {
  const { warnings } = await search({ fetch_timeout: 5, cache_fallback: true })
  expect(warnings.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
    ["no-effect", "cache_fallback"],
    ["no-effect", "fetch_timeout"],
  ])
})

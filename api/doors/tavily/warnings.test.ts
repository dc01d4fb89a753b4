import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { type ServedApp, serveApp } from "../../testing/serve-app.ts"

let app: ServedApp

beforeAll(async () => {
  app = await serveApp({ engine: new FakeEngine([hit()]) })
})
afterAll(() => app[Symbol.asyncDispose]())

const unknown = (field: string) => ({
  code: "unknown-field",
  field,
  text: `${field} is not a known field and has no effect.`,
})

describe("warnings about fields that an endpoint does not have", () => {
  test.each([
    ["/search", { query: "pumps" }],
    ["/extract", { urls: "https://example.com/", timeout: 1 }],
    ["/crawl", { url: "https://example.com/", timeout: 10 }],
    ["/map", { url: "https://example.com/", timeout: 10 }],
    ["/research", { input: "pumps" }],
    ["/feedback", { request_id: "r" }],
    ["/logs", {}],
    ["/page-requests", { query: "pumps" }],
    ["/generate-keys", { permission_level: "user" }],
  ])("%s", async (path, body) => {
    expect((await app.post(path, body)).body).not.toHaveProperty("warnings")
    const given = {
      ...body,
      freshness: "1h",
      api_key: "k",
      client_source: "c",
      empty: "",
      none: [],
      no: null,
    }
    const { status, body: answer } = await app.post(path, given)
    expect([status, answer.warnings]).toEqual([200, [unknown("freshness")]])
  })

  test("name the first of many fields, shortened to a readable length", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`.padEnd(200, "x"), i]))
    const { warnings } = (await app.post("/search", { query: "pumps", ...many })).body
    expect(warnings).toHaveLength(21)
    expect(warnings[0].field).toHaveLength(100)
    expect(warnings[20]).toEqual({ code: "unknown-field", text: "10 more unknown fields have no effect." })
  })

  test("come before the answer in a stream", async () => {
    const read = async (path: string, body: object) => {
      const response = await fetch(app.url + path, {
        method: "POST",
        headers: {
          Accept: "text/event-stream",
          "Content-Type": "application/json",
          Authorization: "Bearer test-key-of-the-admin",
        },
        body: JSON.stringify({ ...body, freshness: 1 }),
      })
      const frames = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"))
      return frames.map((line) => JSON.parse(line.slice(6)).warnings)
    }
    const [first, ...others] = await read("/research", { input: "pumps", stream: true })
    expect(first).toEqual([unknown("freshness")])
    expect(others.every((one) => one === undefined)).toBe(true)
    const [found] = await read("/search", { query: "pumps", include_answer: true })
    expect(found).toEqual([unknown("freshness")])
  })
})

describe("warnings about fields that others rule out", () => {
  test.each([
    ["/search", { safe_search: true, search_depth: "fast" }, "safe_search", /use 'basic' or 'advanced'/],
    ["/search", { country: "france", topic: "news" }, "country", /use 'general'/],
    ["/search", { days: 3 }, "days", /use time_range/],
    ["/search", { exact_match: true }, "exact_match", /no phrase in quotes/],
    ["/search", { include_image_descriptions: true }, "include_image_descriptions", /include_images/],
    ["/search", { chunks_per_source: 1, search_depth: "ultra-fast" }, "chunks_per_source", /one summary/],
    ["/extract", { chunks_per_source: 1 }, "chunks_per_source", /query is not set/],
    ["/crawl", { chunks_per_source: 1 }, "chunks_per_source", /instructions is not set/],
  ])("%s with %o", async (path, given, field, text) => {
    const all = { query: "pumps", urls: "https://example.com/", url: "https://example.com/" }
    const { query, ...unsearched } = all
    const { body } = await app.post(path, { ...(path === "/search" ? { query } : unsearched), ...given })
    const warnings = body.warnings.filter((one: { code: string }) => one.code !== "unknown-field")
    expect(warnings).toEqual([{ code: "no-effect", field, text: expect.stringMatching(text) }])
  })

  test("are not sent to clients that send the default with every call", async () => {
    const { body } = await app.post("/extract", { urls: "https://example.com/", chunks_per_source: 3 })
    expect(body).not.toHaveProperty("warnings")
  })

  test("also cover a text that is too long to be used in full", async () => {
    const { body } = await app.post("/search", { query: "word ".repeat(1000) })
    expect(body.warnings).toEqual([
      { code: "shortened", field: "query", text: "Only the first 4,000 characters of query were used." },
    ])
  })
})

import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { parseQueryText } from "#engine/text/query-text.ts"

import { FakeEngine, hit } from "../../testing/fake-engine.ts"
import { SEARCH_KEY, type ServedApp, serveApp } from "../../testing/serve-app.ts"
import { searchSchema } from "./schema.ts"

const engine = new FakeEngine([hit(), hit({ images: [], favicon: null, publishedAt: null, passages: [] })])
let app: ServedApp

beforeAll(async () => {
  app = await serveApp({ engine, config: { includeDomainsCap: 2 } })
})
afterAll(() => app[Symbol.asyncDispose]())

async function ask(parameters: object) {
  const { status, body } = await app.post("/search", { query: "water pump", ...parameters })
  return { status, body, query: engine.queries.at(-1)! }
}

describe("the search response", () => {
  test("carries every field the clients read", async () => {
    const { body } = await ask({})
    expect(body).toEqual({
      query: "water pump",
      follow_up_questions: null,
      answer: null,
      images: [],
      results: [
        {
          id: `${body.request_id.slice(0, 6)}-00`,
          title: "Pumps",
          url: "https://example.com/pumps",
          content: "A pump moves water. [...] Seals wear out first.",
          score: 0.8,
          raw_content: null,
          sources: ["example.com"],
          type: "html",
          language: "en",
          checked_at: "2025-04-01T00:00:00.000Z",
          section: { heading: "Basics" },
        },
        expect.objectContaining({ content: "All about pumps." }),
      ],
      response_time: expect.any(Number),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test("adds optional fields on request", async () => {
    const { body } = await ask({
      include_raw_content: "text",
      include_favicon: true,
      include_published_date: true,
      include_images: true,
      include_usage: true,
      search_depth: "advanced",
    })
    expect(body.results[0]).toMatchObject({
      raw_content: "Pumps\n\nA pump moves water.",
      favicon: "https://example.com/favicon.ico",
      published_date: "Tue, 11 Mar 2025 17:00:00 GMT",
      images: ["https://example.com/pump.png", "https://example.com/seal.png"],
    })
    expect(body.results[1]).toMatchObject({ favicon: null, published_date: null, images: [] })
    expect(body.images).toEqual(["https://example.com/pump.png", "https://example.com/seal.png"])
    expect(body.usage).toEqual({ credits: 2 })
    const described = await ask({
      include_images: true,
      include_image_descriptions: true,
      include_raw_content: true,
    })
    expect(described.body.images[0]).toEqual({
      url: "https://example.com/pump.png",
      description: "A pump, cut open",
    })
    expect(described.body.results[0].raw_content).toBe("# Pumps\n\nA **pump** moves water.")
  })

  test("ultra-fast gives one summary", async () => {
    const { body, query } = await ask({ search_depth: "ultra-fast", chunks_per_source: 3 })
    expect(body.results[0].content).toBe("All about pumps.")
    expect(query.passagesPerPage).toBe(1)
  })
})

describe("the engine query", () => {
  test("defaults", async () => {
    const { query } = await ask({})
    expect(query).toEqual({
      text: { ...parseQueryText("water pump") },
      depth: "basic",
      limit: 5,
      passagesPerPage: 3,
      withMarkdown: false,
      filter: {},
      preference: {},
    })
  })

  test("requests whole pages when they are returned or used for an answer", async () => {
    expect((await ask({ include_raw_content: "text" })).query.withMarkdown).toBe(true)
    expect((await ask({ include_answer: true })).query.withMarkdown).toBe(true)
  })

  test("uses the beginning of a very long question", async () => {
    const query = `pumps ${"word ".repeat(2000)}`
    const asked = await ask({ query })
    expect(asked.query.text).toEqual(parseQueryText(query.slice(0, 4000)))
    expect(asked.body.query).toBe(query)
  })

  test("ignores unset values: null, empty text, empty lists, unknown fields, days without news", async () => {
    const { status, query } = await ask({
      include_domains: [],
      exclude_domains: null,
      country: "",
      time_range: null,
      days: 7,
      max_hours: 3,
      apiBaseURL: "http://127.0.0.1",
    })
    expect(status).toBe(200)
    expect(query.filter).toEqual({})
  })

  test("ignores blank entries of a list", async () => {
    const blank = await ask({ include_domains: [""], exclude_domains: ["", "  "] })
    expect(blank).toMatchObject({ status: 200, query: { filter: {}, preference: {} } })
    const some = await ask({ include_domains: ["", "a.example"], include_domains_mode: "filter" })
    expect(some.query.filter).toEqual({ includeDomains: ["a.example"] })
    expect(await ask({ include_domains: [""], include_domains_mode: "boost" })).toMatchObject({
      status: 400,
      body: {
        detail: { error: expect.stringMatching(/^Invalid include_domains_mode. Must be given together/) },
      },
    })
  })

  test("passes on the number of results", async () => {
    expect((await ask({ max_results: 50 })).query.limit).toBe(50)
    expect((await ask({ max_results: "auto" })).query.limit).toBe(20)
    const asked = engine.queries.length
    expect((await ask({ max_results: 0 })).body.results).toEqual([])
    expect(engine.queries).toHaveLength(asked)
  })

  test("accepts domains in every spelling", async () => {
    const { query } = await ask({
      include_domains: ["https://WWW.Example.com/", "bücher.example"],
      exclude_domains: "blog.example.com",
    })
    expect(query.filter).toEqual({
      includeDomains: ["example.com", "xn--bcher-kva.example"],
      excludeDomains: ["blog.example.com"],
    })
  })

  test("does not treat a boost as a filter", async () => {
    for (const mode of ["boost", "prefer"]) {
      const { query } = await ask({ include_domains: ["a.example"], include_domains_mode: mode })
      expect(query.filter).toEqual({})
      expect(query.preference).toEqual({ domains: ["a.example"] })
    }
    const { query } = await ask({ include_domains: ["a.example"], include_domains_mode: "restrict" })
    expect(query.filter).toEqual({ includeDomains: ["a.example"] })
  })

  test("includes both days of a date range", async () => {
    const { query } = await ask({
      start_date: "2024-02-29",
      end_date: "2024-02-29",
      filter_by_published_date: true,
    })
    expect(query.filter).toEqual({
      publishedFrom: new Date("2024-02-29T00:00:00Z"),
      publishedBefore: new Date("2024-03-01T00:00:00Z"),
      requirePublished: true,
    })
    expect((await ask({ filter_by_published_date: true })).query.filter?.publishedFrom).toEqual(new Date(0))
  })

  test("counts time ranges and days back from now", async () => {
    const daysBack = (filter: { publishedFrom?: Date } | undefined) =>
      Math.round((Date.now() - filter!.publishedFrom!.getTime()) / 86_400_000)
    expect(daysBack((await ask({ time_range: "w" })).query.filter)).toBe(7)
    expect(daysBack((await ask({ time_range: "year" })).query.filter)).toBeGreaterThanOrEqual(365)
    expect(daysBack((await ask({ topic: "news", days: 3 })).query.filter)).toBe(3)
  })

  test("filters by language, by code and by name", async () => {
    for (const language of ["fr", "FR", "fr-ca", "French"]) {
      const { query } = await ask({ language, filter_by_language: true })
      expect(query.filter).toEqual({ languages: ["fr"] })
      expect(query.preference).toEqual({})
    }
    const { query } = await ask({ language: "zh-cn" })
    expect(query.filter).toEqual({})
    expect(query.preference).toEqual({ languages: ["zh"] })
  })

  test("treats topics and country as preferences, and country only with the general topic", async () => {
    const preference = async (parameters: object) => (await ask(parameters)).query.preference
    expect(await preference({ topic: "news" })).toEqual({ topic: "news", recentAt: expect.any(Date) })
    expect(await preference({ topic: "finance", country: "france" })).toEqual({ topic: "finance" })
    for (const country of ["France", "fr", "FR", " fr "]) {
      expect(await preference({ country })).toEqual({ countries: ["fr"] })
    }
    // A territory that has no name in the contract is given by its code.
    expect(await preference({ country: "re" })).toEqual({ countries: ["re"] })
  })

  test("filters unsafe pages, except at the two fast depths, as the contract requires", async () => {
    expect((await ask({ safe_search: true })).query.filter).toEqual({ safe: true })
    expect((await ask({ safe_search: true, search_depth: "advanced" })).query.filter).toEqual({ safe: true })
    expect((await ask({ safe_search: true, search_depth: "fast" })).query.filter).toEqual({})
    expect((await ask({ safe_search: true, search_depth: "ultra-fast" })).query.filter).toEqual({})
  })

  test("passes on quoted phrases", async () => {
    const { query } = await ask({ query: 'pump "shaft seal" “dry run”', exact_match: true })
    expect(query.filter).toEqual({ phrases: ["shaft seal", "dry run"] })
    expect((await ask({ query: '"shaft seal"' })).query.filter).toEqual({})
  })
})

describe("rejected requests", () => {
  const domains =
    "Must be domains such as 'example.com' or 'example.com:8443', without wildcards, path, query or fragment."
  const language = "Must be an ISO 639-1 code ('en', 'zh-cn') or the English name of a language ('french')."
  test.each<[object, string]>([
    [{ query: undefined }, "Missing query. Must be a string."],
    [{ query: "  " }, "Missing query. Must be a string."],
    [{ query: 7 }, "Invalid query. Must be a string."],
    [{ query: ["pump"] }, "Invalid query. Must be a string."],
    [{ search_depth: "deep" }, "Invalid search_depth. Must be 'basic', 'advanced', 'fast' or 'ultra-fast'."],
    [{ topic: "sports" }, "Invalid topic. Must be 'general', 'news' or 'finance'."],
    [{ max_results: 51 }, "Invalid max_results. Must be a whole number from 0 to 50 or 'auto'."],
    [{ max_results: -1 }, "Invalid max_results. Must be a whole number from 0 to 50 or 'auto'."],
    [{ max_results: 2.5 }, "Invalid max_results. Must be a whole number from 0 to 50 or 'auto'."],
    [{ max_results: "5" }, "Invalid max_results. Must be a whole number from 0 to 50 or 'auto'."],
    [{ chunks_per_source: 4 }, "Invalid chunks_per_source. Must be a whole number from 1 to 3."],
    [{ include_images: "yes" }, "Invalid include_images. Must be true or false."],
    [{ include_answer: "long" }, "Invalid include_answer. Must be true, false, 'basic' or 'advanced'."],
    [
      { include_raw_content: "html" },
      "Invalid include_raw_content. Must be true, false, 'markdown' or 'text'.",
    ],
    [{ include_domains: ["*.example.com"] }, `Invalid include_domains: '*.example.com'. ${domains}`],
    [{ include_domains: ["example.com/docs"] }, `Invalid include_domains: 'example.com/docs'. ${domains}`],
    [
      { include_domains: ["example.com:8443/a"] },
      `Invalid include_domains: 'example.com:8443/a'. ${domains}`,
    ],
    [
      { exclude_domains: ["localhost:80800"] },
      "Invalid exclude_domains: 'localhost:80800'. The port '80800' must be a number from 1 to 65535.",
    ],
    [{ exclude_domains: ["example.com?q=1"] }, `Invalid exclude_domains: 'example.com?q=1'. ${domains}`],
    [{ exclude_domains: ["ftp://example.com"] }, `Invalid exclude_domains: 'ftp://example.com'. ${domains}`],
    [{ exclude_domains: ["exa mple.com"] }, `Invalid exclude_domains: 'exa mple.com'. ${domains}`],
    [{ include_domains: [1] }, "Invalid include_domains. Must be a string or a list of strings."],
    [
      { include_domains: ["a.example", "b.example", "c.example"] },
      "Invalid include_domains. Must have at most 2 entries.",
    ],
    [
      { include_domains_mode: "boost" },
      "Invalid include_domains_mode. Must be given together with include_domains.",
    ],
    [
      { include_domains: [], include_domains_mode: "filter" },
      "Invalid include_domains_mode. Must be given together with include_domains.",
    ],
    [
      { include_domains: ["a.example"], include_domains_mode: "only" },
      "Invalid include_domains_mode. Must be 'filter', 'boost', 'restrict' or 'prefer'.",
    ],
    [{ explain: "yes" }, "Invalid explain. Must be true or false."],
    [
      { include_domains: ["co.uk"] },
      "Invalid include_domains: 'co.uk'. Must be domains such as 'example.com'; 'co.uk' is a public suffix, under which anyone can register a domain.",
    ],
    [{ filter_by_language: true }, "Invalid filter_by_language. Must be given together with language."],
    [{ language: "klingon" }, `Invalid language. ${language}`],
    [{ language: "xx" }, `Invalid language. ${language}`],
    [
      { country: "atlantis" },
      "Invalid country. Must be an ISO 3166-1 alpha-2 code ('fr') or the English name of a country ('france').",
    ],
    [
      { country: "xx" },
      "Invalid country. Must be an ISO 3166-1 alpha-2 code ('fr') or the English name of a country ('france').",
    ],
    [{ start_date: "2024-02-30" }, "Invalid start_date. Must be a date of the form YYYY-MM-DD."],
    [{ end_date: "01/02/2024" }, "Invalid end_date. Must be a date of the form YYYY-MM-DD."],
    [{ start_date: "2024-03-02", end_date: "2024-03-01" }, "Invalid start_date. Must not be after end_date."],
    [
      { time_range: "hour" },
      "Invalid time_range. Must be 'day', 'week', 'month', 'year', 'd', 'w', 'm' or 'y'.",
    ],
    [
      { time_range: "day", start_date: "2024-03-02" },
      "Invalid time_range. Must not be given together with start_date or end_date.",
    ],
  ])("%j", async (parameters, error) => {
    const { status, body } = await ask(parameters)
    expect(body).toEqual({ detail: { error } })
    expect(status).toBe(400)
  })

  test("include explain without an admin key", async () => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${SEARCH_KEY}` }
    const asked = engine.queries.length
    const { status, body } = await app.post("/search", { query: "pump", explain: true }, { headers })
    expect(status).toBe(403)
    expect(body).toEqual({ detail: { error: "Access denied. explain needs a key with the role admin." } })
    expect(engine.queries).toHaveLength(asked)
    expect((await app.post("/search", { query: "pump", explain: false }, { headers })).status).toBe(200)
  })

  test("name the field at fault, and any other request is served", async () => {
    const fields = Object.keys(searchSchema.properties)
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom("en", "france", "news", "boost", "auto", "2024-02-29", "week", "fast", true, 3),
      fc.array(fc.oneof(fc.domain(), fc.string()), { maxLength: 2 }),
    )
    const body = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 6 })
    const holds = fc.assert(
      fc.asyncProperty(body, fc.string(), async (parameters, query) => {
        const answer = await app.post("/search", { query, ...parameters })
        if (answer.status === 200) return Array.isArray(answer.body.results)
        const [, field = ""] = /^(?:Invalid|Missing) (\w+)/.exec(answer.body.detail.error) ?? []
        return answer.status === 400 && fields.includes(field)
      }),
      { numRuns: 150 },
    )
    await expect(holds).resolves.toBeUndefined()
  })

  test("do not include a country in any letter case", async () => {
    expect((await ask({ country: "United States" })).status).toBe(200)
  })
})

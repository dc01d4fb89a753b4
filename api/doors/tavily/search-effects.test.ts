import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { Page } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"

import { type ServedApp, serveApp } from "../../testing/serve-app.ts"

// Tests the effect of every parameter of /search on a real index. Pages in one group have the same content, so that
// only the parameter can tell them apart.

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

/**
 * Pages with the text `markdown` under different titles, so that none is a duplicate of another, and with the given
 * differences.
 */
const alike = (markdown: string, pages: Readonly<Record<string, Partial<Page>>>): Page[] =>
  Object.entries(pages).map(([address, about], i) =>
    aPage(address, { title: `Notes ${rareWord(i)}`, markdown, ...about }),
  )

const pages: Page[] = [
  ...alike("The harbour bridge opens for the evening ferry.", {
    "https://ferry.test/plain": {},
    "https://ferry.test/new": { topic: "news", publishedAt: daysAgo(1) },
    "https://ferry.test/old": { topic: "news", publishedAt: daysAgo(900) },
    "https://ferry.test/money": { topic: "finance", publishedAt: daysAgo(400) },
  }),
  ...alike("Recipes for marzipan and nougat.", {
    "https://sweets.test/fr": { country: "fr" },
    "https://sweets.test/de": { country: "de" },
    "https://sweets.test/somewhere": {},
  }),
  ...alike("Zeppelin hangar telemetry.", {
    "https://air.test/en": { language: "en" },
    "https://air.test/de": { language: "de" },
    "https://air.test/zh": { language: "zh" },
    "https://air.test/unknown": { language: null },
  }),
  ...alike("Granite quarry permits.", {
    "https://stone.test/": {},
    "https://www.stone.test/": {},
    "https://north.stone.test/": {},
    "https://granite.com/": {},
    "https://größe.test/": {},
  }),
  ...alike("Velvet cabaret tickets.", {
    "https://stage.test/family": {
      images: [{ url: "https://stage.test/family.png", description: "The stage" }],
    },
    "https://stage.test/adults": {
      unsafe: true,
      images: [{ url: "https://stage.test/adults.png", description: null }],
    },
  }),
  ...alike("Lighthouse keepers met.", {
    "https://light.test/undated": {},
    "https://light.test/today": { publishedAt: daysAgo(0.1) },
    "https://light.test/days": { publishedAt: daysAgo(4) },
    "https://light.test/weeks": { publishedAt: daysAgo(20) },
    "https://light.test/months": { publishedAt: daysAgo(200) },
    "https://light.test/2019": { publishedAt: new Date("2019-05-06T23:30:00Z") },
  }),
  aPage("https://quote.test/exact", { markdown: "Hamlet asks: to be, or not to be?" }),
  aPage("https://quote.test/loose", { markdown: "Hamlet is to be shown; nobody is to be late or rude." }),
  aPage("https://long.test/manual", {
    title: "Turbine manual",
    description: "All about the turbine.",
    favicon: "https://long.test/icon.png",
    images: [{ url: "https://long.test/rotor.png", description: "A rotor" }],
    markdown: [
      "# Turbine manual",
      "The **turbine** turns the shaft. " + "It runs day and night. ".repeat(20),
      "## Oil",
      "Change the turbine oil in spring. " + "Old oil is dark. ".repeat(25),
      "## Blades",
      "Clean each turbine blade with water. " + "Wear gloves. ".repeat(30),
    ].join("\n\n"),
  }),
  aPage("https://long.test/no-summary", { title: "Turbine hall", markdown: "The turbine hall is cold." }),
]

let place: string
let engine: EmbeddedEngine
let app: ServedApp

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "fossick-search-effects-"))
  engine = await EmbeddedEngine.open({
    dir: join(place, "index"),
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  await engine.index(pages)
  await engine.settled()
  app = await serveApp({ engine })
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
  await rm(place, { recursive: true, force: true })
})

async function ask(query: string, parameters: object = {}) {
  const { status, body } = await app.post("/search", { query, max_results: 20, ...parameters })
  expect(body).toMatchObject({ query })
  expect(status).toBe(200)
  return body
}

/** Addresses of the results on a host and its subdomains, best first. */
async function found(host: string, query: string, parameters: object = {}): Promise<string[]> {
  const { results } = await ask(query, parameters)
  return results
    .map((result: { url: string }) => new URL(result.url))
    .filter((url: URL) => `.${url.hostname}`.endsWith(`.${host}`))
    .map((url: URL) => (url.pathname === "/" ? url.hostname : url.pathname.slice(1)))
}

describe("topic", () => {
  const bridge = (parameters: object) => found("ferry.test", "harbour bridge ferry", parameters)

  test("news puts news first, newest before oldest, and drops nothing", async () => {
    const order = await bridge({ topic: "news" })
    expect(order.slice(0, 2)).toEqual(["new", "old"])
    expect(order.toSorted()).toEqual(["money", "new", "old", "plain"])
  })

  test("finance puts finance first", async () => {
    const order = await bridge({ topic: "finance" })
    expect(order[0]).toBe("money")
    expect(order).toHaveLength(4)
  })

  test("news shows dates, and only news accepts days", async () => {
    const { results } = await ask("harbour bridge ferry", { topic: "news" })
    expect(results[0].published_date).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
    expect((await ask("harbour bridge ferry")).results[0]).not.toHaveProperty("published_date")
    expect((await bridge({ topic: "news", days: 7 })).toSorted()).toEqual(["new", "plain"])
    expect(await bridge({ topic: "general", days: 7 })).toHaveLength(4)
  })
})

describe("country", () => {
  const sweets = (parameters: object) => found("sweets.test", "marzipan nougat", parameters)

  test("boosts pages from that country", async () => {
    for (const [country, first] of [
      ["France", "fr"],
      ["germany", "de"],
    ]) {
      const order = await sweets({ country })
      expect(order[0]).toBe(first)
      expect(order).toHaveLength(3)
    }
  })

  test("has an effect with the general topic only", async () => {
    const plain = await sweets({ topic: "news" })
    expect(await sweets({ topic: "news", country: "france" })).toEqual(plain)
    expect(await sweets({ topic: "news", country: "germany" })).toEqual(plain)
  })
})

describe("language", () => {
  const air = (parameters: object) => found("air.test", "zeppelin hangar telemetry", parameters)

  test("boosts pages in that language, given as a code, a code with region or an English name", async () => {
    for (const [language, first] of [
      ["de", "de"],
      ["German", "de"],
      ["zh-cn", "zh"],
      ["English", "en"],
    ]) {
      const order = await air({ language })
      expect(order[0]).toBe(first)
      expect(order).toHaveLength(4)
    }
  })

  test("with filter_by_language drops the others", async () => {
    expect(await air({ language: "zh-CN", filter_by_language: true })).toEqual(["zh"])
  })
})

describe("domains", () => {
  const stone = async (parameters: object) => {
    const all = await ask("granite quarry permits", parameters)
    return all.results.map((result: { url: string }) => new URL(result.url).hostname)
  }

  test("a domain covers its subdomains, and a subdomain only itself", async () => {
    expect((await stone({ include_domains: ["STONE.test"] })).toSorted()).toEqual([
      "north.stone.test",
      "stone.test",
      "www.stone.test",
    ])
    expect(await stone({ include_domains: ["https://north.stone.test/"] })).toEqual(["north.stone.test"])
    expect(await stone({ include_domains: ["Größe.test"] })).toEqual(["xn--gre-6ka8i.test"])
    expect(await stone({ exclude_domains: ["stone.test"] })).not.toContain("www.stone.test")
    const without = await stone({ exclude_domains: ["north.stone.test"] })
    expect(without).toContain("stone.test")
    expect(without).not.toContain("north.stone.test")
  })

  test("boost and prefer raise the domains and drop nothing", async () => {
    const everything = (await stone({})).toSorted()
    for (const mode of ["boost", "prefer"]) {
      for (const host of ["granite.com", "north.stone.test"]) {
        const order = await stone({ include_domains: [host], include_domains_mode: mode })
        expect(order[0]).toBe(host)
        expect(order.toSorted()).toEqual(everything)
      }
    }
  })

  test("filter and restrict are the default", async () => {
    for (const mode of ["filter", "restrict"]) {
      expect(await stone({ include_domains: ["granite.com"], include_domains_mode: mode })).toEqual([
        "granite.com",
      ])
    }
  })
})

describe("operators of the query", () => {
  const stone = (query: string, parameters: object = {}) => found("test", query, parameters)

  test("site: and -site: work like domains in the lists, and add to them", async () => {
    expect(await found("granite.com", "granite quarry permits site:granite.com")).toEqual(["granite.com"])
    expect(await stone("granite quarry permits site:granite.com")).toEqual([])
    expect((await stone("granite quarry site:stone.test -site:north.stone.test")).toSorted()).toEqual([
      "stone.test",
      "www.stone.test",
    ])
    const both = { include_domains: ["granite.com"] }
    expect((await ask("granite quarry permits site:stone.test", both)).results).toEqual([])
  })

  test("-word drops pages that hold it", async () => {
    expect((await found("long.test", "turbine")).toSorted()).toEqual(["manual", "no-summary"])
    expect(await found("long.test", "turbine -cold")).toEqual(["manual"])
  })
})

describe("safe_search", () => {
  test("drops unsafe pages and their images, at the depths that support it", async () => {
    const wanted = { include_images: true, safe_search: true }
    for (const search_depth of ["basic", "advanced"]) {
      const { results, images } = await ask("velvet cabaret tickets", { ...wanted, search_depth })
      expect(results.map((one: { url: string }) => one.url)).not.toContain("https://stage.test/adults")
      expect(JSON.stringify(images)).not.toContain("adults.png")
    }
    for (const search_depth of ["fast", "ultra-fast"]) {
      const order = await found("stage.test", "velvet cabaret tickets", { ...wanted, search_depth })
      expect(order.toSorted()).toEqual(["adults", "family"])
    }
    expect(await found("stage.test", "velvet cabaret tickets")).toHaveLength(2)
  })
})

describe("dates", () => {
  const keepers = async (parameters: object) =>
    (await found("light.test", "lighthouse keepers met", parameters)).toSorted()

  test.each([
    [{ time_range: "day" }, ["today", "undated"]],
    [{ time_range: "w" }, ["days", "today", "undated"]],
    [{ time_range: "month" }, ["days", "today", "undated", "weeks"]],
    [{ time_range: "year" }, ["days", "months", "today", "undated", "weeks"]],
    [{ end_date: "2019-12-31" }, ["2019", "undated"]],
    [{ start_date: "2019-05-06", end_date: "2019-05-06" }, ["2019", "undated"]],
    [{ start_date: "2019-05-07" }, ["days", "months", "today", "undated", "weeks"]],
    [{ time_range: "week", filter_by_published_date: true }, ["days", "today"]],
    [{ end_date: "2019-12-31", filter_by_published_date: true }, ["2019"]],
    [{ filter_by_published_date: true }, ["2019", "days", "months", "today", "weeks"]],
  ])("%j", async (parameters, pages) => {
    expect(await keepers(parameters)).toEqual(pages)
  })

  test("include_published_date shows dates, with null for unknown ones", async () => {
    const { results } = await ask("lighthouse keepers met", { include_published_date: true })
    const dates = new Map(
      results.map((one: { url: string; published_date: string | null }) => [one.url, one.published_date]),
    )
    expect(dates.get("https://light.test/2019")).toBe("Mon, 06 May 2019 23:30:00 GMT")
    expect(dates.get("https://light.test/undated")).toBeNull()
  })
})

describe("quoted phrases", () => {
  const hamlet = (query: string, parameters: object = {}) => found("quote.test", query, parameters)

  test("exact_match keeps the pages that hold them, stop words and all", async () => {
    expect(await hamlet('hamlet "to be, or not to be"', { exact_match: true })).toEqual(["exact"])
    expect(await hamlet('hamlet "to be late"', { exact_match: true })).toEqual(["loose"])
    expect(await hamlet("hamlet", { exact_match: true })).toHaveLength(2)
  })

  test("pages that hold them come first, others behind them", async () => {
    expect(await hamlet('hamlet "to be, or not to be"')).toEqual(["exact", "loose"])
    expect(await hamlet('hamlet "to be late"')).toEqual(["loose", "exact"])
  })

  test("return nothing for a phrase in no page with exact_match, and otherwise what its words find", async () => {
    expect((await ask('hamlet "asks late to be"', { exact_match: true })).results).toEqual([])
    expect(await hamlet('hamlet "asks late to be"')).toHaveLength(2)
    expect(await hamlet('hamlet "asks late to be" site:long.test')).toEqual([])
    expect(await hamlet('hamlet "asks late to be" -rude')).toEqual(["exact"])
  })
})

describe("search_depth and chunks_per_source", () => {
  const manual = async (parameters: object): Promise<string> => {
    const { results } = await ask("turbine oil blade shaft", parameters)
    return results.find((one: { url: string }) => one.url === "https://long.test/manual").content
  }
  const chunks = (content: string) => content.split(" [...] ")

  test.each(["basic", "advanced", "fast"])(
    "%s returns up to the requested number of passages",
    async (search_depth) => {
      for (const chunks_per_source of [1, 2, 3]) {
        const passages = chunks(await manual({ search_depth, chunks_per_source }))
        expect(passages).toHaveLength(chunks_per_source)
        expect(new Set(passages).size).toBe(chunks_per_source)
        for (const passage of passages) expect(passage.length).toBeLessThanOrEqual(500)
      }
      expect(chunks(await manual({ search_depth }))).toHaveLength(3)
    },
  )

  test("the two fast depths search by words, the others also by meaning, and advanced searches again if words find little", async () => {
    const parts = async (search_depth: string, question = "turbine oil blade shaft") =>
      (await ask(question, { search_depth, explain: true })).results[0].explain
    for (const depth of ["ultra-fast", "fast"]) {
      const quick = await parts(depth)
      expect(quick).toMatchObject({ depth, vector: 0, late: 0 })
      expect(quick.passage).toBeGreaterThan(0)
    }
    expect((await parts("basic")).late).toBe(0)
    const little = "turbine, or what else makes electricity when rivers freeze in winter?"
    expect((await parts("basic", little)).late).toBe(0)
    expect((await parts("advanced", little)).late).toBeGreaterThan(0)
    expect((await parts("advanced")).late).toBe(0)
    for (const depth of ["basic", "advanced"]) {
      const { lexical, vector } = await parts(depth)
      expect(lexical).toBeGreaterThan(0)
      expect(vector).toBeGreaterThan(0)
    }
  })

  test("ultra-fast returns one summary: the description, or one passage if there is none", async () => {
    const quick = { search_depth: "ultra-fast", chunks_per_source: 3 }
    expect(await manual(quick)).toBe("All about the turbine.")
    const { results } = await ask("turbine hall", quick)
    const hall = results.find((one: { url: string }) => one.url === "https://long.test/no-summary")
    expect(hall.content).toBe("The turbine hall is cold.")
  })
})

describe("max_results", () => {
  test("limits the number of results", async () => {
    expect((await ask("zeppelin hangar telemetry", { max_results: 0 })).results).toEqual([])
    expect((await ask("zeppelin hangar telemetry", { max_results: 2 })).results).toHaveLength(2)
  })

  test("auto returns the results before scores drop, up to the configured limit", async () => {
    const all = (await ask("zeppelin hangar telemetry", { max_results: 50 })).results
    const { results } = await ask("zeppelin hangar telemetry", { max_results: "auto" })
    expect(results.map((one: { url: string }) => new URL(one.url).hostname)).toEqual(
      Array(4).fill("air.test"),
    )
    expect(all.length).toBeGreaterThan(4)
    await using two = await serveApp({ engine, config: { maxAutoResults: 2 } })
    const few = await two.post("/search", { query: "zeppelin hangar telemetry", max_results: "auto" })
    expect(few.body.results).toHaveLength(2)
  })
})

describe("auto_parameters", () => {
  const auto = { auto_parameters: true, include_usage: true }

  test("chooses from the query, reports its choice, and applies it", async () => {
    const body = await ask("news on the harbour bridge ferry, yesterday", auto)
    expect(body.auto_parameters).toEqual({ search_depth: "basic", topic: "news", time_range: "week" })
    expect(body.results[0].url).toBe("https://ferry.test/new")
    expect(body.results[0]).toHaveProperty("published_date")
    expect(JSON.stringify(body.results)).not.toContain("ferry.test/old")
    expect(body.usage).toEqual({ credits: 1 })
  })

  test("a chosen depth is charged", async () => {
    const body = await ask("marzipan vs nougat", auto)
    expect(body.auto_parameters.search_depth).toBe("advanced")
    expect(body.usage).toEqual({ credits: 2 })
  })

  test("explicit values win and are not reported as chosen", async () => {
    const body = await ask("news: marzipan vs nougat", { ...auto, search_depth: "fast", topic: "general" })
    expect(body.auto_parameters).toEqual({})
    expect(body.usage).toEqual({ credits: 1 })
    expect(body.results[0]).not.toHaveProperty("published_date")
  })

  test("a site that the query names comes first", async () => {
    const query = "granite quarry permits, according to www.granite.com"
    const { auto_parameters, results } = await ask(query, auto)
    expect(auto_parameters).toMatchObject({
      include_domains: ["www.granite.com"],
      include_domains_mode: "boost",
    })
    expect(results[0].url).toBe("https://granite.com/")
    expect(results.length).toBeGreaterThan(4)
  })

  test("chooses nothing when it is off", async () => {
    const body = await ask("news: marzipan vs nougat", { include_usage: true })
    expect(body).not.toHaveProperty("auto_parameters")
    expect(body.usage).toEqual({ credits: 1 })
  })

  test("leaves answer, raw content and number of results unchanged", async () => {
    const plain = await ask("marzipan nougat", { max_results: 2 })
    const chosen = await ask("marzipan nougat", { ...auto, max_results: 2 })
    expect(chosen.answer).toEqual(plain.answer)
    expect(chosen.results.map((one: { raw_content: null }) => one.raw_content)).toEqual([null, null])
  })
})

describe("optional output", () => {
  const manual = async (parameters: object) => {
    const body = await ask("turbine oil blade shaft", parameters)
    return body.results.find((one: { url: string }) => one.url === "https://long.test/manual")
  }

  test("returns raw content as markdown and as text", async () => {
    expect((await manual({ include_raw_content: true })).raw_content).toMatch(
      /^# Turbine manual\n\nThe \*\*turbine\*\*/,
    )
    expect((await manual({ include_raw_content: "markdown" })).raw_content).toContain("## Oil")
    const text = (await manual({ include_raw_content: "text" })).raw_content
    expect(text).toMatch(/^Turbine manual\n\nThe turbine turns/)
    expect(text).not.toMatch(/[#*]/)
    expect((await manual({})).raw_content).toBeNull()
  })

  test("returns favicon, images and usage", async () => {
    expect((await manual({ include_favicon: true })).favicon).toBe("https://long.test/icon.png")
    expect(await manual({})).not.toHaveProperty("favicon")
    expect((await ask("turbine", { include_usage: true })).usage).toEqual({ credits: 1 })
    expect((await ask("turbine", { include_usage: true, search_depth: "advanced" })).usage).toEqual({
      credits: 2,
    })
  })

  test("explains the parts of the rank", async () => {
    const { results } = await ask("marzipan nougat", { explain: true, country: "france" })
    expect(results[0].explain).toEqual({
      depth: "basic",
      lexical: expect.any(Number),
      passage: expect.any(Number),
      vector: expect.any(Number),
      late: 0,
      rerank: 0,
      fused: expect.any(Number),
      boost: expect.any(Number),
    })
    expect(results[0].url).toBe("https://sweets.test/fr")
    expect(results[0].explain.lexical).toBeGreaterThan(0)
    expect(results[0].explain.vector).toBeGreaterThan(0)
    expect(results[0].explain.boost).toBeGreaterThan(results[1].explain.boost)
    expect(await manual({})).not.toHaveProperty("explain")
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { searchPage } from "./searxng-html.ts"
import { serveTwoSources, type TwoSources } from "../../testing/two-sources.ts"

const PUBLIC_KEY = "key-of-those-who-send-none-5f0a"
let garden: TwoSources
beforeAll(async () => {
  garden = await serveTwoSources()
})
afterAll(() => garden[Symbol.asyncDispose]())

const ask = (
  query: Record<string, string>,
  headers: Record<string, string> = bearer(),
  path = "/searxng/search",
) => fetch(`${garden.app.url}${path}?${new URLSearchParams(query).toString()}`, { headers })
const bearer = (key = garden.all) => ({ Authorization: `Bearer ${key}` })
const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
})
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came back
const json = async (query: Record<string, string>, headers?: Record<string, string>): Promise<any> =>
  (await ask({ format: "json", ...query }, headers)).json()

describe("a search through the SearXNG API", () => {
  test("returns JSON as SearXNG does", async () => {
    const body = await json({
      q: "when are tulips planted",
      language: "en-US",
      safesearch: "1",
      theme: "simple",
    })
    expect(body).toMatchObject({
      query: "when are tulips planted",
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    })
    expect(body.number_of_results).toBe(body.results.length)
    const url = new URL(garden.site.url("/tulips"))
    expect(body.results[0]).toEqual({
      url: url.href,
      title: "Tulips",
      content: expect.stringContaining("planted in autumn"),
      engine: "fossick",
      engines: ["fossick"],
      positions: [1],
      parsed_url: ["http", url.host, "/tulips", "", "", ""],
      thumbnail: "",
      priority: "",
      score: expect.any(Number),
      category: "general",
      template: "default.html",
      publishedDate: null,
    })
  })

  test("returns a page with a form if no format is named, also by POST", async () => {
    for (const answer of [
      await ask({ q: "tulips" }),
      await ask({ q: "tulips" }, bearer(), "/searxng/"),
      await fetch(`${garden.app.url}/searxng/search`, {
        method: "POST",
        headers: bearer(),
        body: new URLSearchParams({ q: "tulips" }),
      }),
    ]) {
      expect(answer.headers.get("content-type")).toContain("text/html")
      const page = await answer.text()
      expect(page).toContain(`<h3><a href="${garden.site.url("/tulips")}" rel="noreferrer">Tulips</a></h3>`)
    }
    expect(await (await ask({ q: '<script>"' })).text()).not.toContain("<script>")
    expect(await (await ask({})).text()).toContain('<form id="search"')
  })

  test("accepts a POST to an address that contains all parameters, as n8n sends it", async () => {
    const address = `${garden.app.url}/searxng/search?q=tulips&format=json`
    const answer = await fetch(address, { method: "POST", headers: bearer() })
    expect(await answer.json()).toMatchObject({ query: "tulips", results: [{ title: "Tulips" }, {}, {}] })
    const refused = await fetch(address, { method: "POST", headers: bearer(), body: "q=roses" })
    expect(refused.status).toBe(415)
  })

  test("returns CSV or a feed on request", async () => {
    const csv = await ask({ q: "tulips", format: "csv" })
    expect(csv.headers.get("content-type")).toBe("application/csv")
    expect(csv.headers.get("content-disposition")).toContain("searx_-_tulips.csv")
    const [head, first] = (await csv.text()).split("\r\n")
    expect(head).toBe("title,url,content,host,engine,score,type")
    const { href, host } = new URL(garden.site.url("/tulips"))
    expect(first!.startsWith(`Tulips,${href},`)).toBe(true)
    expect(first).toMatch(/,fossick,[\d.]+,result$/)
    expect(first).toContain(`,${host},`)
    const rss = await ask({ q: `tulips & "beds"`, format: "rss" })
    expect(rss.headers.get("content-type")).toContain("text/xml")
    const feed = await rss.text()
    expect(feed).toContain('<description>Search results for "tulips &amp; &quot;beds&quot;"</description>')
    expect(feed).toContain(`<title>Tulips</title>\n<type>result</type>\n<link>${href}</link>`)
  })

  test("offers suggestions for a search form and an address bar", async () => {
    const typed = (headers: Record<string, string>, key = garden.all) =>
      ask({ q: "keys of th" }, { ...bearer(key), ...headers }, "/searxng/autocompleter")
    const form = await typed({ "X-Requested-With": "XMLHttpRequest" })
    expect(form.headers.get("content-type")).toContain("application/json")
    expect(await form.json()).toEqual(["Keys of the vault"])
    const bar = await typed({})
    expect(bar.headers.get("content-type")).toContain("application/x-suggestions+json")
    expect(await bar.json()).toEqual(["keys of th", ["Keys of the vault"]])
    expect(await (await typed({}, garden.narrow)).json()).toEqual(["keys of th", []])
    expect(await (await ask({}, bearer(), "/searxng/autocompleter")).json()).toEqual(["", []])
  })

  test("returns pages of ten, up to the last", async () => {
    const first = await json({ q: "garden", pageno: "1" })
    expect(first.results.length).toBeGreaterThan(0)
    expect((await json({ q: "garden", pageno: "6" })).results).toEqual([])
  })

  test("accepts collections and sources as engines, and reports unknown ones", async () => {
    const seeds = await json({ q: "tulips", engines: "seeds" })
    expect(seeds.results.map((one: { url: string }) => one.url)).toEqual([garden.site.url("/vault/")])
    const unknown = await json({ q: "tulips", engines: "arxiv,fossick", categories: "general" })
    expect(unknown.unresponsive_engines).toEqual([["arxiv", "no engine with this name"]])
    expect(unknown.results.length).toBeGreaterThan(0)
    const config = (await (await ask({}, bearer(), "/searxng/config")).json()) as {
      engines: { name: string }[]
    }
    expect(config.engines.map((one) => one.name)).toEqual(["fossick", "seeds", "garden", "vault"])
  })

  test("gives images of the pages found", async () => {
    const { results } = await json({ q: "roses pruned", categories: "images" })
    expect(results[0]).toMatchObject({
      img_src: garden.site.url("/rose.png"),
      template: "images.html",
      category: "images",
    })
  })

  test.each([
    [{ q: "" }, "q"],
    [{ q: "x", format: "xml" }, "format"],
    [{ q: "x", pageno: "0" }, "pageno"],
    [{ q: "x", time_range: "hour" }, "time_range"],
    [{ q: "x", safesearch: "9" }, "safesearch"],
  ])("is refused for %j, naming the field", async (query, field) => {
    const answer = await ask({ format: "json", ...query })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringContaining(`Invalid ${field}.`) },
    ])
  })
})

describe("a key", () => {
  test("is accepted as a token or in the address, and is required otherwise", async () => {
    for (const headers of [
      bearer(),
      basic("", garden.all),
      basic(garden.all, ""),
      basic("anyone", garden.all),
      { "X-API-Key": garden.all },
    ]) {
      expect((await ask({ q: "tulips", format: "json" }, headers)).status).toBe(200)
    }
    for (const headers of [{}, bearer("nobody"), basic("a", "b"), { Authorization: "Basic !" }]) {
      const refused = await ask({ q: "tulips", format: "json" }, headers)
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringMatching(/^Basic /),
      ])
    }
  })

  test("with a limited scope sees nothing outside it", async () => {
    const found = await json({ q: "keys of the vault" }, bearer(garden.narrow))
    expect(JSON.stringify(found.results)).not.toContain("/vault")
    const named = await json({ q: "vault", engines: "vault,seeds" }, bearer(garden.narrow))
    expect(named.unresponsive_engines.map(([name]: [string]) => name)).toEqual(["vault", "seeds"])
    const config = await (await ask({}, bearer(garden.narrow), "/searxng/config")).text()
    expect(config).not.toMatch(/vault|seeds/)
  })

  test("pays the same as for a search", async () => {
    const key = await garden.app.key()
    await json({ q: "tulips" }, bearer(key))
    const { body } = await garden.app.call("/usage", key)
    expect(body.key).toMatchObject({ search_usage: 1 })
  })

  test("from the settings is used for callers who send none", async () => {
    await using open = await serveTwoSources({}, { config: { apiKey: PUBLIC_KEY, searxngKey: PUBLIC_KEY } })
    const found = await fetch(`${open.app.url}/searxng/search?q=tulips&format=json`)
    expect(found.status).toBe(200)
    const wrong = await fetch(`${open.app.url}/searxng/search?q=tulips&format=json`, {
      headers: bearer("nobody"),
    })
    expect(wrong.status).toBe(401)
  })
})

test("an HTML page says first when no result is likely to answer", () => {
  const results = [{ url: "https://a.example/", title: "A", content: "Of something else." }]
  const [weak, good] = [true, false].map((isWeak) => searchPage("pumps", results, null, isWeak))
  expect(weak).toMatch(/No good matches.*<article/s)
  expect(good).not.toContain("No good matches")
})

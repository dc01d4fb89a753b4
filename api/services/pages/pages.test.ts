import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { Jobs, Sources, type StateStore } from "#crawler"
import { openDataFolder } from "#crawler/testing/data-folder.ts"
import { runSource } from "#crawler/testing/run-source.ts"
import {
  type Answer,
  article,
  html,
  redirect,
  startTestSite,
  type TestSite,
} from "#crawler/testing/test-site.ts"

import { readScope } from "../../identity/accounts/keys/key-scope.ts"
import { sourceSites } from "../../identity/accounts/reach/source-sites.ts"
import { expectDocumented } from "../../testing/serve-app.ts"
import { type ServedAccounts, serveAccounts } from "../../testing/serve-accounts.ts"
import { openPageKnowledge } from "./page-knowledge.ts"
import { statement } from "#base/store/testing/statement.ts"

// Tests requests for pages by address, with two sources crawled into a real index, one of them behind a password.

const PASSWORD = "tulips-and-gloves"
const opened = new AsyncDisposableStack()
let site: TestSite
let db: StateStore
let app: ServedAccounts
let all: string
let openOnly: string

const behindPassword =
  (answer: Answer): Answer =>
  (request, response) => {
    const given = Buffer.from(
      request.headers.authorization?.slice("Basic ".length) ?? "",
      "base64",
    ).toString()
    if (given === `ada:${PASSWORD}`)
      return (typeof answer === "string" ? html(answer) : answer)(request, response)
    response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end()
  }

const LONG = Array.from(
  { length: 60 },
  (_, at) => `<p>Bed ${at} is planted with tulips of kind ${at}.</p>`,
).join("")

beforeAll(async () => {
  vi.stubEnv("GARDEN_PASSWORD", PASSWORD)
  const data = await openDataFolder(opened)
  const { dir, engine } = data
  ;({ db } = data)
  site = opened.use(
    await startTestSite({
      "/": article("Our garden", {
        links: ["/roses/", "/old-roses", "/long", "/script", "/tools", "/print/tools", "/vault/"],
      }),
      "/tools": article("Tools of the garden"),
      "/print/tools": article("Tools of the garden"),
      "/roses/": html(
        `<html lang="en"><head><title>Roses</title><meta property="article:published_time" content="2025-03-11T17:00:00Z"></head>
         <body><main><h1>Roses</h1><p>Roses are pruned in winter and fed in spring, each year again.</p>
         <h2>How to feed</h2><p>Feed them with compost. See <a href="/long">the beds</a>.</p>
         <h2>Pests</h2><p>Greenflies are washed off with water.</p></main></body></html>`,
      ),
      "/old-roses": redirect("/roses/"),
      "/long": html(
        `<html lang="en"><head><title>Beds</title></head><body><main><h1>Beds</h1>${LONG}</main></body></html>`,
      ),
      "/script": html(
        `<html lang="en"><head><title>Orders</title></head><body><main><h1>Orders</h1>
         <p>Write &lt;script&gt;alert(1)&lt;/script&gt; and <a href="javascript:alert(2)">click</a> or <a href="roses/">go on</a> reading this page of the garden.</p></main></body></html>`,
      ),
      "/vault/": behindPassword(
        article("Vault of seeds", {
          text: "The vault holds seeds of black tulips.",
          links: ["/vault/keys", "/vault/moved"],
        }),
      ),
      "/vault/keys": behindPassword(article("Keys of the vault", { text: "The keys hang behind the door." })),
      "/vault/moved": behindPassword(redirect("/roses/")),
    }),
  )
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "garden", seeds: [site.url("/")], exclude: ["/vault/**"] })
  await sources.put({
    name: "vault",
    seeds: [site.url("/vault/")],
    scope: "prefix",
    login: { kind: "basic", user: "ada", password: "${GARDEN_PASSWORD}" },
  })
  for (const name of ["garden", "vault"]) await runSource(name, db, engine)
  app = opened.use(
    await serveAccounts({
      dir,
      engine,
      pages: openPageKnowledge(db, jobs),
      sites: sourceSites(db, jobs),
      config: { about: "All about one garden." },
    }),
  )
  all = await app.key()
  openOnly = await app.key({ scope: readScope({ sources: ["garden"] }) })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await opened.disposeAsync()
})

async function page(query: Record<string, string>, key = all) {
  const path = `/pages?${new URLSearchParams(query).toString()}`
  const answer = await app.call(path, key)
  expectDocumented("GET", path, answer)
  return answer
}

const read = (address: string, accept = "*/*", key = all) =>
  fetch(`${app.url}/read/${address}`, { headers: { Authorization: `Bearer ${key}`, Accept: accept } })

describe("a stored page", () => {
  test("is returned as Markdown with its metadata, without contacting its site", async () => {
    const before = site.requests.length
    const { status, body } = await page({ url: site.url("/roses/"), include_usage: "true" })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      url: site.url("/roses/"),
      title: "Roses",
      sources: ["garden"],
      type: "html",
      language: "en",
      published_at: "2025-03-11T17:00:00.000Z",
      format: "markdown",
      section: null,
      offset: 0,
      next_offset: null,
      usage: { credits: 0 },
    })
    expect(body.content).toContain("## How to feed\n\nFeed them with compost.")
    expect(body.total_chars).toBe(body.content.length)
    expect(Date.parse(body.checked_at)).toBeGreaterThanOrEqual(Date.parse(body.crawled_at))
    expect(site.requests.length).toBe(before)
  })

  test("is found by other addresses of the same page", async () => {
    for (const path of ["/roses", "/old-roses", "/roses/?utm_source=letter", "/roses/index.html"]) {
      const { status, body } = await page({ url: site.url(path) })
      expect([path, status, body.url]).toEqual([path, 200, site.url("/roses/")])
    }
    expect((await page({ url: site.url("/roses/#how-to-feed") })).status).toBe(200)
    expect((await page({ url: site.url("/roses/").replace("http://", "") })).status).toBe(200)
    expect((await page({ url: site.url("/roses/?bed=3") })).status).toBe(404)
  })

  test("is found by the address of its copy, whichever of the two was kept", async () => {
    const urls = await Promise.all(
      ["/tools", "/print/tools"].map(
        async (path) => (await page({ url: site.url(path) })).body.url as string,
      ),
    )
    expect(urls[0]).toContain("/tools")
    expect(urls[0]).toBe(urls[1])
  })

  test("behind a login is readable for keys that may see its source, and does not exist for others", async () => {
    const seen = await page({ url: site.url("/vault/") })
    expect([seen.status, seen.body.sources]).toEqual([200, ["vault"]])
    expect(seen.body.content).toContain("black tulips")
    const without = (answer: Awaited<ReturnType<typeof page>>) => [answer.status, answer.body.detail]
    const hidden = without(await page({ url: site.url("/vault/") }, openOnly))
    expect(hidden).toEqual(without(await page({ url: site.url("/nothing") }, openOnly)))
    expect(hidden[0]).toBe(404)
    // An address known only from the other source isn't resolved, even if its target may be seen.
    expect((await page({ url: site.url("/vault/moved") })).body.url).toBe(site.url("/roses/"))
    expect((await page({ url: site.url("/vault/moved") }, openOnly)).status).toBe(404)
    const byDomain = await app.key({ scope: readScope({ domains: ["127.0.0.1"] }) })
    expect((await page({ url: site.url("/vault/") }, byDomain)).body).toMatchObject({
      sources: [],
      title: "Vault of seeds",
    })
    const elsewhere = await app.key({ scope: readScope({ domains: ["example.com"] }) })
    expect((await page({ url: site.url("/roses/") }, elsewhere)).status).toBe(404)
  })

  test("is returned in parts that together make up the whole", async () => {
    const whole = (await page({ url: site.url("/long") })).body
    for (const format of ["markdown", "text"]) {
      const texts: string[] = []
      for (let offset: number | null = 0; offset !== null;) {
        const { body } = await page({ url: site.url("/long"), limit: "500", offset: String(offset), format })
        expect(body.content.length).toBeLessThanOrEqual(500)
        texts.push(body.content)
        offset = body.next_offset
      }
      expect(texts.length).toBeGreaterThan(4)
      expect(texts.slice(0, -1).every((text) => text.endsWith("\n"))).toBe(true)
      expect(texts.join("")).toBe((await page({ url: site.url("/long"), format })).body.content)
    }
    const beyond = await page({ url: site.url("/long"), offset: "99999999" })
    expect(beyond.body).toMatchObject({ content: "", offset: whole.total_chars, next_offset: null })
  })

  test("is returned as one section, by heading", async () => {
    for (const section of ["How to feed", "how-to-feed"]) {
      const { body } = await page({ url: site.url("/roses/"), section, format: "text" })
      expect(body.section).toBe("How to feed")
      expect(body.content).toBe("How to feed\n\nFeed them with compost. See the beds.")
    }
    const refused = await page({ url: site.url("/roses/"), section: "Prices" })
    expect([refused.status, refused.body.detail.error]).toEqual([
      400,
      'Invalid section. The page has "How to feed", "Pests".',
    ])
  })

  test("is returned as HTML without scripts, with absolute links", async () => {
    const { body } = await page({ url: site.url("/script"), format: "html" })
    expect(body.content).toContain("&lt;script&gt;alert(1)")
    expect(body.content).not.toMatch(/<script|javascript:/)
    expect(body.content).toContain(`<a href="${site.url("/roses/")}" rel=`)
  })

  test("counts as an extraction of one page, and a missing page costs nothing", async () => {
    const key = await app.key()
    const spent = async () => (await app.call("/usage", key)).body.key.extract_usage as number
    for (let at = 0; at < 4; at++) await page({ url: site.url("/roses/") }, key)
    for (let at = 0; at < 4; at++) await page({ url: site.url("/nothing") }, key)
    expect(await spent()).toBe(0)
    expect((await page({ url: site.url("/long"), include_usage: "true" }, key)).body.usage.credits).toBe(1)
    expect(await spent()).toBe(1)
    const { body } = await app.call("/logs", key, {})
    expect(body.logs.map((one: { endpoint: string }) => one.endpoint)).toEqual(Array(5).fill("extract"))
    const searcher = await app.key({ scope: readScope({ endpoints: ["search"] }) })
    expect((await page({ url: site.url("/roses/") }, searcher)).status).toBe(403)
    expect((await fetch(`${app.url}/pages?url=x`)).status).toBe(401)
  })

  test.each([
    [{}, "Invalid url. Must be an http or https address."],
    [{ url: "ftp://example.com/" }, "Invalid url. Must be an http or https address."],
    [{ url: "example.com", format: "pdf" }, "Invalid format. Must be one of markdown, text, html."],
    [{ url: "example.com", limit: "0" }, "Invalid limit. Must be a whole number from 1 to 1000000."],
    [{ url: "example.com", offset: "-1" }, /^Invalid offset\. Must be a whole number from 0/],
    [{ url: "example.com", section: "x".repeat(501) }, "Invalid section. Must have at most 500 characters."],
  ])("is refused for %j", async (query, error) => {
    const { status, body } = await page(query)
    expect(status).toBe(400)
    expect(body.detail.error).toMatch(error)
  })
})

test("search results say when a crawl last found the page", async () => {
  const checkOf = async (key: string) => {
    const { body } = await app.call("/search", key, { query: "pruned roses" })
    expectDocumented("POST", "/search", { status: 200, headers: new Headers(), body })
    const found = (body.results as { url: string; checked_at: string }[]).find(
      ({ url }) => url === site.url("/roses/"),
    )
    return found?.checked_at
  }
  const read = (await page({ url: site.url("/roses/") })).body
  expect(await checkOf(all)).toBe(read.checked_at)
  // Records a visit that found the page unchanged.
  const later = (source: string, at: string) =>
    statement(
      db,
      `insert into known_address (url, source, job, outcome, visited_at, hash, depth, found_how, first_seen, misses, due_at)
       values (?, ?, 1, 'unchanged', ?, 'x', 0, 'seed', 0, 0, 0)
       on conflict (url, source) do update set outcome = 'unchanged', visited_at = excluded.visited_at`,
    ).run(site.url("/roses/"), source, Date.parse(at))
  await later("garden", "2100-01-01T00:00:00.000Z")
  expect(await checkOf(openOnly)).toBe("2100-01-01T00:00:00.000Z")
  expect((await page({ url: site.url("/roses/") })).body.checked_at).toBe("2100-01-01T00:00:00.000Z")
})

describe("an address behind a prefix", () => {
  test("is read as r.jina.ai reads it", async () => {
    const response = await read(site.url("/roses/"))
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(await response.text()).toMatch(
      /^Title: Roses\n\nURL Source: http:\S+\/roses\/\n\nPublished Time: 2025-03-11T17:00:00\.000Z\n\nChecked Time: \S+\n\nMarkdown Content:\nRoses are pruned/,
    )
    const json = await (await read(site.url("/roses/"), "application/json")).json()
    expect(json).toMatchObject({
      code: 200,
      data: { title: "Roses", url: site.url("/roses/"), publishedTime: "2025-03-11T17:00:00.000Z" },
    })
    const shown = await read(site.url("/script"), "text/html,application/xhtml+xml,*/*;q=0.8")
    expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'")
    const document = await shown.text()
    expect(document).toContain("<title>Orders</title>")
    expect(document).not.toContain("<script")
  })

  test("can be percent-encoded, have its own parameters, and have lost a slash to a proxy", async () => {
    for (const address of [
      encodeURIComponent(site.url("/roses/")),
      site.url("/roses/?utm_source=a&utm_medium=b"),
      site.url("/roses/").replace("://", ":/"),
      site.url("/roses/").replace("http://", ""),
    ]) {
      const response = await read(address)
      expect([address, response.status]).toEqual([address, 200])
    }
    // A page whose last path segment is also the name of an endpoint.
    expect((await read("https://example.com/search")).status).toBe(404)
    expect((await read("nothing")).status).toBe(400)
    expect((await read(site.url("/vault/keys"), "*/*", openOnly)).status).toBe(404)
    expect((await read(site.url("/vault/keys"))).status).toBe(200)
  })

  test("is never logged", () => {
    const lines = app.logLines.join("")
    expect(lines).toContain('"path":"/read/"')
    expect(lines).not.toContain("/vault/keys")
  })
})

describe("the contents of the index", () => {
  const sources = async (key: string) => {
    const answer = await app.call("/sources", key)
    expectDocumented("GET", "/sources", answer)
    return answer.body
  }

  test("are listed source by source, within the key's scope", async () => {
    const body = await sources(all)
    expect(body.about).toBe("All about one garden.")
    expect(body.sources).toEqual([
      { name: "garden", pages: 5, starts: [site.url("/")], checked_at: expect.any(String) },
      {
        name: "vault",
        pages: 2,
        starts: [site.url("/vault/")],
        checked_at: expect.any(String),
      },
    ])
    expect((await sources(openOnly)).sources.map((one: { name: string }) => one.name)).toEqual(["garden"])
    for (const domain of ["example.com", "127.0.0.1"]) {
      expect((await sources(await app.key({ scope: readScope({ domains: [domain] }) }))).sources).toEqual([])
    }
    const near = await sources(
      await app.key({ scope: readScope({ sources: ["vault"], domains: ["127.0.0.1"] }) }),
    )
    expect(near.sources).toMatchObject([{ name: "vault", pages: null, checked_at: null }])
  })
})

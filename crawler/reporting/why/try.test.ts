import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { PageReader } from "../../fetch/visit/reader.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { article, redirect, startTestSite, status, textFile } from "../../testing/test-site.ts"
import { tryPage } from "./try/try-page.ts"
import { tryText } from "../../commands/why/try-text.ts"
import { triedOnWire } from "./try/try-wire.ts"
import { statement } from "#base/store/testing/statement.ts"

const config = testConfig()
const reader = new PageReader(config)
afterAll(() => reader[Symbol.asyncDispose]())

async function tried(url: string, spec: Partial<SourceSpec> = {}, known?: KnownAddresses) {
  return await tryPage(url as PageUrl, {
    source: defineSource({ name: "docs", seeds: [new URL("/", url).href], rendering: "http", ...spec }),
    reader,
    config,
    lookUp: async (other) => (await known?.get(other)) ?? null,
  })
}

describe("try", () => {
  test("shows the page that would be indexed, and where its links lead", async () => {
    await using site = await startTestSite({
      "/page": article("Pumps", {
        links: ["/a", "/b", "https://elsewhere.example/", "/a"],
        head: '<meta name="author" content="Ada Pump"><link rel="canonical" href="/page">',
      }),
    })
    const result = await tried(site.url("/page"), { pages: { topic: "news" } })
    expect(result).toMatchObject({
      belongs: true,
      outcome: "indexed",
      robots: { obeyed: true, allowed: true },
      reading: { status: 200, links: { total: 3, followed: 2, nofollow: 0, outside: 1 } },
      page: { title: "Pumps", author: "Ada Pump", language: "en", topic: "news" },
    })
    expect(result.passages.map(({ text }) => text).join(" ")).toContain("Pumps is explained here")
    expect(tryText(result)).toContain("A run would index this page. Nothing was indexed now.")
    expect(triedOnWire(result).page!.markdown).toBe(result.page!.markdown)
  })

  test("gives the reason that would keep a page out", async () => {
    await using site = await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /private/"),
      "/private/x": article("Private"),
      "/quiet": article("Quiet", { head: '<meta name="robots" content="noindex">' }),
      "/copy": article("Copy", { head: '<link rel="canonical" href="/original">' }),
      "/away": redirect("http://127.0.0.2/"),
      "/gone": status(404),
    })
    const outcomes = async (path: string, spec?: Partial<SourceSpec>) => {
      const { outcome, detail, page } = await tried(site.url(path), spec)
      return [outcome, detail, page?.title]
    }
    expect(await outcomes("/private/x")).toEqual([
      "skipped:robots",
      "robots.txt disallows it (Disallow: /private/)",
      undefined,
    ])
    expect(site.requests).toEqual(["/robots.txt"])
    expect(await outcomes("/private/x", { politeness: { robots: false } })).toEqual([
      "indexed",
      null,
      "Private",
    ])
    expect(await outcomes("/quiet")).toEqual(["skipped:noindex", null, undefined])
    const copy = await tried(site.url("/copy"))
    expect(copy.reading!.canonical).toBe(site.url("/original"))
    expect(copy.detail).toContain(`canonical ${site.url("/original")}`)
    expect(await outcomes("/away")).toEqual([
      "skipped:out-of-scope",
      "redirects to http://127.0.0.2/",
      undefined,
    ])
    expect(await outcomes("/gone")).toEqual(["failed:http-status", "the site answered 404", undefined])
  })

  test("reads an address that its source excludes, and says so", async () => {
    await using site = await startTestSite({ "/draft": article("Draft") })
    const result = await tried(site.url("/draft"), { exclude: ["/draft"] })
    expect(result).toMatchObject({ belongs: false, outcome: "indexed", page: { title: "Draft" } })
    expect(tryText(result)).toContain("the address doesn't belong to this source")
  })

  test("recognises a page already in the index, and indexes nothing", async () => {
    await using site = await startTestSite({ "/": article("Home") })
    await using fixture = await CrawlFixture.open()
    await fixture.crawl({ name: "docs", seeds: [site.url("/")], rendering: "http" })
    const known = new KnownAddresses(fixture.db)
    const before = await statement(fixture.db, "select * from known_address").all()
    expect(await tried(site.url("/"), {}, known)).toMatchObject({ outcome: "unchanged" })
    site.serve({ "/": article("Home, rewritten") })
    expect(await tried(site.url("/"), {}, known)).toMatchObject({ outcome: "indexed" })
    expect(await statement(fixture.db, "select * from known_address").all()).toEqual(before)
    expect(fixture.engine.batches).toEqual([1])
  })

  test("is a command that takes a declared source, and rejects unknown ones", async () => {
    await using site = await startTestSite({ "/page": article("Pumps") })
    await using fixture = await CrawlFixture.open()
    const command = fileURLToPath(new URL("../../../command/fossick.js", import.meta.url))
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [command, "try", ...args], {
        env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: fixture.folder },
      }).catch((error: { code: number; stderr: string }) => error)
    // The operator named the address, so it may be private.
    const shown = (await run(site.url("/page"), "--json", "--rendering", "http")) as { stdout: string }
    expect(JSON.parse(shown.stdout)).toMatchObject({ outcome: "indexed", page: { title: "Pumps" } })
    expect(await run(site.url("/page"), "--source", "nope")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no source nope"),
    })
    expect(await run(site.url("/page"), "--rendering", "fast")).toMatchObject({ code: 2 })
  })
})

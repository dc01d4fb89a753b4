import { describe, expect, test } from "vitest"
import { addressPatterns } from "./scope/globs.ts"
import { CrawlFixture } from "../testing/crawl-fixture.ts"
import { article, conditional, html, startTestSite, textFile, type TestSite } from "../testing/test-site.ts"

const NOINDEX = '<meta name="robots" content="noindex">'

function startWiki(): Promise<TestSite> {
  return startTestSite({
    "/": conditional(article("Start", { head: NOINDEX, links: ["/a", "/closed", "/header", "/secret"] }), {
      etag: '"1"',
    }),
    "/a": article("Alpha", { links: ["/b"] }),
    "/b": article("Beta", { head: NOINDEX }),
    "/closed": article("Closed", { head: '<meta name="robots" content="none">', links: ["/behind"] }),
    "/behind": article("Behind"),
    "/header": html(article("Header"), { "x-robots-tag": "noindex" }),
    "/robots.txt": textFile("User-agent: *\nDisallow: /secret"),
    "/secret": article("Secret"),
  })
}

describe("a source that ignores noindex", () => {
  test("indexes noindex pages, but does not follow links marked nofollow", async () => {
    await using site = await startWiki()
    await using fixture = await CrawlFixture.open()
    const job = await fixture.crawl({ seeds: [site.origin], ignoreNoindex: true })
    expect(job.outcomes).toEqual({ indexed: 5, "skipped:robots": 1 })
    expect([...fixture.engine.pages.keys()].map((url) => new URL(url).pathname).sort()).toEqual([
      "/",
      "/a",
      "/b",
      "/closed",
      "/header",
    ])
    expect(site.requests).not.toContain("/behind")
  })

  test("obeys noindex again once the option is removed, even for unchanged pages", async () => {
    await using site = await startWiki()
    await using fixture = await CrawlFixture.open()
    const source = { name: "wiki", seeds: [site.origin] }
    await fixture.crawl({ ...source, ignoreNoindex: true })
    const again = await fixture.crawl({ ...source, ignoreNoindex: true })
    expect(again.outcomes).toMatchObject({ unchanged: 5 })
    const obeying = await fixture.crawl(source)
    expect(obeying.outcomes).toMatchObject({ unchanged: 1, "skipped:noindex": 4 })
  })

  test("can exclude the wiki pages that the handbook lists: forms, revisions, special pages", () => {
    const leaves = addressPatterns("exclude", [
      "/**?*do=*",
      "/**?*rev=*",
      "/index.php?*action=*",
      "/index.php?*oldid=*",
      "/**/Special:*",
    ])
    const isLeft = (address: string) => leaves(address)
    expect(isLeft("https://w.example/doku.php?id=start&do=edit")).toBe(true)
    expect(isLeft("https://w.example/team/start?rev=1700000000")).toBe(true)
    expect(isLeft("https://w.example/index.php?title=Bees&action=history")).toBe(true)
    expect(isLeft("https://w.example/wiki/Special:RecentChanges")).toBe(true)
    expect(isLeft("https://w.example/doku.php?id=start")).toBe(false)
    expect(isLeft("https://w.example/wiki/Bees")).toBe(false)
  })
})

import { describe, expect, test } from "vitest"
import { xRobotsTag } from "../../page/headers/robots-directives.ts"
import { parseRobots } from "./robots-rules.ts"

const allows = (text: string, path: string, agent = "FossickBot") =>
  parseRobots(text, agent).allows(`https://example.com${path}`)

describe("robots.txt (RFC 9309)", () => {
  test.each([
    ["nothing said", "", "/a", true],
    ["an empty disallow", "User-agent: *\nDisallow:", "/a", true],
    ["everything", "User-agent: *\nDisallow: /", "/a", false],
    ["robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true],
    [
      "our own group instead of the star",
      "User-agent: *\nDisallow: /\n\nUser-agent: fossickbot\nDisallow: /x",
      "/a",
      true,
    ],
    ["our name with a version", "User-agent: FossickBot/2.1\nDisallow: /", "/a", false],
    ["a name that ours begins with", "User-agent: Fossick\nDisallow: /", "/a", true],
    [
      "two groups for us",
      "User-agent: FossickBot\nDisallow: /a\n\nUser-agent: FossickBot\nDisallow: /b",
      "/b",
      false,
    ],
    ["agents that share a group", "User-agent: other\nUser-agent: FossickBot\nDisallow: /", "/a", false],
    ["the longer rule", "User-agent: *\nDisallow: /shop\nAllow: /shop/public", "/shop/public/1", true],
    [
      "the longer rule the other way",
      "User-agent: *\nAllow: /shop\nDisallow: /shop/cart",
      "/shop/cart",
      false,
    ],
    ["a tie", "User-agent: *\nDisallow: /same\nAllow: /same", "/same", true],
    ["a wildcard", "User-agent: *\nDisallow: /*.php", "/deep/x.php?y", false],
    ["an anchored wildcard", "User-agent: *\nDisallow: /*.php$", "/x.php?y", true],
    ["an anchored wildcard that fits", "User-agent: *\nDisallow: /*.php$", "/a.php/b.php", false],
    ["an anchor alone that fits", "User-agent: *\nDisallow: /a$", "/a", false],
    ["an anchor alone", "User-agent: *\nDisallow: /a$", "/ab", true],
    ["a query", "User-agent: *\nDisallow: /*?sort=", "/list?sort=up", false],
    ["encoded and plain letters alike", "User-agent: *\nDisallow: /%7Ejoe/caf%c3%a9", "/~joe/café", false],
    ["an encoded slash unlike a slash", "User-agent: *\nDisallow: /a%2Fb", "/a/b", true],
    [
      "a byte order mark, CR ends and comments",
      "\uFEFFUser-agent: * # all\rDisallow: /a # this",
      "/a/b",
      false,
    ],
    ["rules before any group", "Disallow: /\nUser-agent: *\nAllow: /", "/a", true],
    ["case of keys, not of paths", "USER-AGENT: *\ndisALLOW: /A", "/a", true],
    ["stars upon stars", `User-agent: *\nDisallow: /${"*a".repeat(500)}b`, `/${"a".repeat(5000)}`, true],
  ])("%s", (_, text, path, expected) => {
    expect(allows(text, path)).toBe(expected)
  })

  test("gives its sitemaps and its Crawl-delay", () => {
    const rules = parseRobots(
      "Sitemap: https://e.org/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nsitemap: /b.xml",
      "FossickBot",
    )
    expect(rules.sitemaps).toEqual(["https://e.org/a.xml", "/b.xml"])
    expect(parseRobots("Sitemaps\nSitemap /c.xml", "FossickBot").sitemaps).toEqual([])
    expect(rules.crawlDelayMs).toBe(2500)
    for (const delay of ["soon", "-1", "Infinity", "1e999"]) {
      expect(parseRobots(`User-agent: *\nCrawl-delay: ${delay}`, "FossickBot").crawlDelayMs).toBeNull()
    }
  })

  test.each([
    [
      "a group that ends with its first rule",
      "User-agent: FossickBot\nAllow: /\nUser-agent: other\nDisallow: /",
      "/a",
      true,
    ],
    [
      "a group that ends with its delay",
      "User-agent: FossickBot\nCrawl-delay: 1\nUser-agent: other\nDisallow: /",
      "/a",
      true,
    ],
    [
      "agents that share a group over lines that say nothing of them",
      "User-agent: FossickBot\n\nSitemap: /s.xml\nUser-agent: other\nDisallow: /",
      "/a",
      false,
    ],
    ["a rule before any group, beside one", "Disallow: /b\nUser-agent: *\nDisallow: /a", "/b", true],
    ["a name with a star", "User-agent: FossickBot*\nDisallow: /", "/a", false],
    ["a name that is none", "User-agent: @all\nDisallow: /", "/a", true],
    ["a line without a colon", "User-agent: *\nDisallow /\nDisallow: /b", "/a", true],
    ["blanks around it", "  User-agent :  *  \n\tDisallow :  /a  ", "/a", false],
    ["letters of an escape in any case", "User-agent: *\nDisallow: /%e2%82%ac", "/%E2%82%AC", false],
    ["an escape of a reserved character in any case", "User-agent: *\nDisallow: /a%2fb", "/a%2Fb", false],
    ["a plain slash in the rule unlike an escaped one", "User-agent: *\nDisallow: /a/b", "/a%2Fb", true],
    ["a sign that JavaScript writes in two halves", "User-agent: *\nDisallow: /😀", "/😀/x", false],
    ["a wildcard at the beginning", "User-agent: *\nDisallow: */a*b", "/axb", false],
    ["a wildcard for nothing, before an anchor", "User-agent: *\nDisallow: /a*b$", "/ab", false],
    ["a byte order mark that is none, within a line", "User-agent: *\nDisallow: /\uFEFFa", "/a", true],
    ["a name behind a sign", "User-agent: @FossickBot\nDisallow: /", "/a", true],
    [
      "agents that share a group over a line that nobody knows",
      "User-agent: FossickBot\nHost: a.example\nUser-agent: other\nDisallow: /",
      "/a",
      false,
    ],
    ["a wildcard at the end", "User-agent: *\nDisallow: /a*", "/abc", false],
    ["wildcards in their order", "User-agent: *\nDisallow: /*b*a", "/xab", true],
    ["a part between wildcards that is not there", "User-agent: *\nDisallow: /*x*a", "/ba", true],
    ["parts between wildcards", "User-agent: *\nDisallow: /*x*a", "/bxya", false],
    ["a part that is not used twice", "User-agent: *\nDisallow: /*ab*ba$", "/aba", true],
    ["an anchor behind a wildcard", "User-agent: *\nDisallow: /a*$", "/a/b?c", false],
    ["a dollar in the middle", "User-agent: *\nDisallow: /a$b", "/a$b", false],
    ["a pattern without its first slash", "User-agent: *\nDisallow: a", "/a", true],
    ["the address alone, without its fragment", "User-agent: *\nDisallow: /*x", "/a#x", true],
  ])("also handles %s", (_, text, path, expected) => {
    expect(allows(text, path)).toBe(expected)
  })

  test("applies the longest delay given for this crawler, and ignores those of others", () => {
    const delay = (text: string) => parseRobots(text, "FossickBot").crawlDelayMs
    const two =
      "User-agent: FossickBot\nCrawl-delay: 3\nUser-agent: x\nAllow: /\nUser-agent: FossickBot\nCrawl-delay: 2"
    expect(delay(two)).toBe(3000)
    expect(delay("User-agent: *\nCrawl-delay: 9\nUser-agent: FossickBot\nAllow: /")).toBeNull()
    expect(delay("User-agent: *\nCrawl-delay: 0")).toBe(0)
    expect(delay("User-agent: *\nVisit-delay: 7")).toBeNull()
    expect(delay("User-agent: *\nCrawl-delay:")).toBeNull()
    expect(delay("Crawl-delay: 5\nUser-agent: *\nAllow: /")).toBeNull()
  })

  test("shows only the start of a very long line", () => {
    const rules = parseRobots(`User-agent: *\nDisallow: /${"a".repeat(500)}`, "FossickBot")
    expect(rules.refusal(`https://a.example/${"a".repeat(600)}`)).toBe(
      `robots.txt disallows it (Disallow: /${"a".repeat(199)})`,
    )
  })

  test("gives the line that blocks an address", () => {
    const rules = parseRobots("User-agent: *\nDisallow: /private/\nAllow: /private/open", "FossickBot")
    expect(rules.refusal("https://a.example/private/x")).toBe("robots.txt disallows it (Disallow: /private/)")
    expect(rules.refusal("https://a.example/private/open/x")).toBeNull()
    expect(rules.refusal("https://a.example/")).toBeNull()
  })

  test("is read up to 500 KiB only", () => {
    const padding = `# ${"x".repeat(1000)}\n`.repeat(600)
    expect(allows(`User-agent: *\nDisallow: /a\n${padding}Disallow: /b`, "/b")).toBe(true)
    expect(allows(`User-agent: *\nDisallow: /a\n${padding}Disallow: /b`, "/a")).toBe(false)
    // The limit is in the middle of a character.
    const start = "User-agent: *\nDisallow: /"
    expect(allows(`${start}${"a".repeat(500 * 1024 - start.length - 1)}😀`, "/a")).toBe(true)
  })
})

describe("X-Robots-Tag", () => {
  test.each([
    [undefined, { noindex: false, nofollow: false }],
    ["NOINDEX", { noindex: true, nofollow: false }],
    ["none", { noindex: true, nofollow: true }],
    [["noarchive", "nofollow"], { noindex: false, nofollow: true }],
    ["googlebot: noindex", { noindex: false, nofollow: false }],
    ["googlebot: noindex, fossickbot: nofollow", { noindex: false, nofollow: true }],
    ["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", { noindex: true, nofollow: false }],
    ["max-snippet: 20, noindex", { noindex: true, nofollow: false }],
  ])("%j", (header, expected) => {
    expect(xRobotsTag(header, "FossickBot")).toEqual(expected)
  })
})

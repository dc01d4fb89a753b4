import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { addressPatterns } from "./globs.ts"
import { PatternError } from "./patterns.ts"
import { membership } from "./scope.ts"
import { defineSource } from "../../source.ts"

const HOST = "https://docs.example.com"

describe("a pattern", () => {
  test.each([
    // [pattern, addresses that match, addresses that do not]
    [
      "/docs/**",
      ["/docs", "/docs/", "/docs/a/b.html", "/docs?page=2"],
      ["/documents/a", "/en/docs/a", "/DOCS/a"],
    ],
    ["/docs/*", ["/docs/a", "/docs/", "/docs/a?x=1"], ["/docs", "/docs/a/b"]],
    ["/docs", ["/docs", "/docs?x=1"], ["/docs/", "/docs/a"]],
    ["/a/**/z", ["/a/z", "/a/b/z", "/a/b/c/z"], ["/a/b/c", "/az", "/a/bz"]],
    ["/**/print", ["/print", "/a/print", "/a/b/print"], ["/a/print/b", "/blueprint"]],
    ["/{de,fr}/**", ["/de/a", "/fr"], ["/en/a", "/d/a"]],
    ["/v*/api.html", ["/v2/api.html", "/v/api.html"], ["/v2/3/api.html", "/v2/apixhtml"]],
    ["/list?*page=*", ["/list?page=3", "/list?a=b/c&page=2"], ["/list", "/list/page=3", "/other?page=3"]],
    ["*.pdf", ["/a.pdf", "/x/y/A.PDF", "/a.pdf?download=1"], ["/a.pdf/b", "/apdf", "/a?file=b.pdf"]],
    ["*.{zip,gz}", ["/a.zip", "/b/c.tar.gz"], ["/a.zipped"]],
    ["draft-*", ["/x/draft-1"], ["/x/my-draft-1", "/draft-1/x"]],
    ["/über uns/**", ["/%C3%BCber%20uns/a"], ["/uber/a"]],
    ["/a.b(c)/[x]$", ["/a.b(c)/[x]$"], ["/aXb(c)/[x]$", "/a.bc/x"]],
    ["re:/20(19|2\\d)/", ["/blog/2021/a"], ["/blog/2031/a"]],
    ["re:docs\\.example\\.com/$", ["/"], ["/a"]],
  ])("%s", (pattern, fitting, others) => {
    const fits = addressPatterns("include", [pattern])
    for (const path of fitting) expect([path, fits(HOST + path)]).toEqual([path, true])
    for (const path of others) expect([path, fits(HOST + path)]).toEqual([path, false])
  })

  test.each([
    [
      "https://docs.example.com/v2/**",
      ["https://docs.example.com/v2/a", "http://docs.example.com/v2"],
      ["https://example.com/v2/a"],
    ],
    [
      "https://*.example.com",
      ["https://a.example.com/", "https://a.example.com/b?c"],
      ["https://example.com/"],
    ],
    ["http://Docs.Example.com:8080/*", ["https://docs.example.com:8080/a"], ["https://docs.example.com/a"]],
  ])("matches whole addresses: %s", (pattern, fitting, others) => {
    const fits = addressPatterns("include", [pattern])
    expect(fitting.map(fits)).toEqual(fitting.map(() => true))
    expect(others.map(fits)).toEqual(others.map(() => false))
  })

  test.each([
    ["docs/**", 'must begin with "/"'],
    ["/a/{b,c", 'has a "{" without a "}"'],
    ["re:(a", "isn't a valid regular expression"],
    ["re:(?=a)", "isn't a valid regular expression"],
    ["re:(a{1,500}){1,500}", "isn't a valid regular expression"],
  ])("is rejected when invalid: %s", (pattern, message) => {
    expect(() => addressPatterns("exclude", [pattern])).toThrow(PatternError)
    expect(() => addressPatterns("exclude", [pattern])).toThrow(message)
  })

  test("matches a hostile address quickly", () => {
    const fits = addressPatterns("exclude", ["re:(a+)+$", "/**/a/**/a/**/a/**/b"])
    expect(fits(`${HOST}/${"a/".repeat(5000)}!`)).toBe(false)
  })
})

test("an address belongs to a source when it is in its scope, included, and not excluded", () => {
  const source = defineSource({
    seeds: ["https://example.com/", "https://wiki.example.org/start"],
    include: ["/guide/**", "https://wiki.example.org/**"],
    exclude: ["*.pdf", "/guide/old/**"],
  })
  const belongs = membership(
    source,
    new Map([["https://example.com/", "https://www.example.com/en/" as PageUrl]]),
  )
  const judged = {
    "https://www.example.com/guide/a": true,
    "https://www.example.com/guide/a.pdf": false,
    "https://www.example.com/guide/old/a": false,
    "https://www.example.com/blog/a": false,
    "https://wiki.example.org/anything": true,
    "https://other.example.org/guide/a": false,
    // A seed and the target of its redirect belong to the source even if they are not included.
    "https://www.example.com/en/": true,
  }
  expect(Object.fromEntries(Object.keys(judged).map((url) => [url, belongs(url as PageUrl)]))).toEqual(judged)
})

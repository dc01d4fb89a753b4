import { array, assert, constantFrom, property } from "fast-check"
import { expect, test } from "vitest"
import { toPageUrl } from "#engine"
import { LinkResolver } from "./link-resolver.ts"

const BASES = [
  "https://docs.example.com",
  "https://docs.example.com/guide/start.html?a=/b/#c/d",
  "http://user:secret@example.com:8080/a/b/c/",
  "http://[::1]/a%2Fb/..%2f/x;y/",
  "https://example.com/a//b",
]

test("resolves links as the URL parser does", () => {
  const part = constantFrom(
    "a",
    "b.html",
    "_x",
    "0",
    ".",
    "..",
    "%2e",
    "a%2e%2e",
    "c~d",
    "A-b_c",
    "",
    "é",
    "a b",
    "x:y",
    "?q=1",
    "#f",
    "\\",
  )
  assert(
    property(constantFrom(...BASES), array(part, { maxLength: 6 }), (base, parts) => {
      const href = parts.join("/")
      expect(new LinkResolver(base).resolve(href)).toBe(toPageUrl(href, base))
    }),
    { numRuns: 5000 },
  )
})

test("fragments do not make separate pages", () => {
  const resolver = new LinkResolver("https://docs.example.com/guide/")
  expect(resolver.resolve("a.html#one")).toBe("https://docs.example.com/guide/a.html")
  expect(resolver.resolve("a.html#two")).toBe("https://docs.example.com/guide/a.html")
  expect(resolver.resolve("#three")).toBe("https://docs.example.com/guide/")
})

test("a document without a web address as its base still has absolute links", () => {
  const resolver = new LinkResolver("about:blank")
  expect(resolver.resolve("a.html")).toBeNull()
  expect(resolver.resolve("https://example.com/a#b")).toBe("https://example.com/a")
})

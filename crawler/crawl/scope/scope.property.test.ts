import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { toPageUrl } from "#engine"
import { scopeOf } from "./scope.ts"

const part = fc.constantFrom(
  "docs",
  "Docs",
  "a",
  "b.html",
  "..",
  ".",
  "%2e%2e",
  "..%2f",
  "docs%2f..",
  "",
  "docs-old",
  "\\..",
  "é",
)
const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join("/"))
const host = fc.constantFrom(
  "example.com",
  "docs.example.com",
  "EXAMPLE.com",
  "notexample.com",
  "example.com.evil.example",
  "example.co.uk",
  "other.co.uk",
  "example.com:8080",
  "user@example.com",
  "example.com@evil.example",
)
const address = fc.tuple(
  fc.constantFrom("http", "https"),
  host,
  path,
  fc.constantFrom("", "?a=b", "#part", "?../docs/"),
)
const text = address.map(([scheme, host, path, rest]) => `${scheme}://${host}/${path}${rest}`)

test("however an address is spelled, it is in a seed's folder only when the request goes to that folder", () => {
  const seed = toPageUrl("https://example.com/docs/guide")!
  const isInside = {
    prefix: scopeOf(seed, "prefix"),
    host: scopeOf(seed, "host"),
    domain: scopeOf(seed, "domain"),
  }
  fc.assert(
    fc.property(text, (written) => {
      const url = toPageUrl(written)
      if (url === null) return
      const { host, pathname } = new URL(written)
      // Compares the exact text that the server receives.
      const byLetter = {
        prefix: host === "example.com" && pathname.startsWith("/docs/"),
        host: host === "example.com",
        domain: /^(?:.*\.)?example\.com(?::\d+)?$/.test(host),
      }
      expect({
        written,
        prefix: isInside.prefix(url),
        host: isInside.host(url),
        domain: isInside.domain(url),
      }).toEqual({
        written,
        ...byLetter,
      })
    }),
    madeUp(2000),
  )
})

test("a link never reaches further than its address: a folder stays in its host, a host in its domain", () => {
  fc.assert(
    fc.property(text, fc.oneof(text, path), (from, link) => {
      const seed = toPageUrl(from)
      const url = seed && toPageUrl(link, seed)
      if (seed === null || url === null) return
      const [prefix, host, domain] = (["prefix", "host", "domain"] as const).map((scope) =>
        scopeOf(seed, scope)(url),
      )
      expect([!prefix || host, !host || domain]).toEqual([true, true])
    }),
    madeUp(1000),
  )
})

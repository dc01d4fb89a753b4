import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type PageUrl, toPageUrl } from "#engine"
import {
  type AddressRules,
  commonForm,
  differenceOf,
  folded,
  forms,
  siteOf,
  withoutDifferingValue,
} from "./address-forms.ts"

const url = (text: string) => toPageUrl(text) as PageUrl

const addresses = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    host: fc.constantFrom(
      "example.org",
      "www.example.org",
      "localhost:8080",
      "127.0.0.1",
      "[::1]:99",
      "www.io",
    ),
    path: fc.array(fc.constantFrom("a", "index.html", "b.php", "%20", "index", ";x=1"), { maxLength: 4 }),
    slash: fc.boolean(),
    query: fc.array(fc.constantFrom("a=1", "a=2", "b", "b=", "=", "", "sid=x?y", "ü=1"), { maxLength: 4 }),
  })
  .map(({ scheme, host, path, slash, query }) =>
    url(
      `${scheme}://${host}/${path.join("/")}${slash && path.length > 0 ? "/" : ""}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    ),
  )

const everything: AddressRules = {
  forms: new Map([
    ["https", true],
    ["www", false],
    ["index", true],
    ["slash", false],
    ["order", true],
  ]),
  parameters: new Set(["sid"]),
  values: new Set(["a=1"]),
}

describe("forms of an address", () => {
  test.each([
    ["https://example.org/a", "https://example.org/a/", "slash", ""],
    ["http://example.org/", "https://example.org/", "https", ""],
    ["https://www.example.org/x", "https://example.org/x", "www", ""],
    ["https://example.org/docs/index.html", "https://example.org/docs/", "index", ""],
    ["https://example.org/?b=1&a=2", "https://example.org/?a=2&b=1", "order", ""],
    ["https://example.org/a?sid=9", "https://example.org/a", "parameter:sid", "9"],
  ])("%s differs from %s in one way", (a, b, difference, value) => {
    expect(differenceOf(url(a), url(b))).toMatchObject({ difference, value })
    expect(differenceOf(url(b), url(a))).toMatchObject({ difference, value })
  })

  test.each([
    ["https://example.org/a", "https://example.org/b"],
    ["https://example.org/a?x=1", "https://example.org/a?x=2"],
    ["http://example.org/a", "https://example.org/a/"],
    ["https://example.org/a", "https://www.example.org/a/"],
    ["https://example.org/a", "https://example.com/a"],
  ])("%s differs from %s in several ways, or in a relevant one", (a, b) => {
    expect(differenceOf(url(a), url(b))).toBeNull()
  })

  test("differing in one parameter's value share the address without it", () => {
    const bare = withoutDifferingValue(
      url("https://example.org/a?s=1&x=5"),
      url("https://example.org/a?s=2&x=5"),
    )
    expect(bare?.url).toBe("https://example.org/a?x=5")
    expect(
      withoutDifferingValue(url("https://example.org/a?s=1&x=5"), url("https://example.org/a?s=2&x=6")),
    ).toBeNull()
  })

  test("have no www. if the host is a number or has no dot", () => {
    for (const host of ["127.0.0.1", "[::1]", "localhost:8080"]) {
      expect(forms(url(`http://${host}/a`)).map(({ difference }) => difference)).not.toContain("www")
    }
  })

  test("are canonical addresses of the same site with the same common form", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        for (const form of forms(address)) {
          expect(toPageUrl(form.url)).not.toBeNull()
          expect(siteOf(form.url)).toBe(siteOf(address))
          expect(commonForm(form.url)).toBe(commonForm(address))
        }
      }),
    )
  })
})

describe("folding", () => {
  test("maps all forms of an address to one", () => {
    for (const form of [
      "http://www.example.org/shop/?b=2&a=1&c=3&sid=77",
      "https://example.org/shop?c=3&b=2",
      "https://www.example.org/shop/index.html?b=2&c=3&sid=",
    ]) {
      expect(folded(url(form), everything)).toBe("https://example.org/shop?b=2&c=3")
    }
  })

  test("gives the same result when repeated, and stays within the site", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const once = folded(address, everything)
        expect(folded(once, everything)).toBe(once)
        expect(commonForm(once)).toBe(commonForm(address))
      }),
    )
  })

  test("changes nothing without rules", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(folded(address, { forms: new Map(), parameters: new Set(), values: new Set() })).toBe(address)
      }),
    )
  })
})

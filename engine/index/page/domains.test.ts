import { describe, expect, it, test } from "vitest"
import { domainRules, hostName, isPublicSuffix, matchesDomains, placeOf } from "./domains.ts"

const matches = (listed: string, url: string) => matchesDomains(placeOf(url), domainRules([listed]))

describe("a listed domain", () => {
  test.each([
    ["example.com", "https://example.com/", true],
    ["example.com", "https://a.b.example.com/", true],
    ["example.com", "https://notexample.com/", false],
    ["docs.example.com", "https://docs.example.com/", true],
    ["docs.example.com", "https://deep.docs.example.com/", false],
    ["docs.example.com", "https://example.com/", false],
    ["EXAMPLE.co.uk.", "https://www.example.co.uk./", true],
    ["co.uk", "https://example.co.uk/", false],
    ["com", "https://example.com/", false],
    ["github.io", "https://someone.github.io/", true],
    ["someone.github.io", "https://someone.github.io/", true],
    ["someone.github.io", "https://blog.someone.github.io/", false],
    ["bücher.example", "https://shop.xn--bcher-kva.example/", true],
    ["BÜCHER.example", "https://bücher.example/", true],
    ["localhost", "http://localhost:3000/", true],
    ["localhost:3000", "http://localhost:3000/", true],
    ["localhost:3000", "http://localhost:4000/", false],
    ["example.com:8443", "https://docs.example.com:8443/", true],
    ["example.com:8443", "https://docs.example.com/", false],
    ["docs.example.com:443", "https://docs.example.com/", true],
    ["docs.example.com:443", "http://docs.example.com/", false],
    ["docs.example.com:80", "http://docs.example.com/", true],
    ["[::1]:8080", "http://[::1]:8080/", true],
    ["[::1]:8080", "http://[::1]:8081/", false],
    ["192.0.2.7", "http://192.0.2.7:8080/", true],
    ["2.7", "http://192.0.2.7/", false],
    ["2001:db8::1", "http://[2001:db8::1]/", true],
    ["[2001:DB8::1]", "http://[2001:db8::1]/", true],
    ["example.com/path", "https://example.com/path", false],
    ["*.example.com", "https://a.example.com/", false],
    ["", "https://example.com/", false],
  ])("%s and %s: %s", (listed, url, expected) => {
    expect(matches(listed, url)).toBe(expected)
  })

  it("is a public suffix when registries sell names under it", () => {
    expect(["com", "co.uk", "UK", "xn--p1ai"].map(isPublicSuffix)).toEqual([true, true, true, true])
    const others = ["example.com", "github.io", "localhost", "192.0.2.7", "", "a/b"]
    expect(others.filter(isPublicSuffix)).toEqual([])
  })

  it("is normalised as in addresses", () => {
    expect(hostName(" Example.COM. ")).toBe("example.com")
    expect(hostName("例え.jp")).toBe("xn--r8jz45g.jp")
  })
})

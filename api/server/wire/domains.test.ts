import * as fc from "fast-check"
import { describe, expect, test } from "vitest"

import { Refusal } from "#base/errors.ts"

import { domainList } from "./domains.ts"

const list = (...entries: string[]) => domainList("include_domains", entries, 300)
const refusal = (entry: string): string => {
  try {
    return `taken: ${list(entry).join()}`
  } catch (error) {
    if (!(error instanceof Refusal) || error.because !== "wrong") throw error
    return error.message
  }
}

describe("a domain filter", () => {
  test.each([
    ["example.com", "example.com"],
    [" EXAMPLE.com ", "example.com"],
    ["https://www.example.com/", "example.com"],
    ["HTTP://Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["docs.example.co.uk", "docs.example.co.uk"],
    ["github.io", "github.io"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["例え。jp", "xn--r8jz45g.jp"],
    ["ｅｘａｍｐｌｅ.com", "example.com"],
    ["under_score.example.com", "under_score.example.com"],
    ["localhost", "localhost"],
    ["wiki", "wiki"],
    ["wiki.corp", "wiki.corp"],
    ["192.168.0.7", "192.168.0.7"],
    ["[2001:DB8::1]", "[2001:db8::1]"],
    ["2001:db8:0:0:0:0:0:1", "[2001:db8::1]"],
    ["www.gov.uk", "www.gov.uk"],
    ["www.com", "www.com"],
    ["www.localhost", "www.localhost"],
    ["localhost:8080", "localhost:8080"],
    ["https://www.example.com:8443/", "example.com:8443"],
    ["BÜCHER.example:08443", "xn--bcher-kva.example:8443"],
    ["[2001:DB8::1]:8080", "[2001:db8::1]:8080"],
    ["192.168.0.7:1", "192.168.0.7:1"],
    ["example.com:443", "example.com:443"],
  ])("%s matches %s", (entry, host) => {
    expect(list(entry)).toEqual([host])
  })

  test("matches a subdomain with and without www", () => {
    expect(list("www.docs.example.com")).toEqual(["docs.example.com", "www.docs.example.com"])
  })

  test("counts all spellings of a domain once", () => {
    expect(list("example.com", "https://www.example.com", "EXAMPLE.COM.")).toEqual(["example.com"])
    expect(domainList("exclude_domains", "example.com", 1)).toEqual(["example.com"])
  })

  test.each([
    "*.example.com",
    "*",
    "example.com/docs",
    "https://example.com/docs/",
    "example.com:8443/path",
    "https://localhost:8080/docs",
    "localhost:8080?q=1",
    "[2001:db8::1]:80#top",
    "user:secret@example.com:80",
    "[example.com]:80",
    ":80",
    "fe80::1%eth0",
    "example.com?q=1",
    "example.com#top",
    "user@example.com",
    "ftp://example.com",
    "//example.com",
    "exa mple.com",
    "example.com, example.org",
    ".example.com",
    "example..com",
    "-example.com",
    "example-.com",
    "^example\\.com$",
    "1.2.3.256",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(130)}com`,
    "",
    ".",
    "http://",
  ])("rejects %j", (entry) => {
    expect(refusal(entry)).toBe(
      `Invalid include_domains: '${entry.slice(0, 100)}'. Must be domains such as 'example.com' or 'example.com:8443', without wildcards, path, query or fragment.`,
    )
  })

  test.each([
    ["example.com:0", "0"],
    ["localhost:65536", "65536"],
    ["localhost:80a", "80a"],
    ["localhost:0x50", "0x50"],
    ["localhost:-1", "-1"],
    ["localhost:*", "*"],
    ["[::1]:99999", "99999"],
    ["example.com:", ""],
  ])("rejects the port of %s", (entry, port) => {
    expect(refusal(entry)).toBe(
      `Invalid include_domains: '${entry}'. The port '${port}' must be a number from 1 to 65535.`,
    )
  })

  test.each([
    ["co.uk", "co.uk"],
    ["https://CO.UK/", "co.uk"],
    ["com", "com"],
    ["co.uk:8080", "co.uk"],
    ["gov.uk", "gov.uk"],
    ["рф", "xn--p1ai"],
  ])("rejects %s as a public suffix", (entry, suffix) => {
    expect(refusal(entry)).toBe(
      `Invalid include_domains: '${entry}'. Must be domains such as 'example.com'; '${suffix}' is a public suffix, under which anyone can register a domain.`,
    )
  })

  test("accepts any input as a host or rejects it by name, and keeps valid hosts unchanged", () => {
    const written = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...Array.from("aé漢0-._*:/?#@[]% wW\u00ad\u3002")) }),
      fc.domain(),
      fc.webUrl(),
      fc.ipV4Extended(),
      fc.ipV6(),
    )
    fc.assert(
      fc.property(written, (entry) => {
        const answer = refusal(entry)
        const taken = answer.startsWith("taken: ") ? list(entry) : []
        const kept = taken.filter((host) => URL.parse(`http://${host}/`)?.host === host)
        expect(kept).toEqual(taken)
        expect(taken.flatMap((host) => list(host))).toEqual(expect.arrayContaining([...taken]))
        return taken.length > 0 || answer.includes(`'${entry.slice(0, 100)}'`)
      }),
      { numRuns: 500 },
    )
  })
})

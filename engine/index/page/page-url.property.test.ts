import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { toPageUrl } from "./page-url.ts"

const escapes = fc.constantFrom(
  "a",
  "B",
  "/",
  ".",
  "..",
  "%2e",
  "%2E",
  "%2f",
  "%41",
  "é",
  "漢",
  " ",
  "+",
  "?",
  "&",
  "=",
  "#",
  "#/",
  "#!/",
  ";",
  "@",
  ":",
  "\\",
  "\t",
  "%",
  "%zz",
  "|",
  '"',
)
const host = fc.constantFrom(
  "example.com",
  "EXAMPLE.com",
  "www.example.com.",
  "bücher.example",
  "xn--bcher-kva.example",
  "127.0.0.1",
  "0x7f.1",
  "2130706433",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "localhost",
  "ｅｘａｍｐｌｅ.com",
)
const address = fc
  .record({
    scheme: fc.constantFrom("http://", "https://", "HTTP://", "https:", "http:\\\\", " https://"),
    user: fc.constantFrom("", "", "", "user@", "user:secret@", ":@"),
    host,
    port: fc.constantFrom("", "", ":80", ":443", ":8080", ":"),
    rest: fc.array(escapes, { maxLength: 12 }).map((parts) => parts.join("")),
  })
  .map(({ scheme, user, host, port, rest }) => `${scheme}${user}${host}${port}/${rest}`)
const anyText = fc.oneof(
  address,
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: "binary" }),
)

test("normalising an address twice changes nothing", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const url = toPageUrl(text)
      expect(url === null || toPageUrl(url) === url).toBe(true)
    }),
    madeUp(2000),
  )
})

test("normalising keeps the resource: the server receives what was written", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const url = toPageUrl(text)
      const written = URL.parse(text)
      const isWeb = written !== null && /^https?:$/.test(written.protocol) && written.hostname !== ""
      expect(url !== null).toBe(isWeb)
      if (url === null || written === null) return
      const { protocol, host, pathname, search } = new URL(url)
      expect([protocol, host, pathname, search]).toEqual([
        written.protocol,
        written.host,
        written.pathname,
        written.search,
      ])
    }),
    madeUp(2000),
  )
})

test("a normalised address has no password, and no fragment except a route", () => {
  fc.assert(
    fc.property(address, (text) => {
      const url = toPageUrl(text)
      if (url === null) return
      const { username, password, hash } = new URL(url)
      expect([username, password]).toEqual(["", ""])
      expect(hash).toMatch(/^$|^#!?\//)
    }),
    madeUp(1000),
  )
})

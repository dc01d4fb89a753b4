import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { domainRules, matchesDomains, placeOf } from "./domains.ts"

/** Names that anyone can register, in the form that addresses contain, each with the spellings that people use. */
const REGISTRABLE: Readonly<Record<string, readonly string[]>> = {
  "example.com": ["example.com", "Example.COM", "example.com.", " example.com"],
  "example.co.uk": ["example.co.uk", "EXAMPLE.co.uk."],
  "xn--bcher-kva.example": [
    "bücher.example",
    "BÜCHER.example",
    "xn--bcher-kva.example",
    "bu\u0308cher.example",
  ],
  "xn--fiqs8s.example": ["中国.example", "中国。example"],
  "github.io": ["github.io"],
}
const registrable = fc.constantFrom(...Object.keys(REGISTRABLE))
const below = fc.constantFrom("", "", "www.", "docs.", "deep.docs.", "not", "a-")
const port = fc.constantFrom(null, null, 8080, 443, 80)

const place = fc.record({ scheme: fc.constantFrom("http", "https"), below, registrable, port })
const listing = fc.record({ below, registrable, port, spelling: fc.nat(9) })

/** Implements the doc comment, without the list of public suffixes. */
function naive(
  {
    scheme,
    below,
    registrable,
    port,
  }: { scheme: string; below: string; registrable: string; port: number | null },
  listed: { below: string; registrable: string; port: number | null },
): boolean {
  const host = below + registrable
  const name = listed.below + listed.registrable
  // `notexample.com` is a separate name that anyone can register.
  const isRegistrable = !listed.below.includes(".")
  const isInside = host === name || (isRegistrable && host.endsWith(`.${name}`))
  return isInside && (listed.port === null || listed.port === (port ?? (scheme === "https" ? 443 : 80)))
}

test("a list of domains matches the right pages, however names are spelled", () => {
  fc.assert(
    fc.property(place, fc.array(listing, { maxLength: 4 }), (at, listed) => {
      const url = `${at.scheme}://${at.below}${at.registrable}${at.port === null ? "" : `:${at.port}`}/x`
      const written = listed.map(({ below, registrable, port, spelling }) => {
        const spellings = REGISTRABLE[registrable]!
        const name = spellings[spelling % spellings.length]!.trim()
        // A prefix such as `not` becomes part of the first label, which would differ in another spelling, so the
        // canonical spelling is used.
        const whole = below === "" || below.endsWith(".") ? `${below}${name}` : `${below}${registrable}`
        return `${whole.replace(/\.$/, port === null ? "." : "")}${port === null ? "" : `:${port}`}`
      })
      const plain = listed.map((one) => (one.below.endsWith(".") || one.below === "" ? one : { ...one }))
      const isXn = ({ below, registrable }: { below: string; registrable: string }) =>
        registrable.startsWith("xn--") && below !== "" && !below.endsWith(".")
      fc.pre(!isXn(at) && !listed.some(isXn))
      const expected = plain.some((one) => naive(at, one))
      expect([url, written, matchesDomains(placeOf(url), domainRules(written))]).toEqual([
        url,
        written,
        expected,
      ])
    }),
    madeUp(3000),
  )
})

test("no text makes a list of domains fail or match an unrelated page", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (written) => {
      const rules = domainRules([written])
      const isHeld = matchesDomains(placeOf("https://docs.example.com/"), rules)
      expect(isHeld && !/example|docs/iu.test(written.normalize("NFKC"))).toBe(false)
    }),
    madeUp(1000),
  )
})

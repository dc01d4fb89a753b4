import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isAscii } from "./ascii.ts"
import { aboutSeconds, duration } from "./duration.ts"
import { eastAsianIn } from "./east-asian.ts"
import { fnv1a, murmurMix } from "./hash.ts"
import { percentDecoded } from "./percent-decoded.ts"
import { printable, printableLine } from "./printable.ts"

describe("a duration", () => {
  test.each([
    [0, "0 s", "0 s"],
    [59, "59 s", "59 s"],
    [60, "1 min 0 s", "1 min"],
    [89, "1 min 29 s", "1 min"],
    [90, "1 min 30 s", "2 min"],
    [200, "3 min 20 s", "3 min"],
    [600, "10 min 0 s", "10 min"],
    [3599, "59 min 59 s", "1 h 0 min"],
    [3600, "1 h 0 min", "1 h 0 min"],
    [3661, "1 h 1 min", "1 h 1 min"],
    [4500, "1 h 15 min", "1 h 15 min"],
    [360_000, "100 h 0 min", "100 h 0 min"],
  ])("of %d s is written as %s, and roughly as %s", (seconds, exact, about) => {
    expect([duration(seconds), aboutSeconds(seconds)]).toEqual([exact, about])
  })
})

test("a text is ASCII up to its last control character", () => {
  expect(["", "plain\n\0\x7f", "caf\u00e9", "\x80", "a \u{1f600}"].map(isAscii)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test("counts Chinese, Japanese and Korean characters, and no others", () => {
  expect(eastAsianIn("漢字 ひらがな カタカナ 한글 plus ASCII")).toBe(12)
  expect(eastAsianIn("漢")).toBe(1)
  expect(eastAsianIn("Ünïcode, кириллица, ελληνικά")).toBe(0)
  expect(eastAsianIn("")).toBe(0)
})

describe("a hash", () => {
  // The values for single bytes from http://www.isthe.com/chongo/tech/comp/fnv/.
  test.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["b", 0xe70c2de5],
    ["foobar", 0xbf9cf968],
  ])("of %j matches FNV-1a", (text, hash) => {
    expect(fnv1a(text) >>> 0).toBe(hash >>> 0)
  })

  test("can continue from another hash", () => {
    expect(fnv1a("bar", fnv1a("foo"))).toBe(fnv1a("foobar"))
  })

  // The values of the reference implementation's fmix32.
  test.each([
    [0, 0],
    [1, 0x514e28b7],
    [0xdeadbeef, 0x0de5c6a9],
  ])("of %d is mixed as in MurmurHash3", (value, mixed) => {
    expect(murmurMix(value)).toBe(mixed)
  })

  test("differs for different numbers: every step can be undone", () => {
    const mixed = new Set(Array.from({ length: 10_000 }, (_, at) => murmurMix(at)))
    expect(mixed.size).toBe(10_000)
    expect(Math.min(...mixed)).toBeGreaterThanOrEqual(0)
  })
})

describe("a percent-encoded text", () => {
  test("decodes to the original", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(percentDecoded(encodeURIComponent(text.toWellFormed()))).toBe(text.toWellFormed())
      }),
    )
  })

  test.each(["%", "%zz", "%e4", "%f0%9f"])("decodes to null if it is encoded wrongly: %s", (text) => {
    expect(percentDecoded(text)).toBeNull()
  })
})

describe("a text for a terminal", () => {
  const COMMAND = /[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u

  test("contains nothing that controls a terminal, whatever a page says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text).replaceAll(/[\n\t]|\r\n/g, "")).not.toMatch(COMMAND)
        expect(printableLine(text)).not.toMatch(COMMAND)
      }),
    )
  })

  test("escapes such characters as JSON does, and leaves all others", () => {
    expect(printable("a\u001b[2Jb\u0000\u009f\u202ec")).toBe("a\\u001b[2Jb\\u0000\\u009f\\u202ec")
    expect(printable("Zeile\n\tänderung\r\nnext\rend")).toBe("Zeile\n\tänderung\r\nnext\\u000dend")
    expect(printable(" ~é漢🎃\u00a0")).toBe(" ~é漢🎃\u00a0")
  })

  test("fits on one line, with each run of breaks and tabs as a space", () => {
    expect(printableLine("a\r\n\tb\nc\u0007")).toBe("a b c\\u0007")
  })
})

import { assert, oneof, property, string, stringMatching } from "fast-check"
import { expect, test } from "vitest"
import { decodeTerm, encodeTerm } from "./term-code.ts"

const terms = oneof(
  string({ unit: "grapheme", maxLength: 30 }),
  string({ unit: "binary", maxLength: 30 }),
  stringMatching(/^[a-z0-9.:_-]{1,64}$/),
)

test("different terms become different words, of letters and digits only, and can be decoded", () => {
  assert(
    property(terms, terms, (one, other) => {
      const word = encodeTerm(one)
      expect(word === encodeTerm(other)).toBe(one === other)
      expect(word).toMatch(/^x[\p{Ll}\p{Lo}\p{Lm}0-9]*$/u)
      expect(Buffer.byteLength(word)).toBeLessThanOrEqual(250)
      expect([one, null]).toContain(decodeTerm(word))
    }),
  )
})

test("a term too long for the server still stays distinct", () => {
  const long = "x".repeat(5000)
  expect(Buffer.byteLength(encodeTerm(long))).toBeLessThan(200)
  expect(encodeTerm(long)).not.toBe(encodeTerm(`${long}y`))
  expect(decodeTerm(encodeTerm(long))).toBeNull()
})

test.each([
  ["собака", "сабака"],
  ["πρωτευουσα", "πρωτεουσα"],
  ["ירושלים", "ירושלם"],
  ["العاصمة", "العاصمه"],
])("%s and %s stay one letter apart", (right, wrong) => {
  const [one, other] = [encodeTerm(right), encodeTerm(wrong)]
  expect(Array.from(one)).toHaveLength(Array.from(right).length + 1)
  expect(Array.from(other)).toHaveLength(Array.from(wrong).length + 1)
})

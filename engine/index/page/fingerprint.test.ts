import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fnv1a, murmurMix } from "#base/text/hash.ts"
import { madeUp } from "#base/testing/made-up.ts"
import { fingerprintOf, sayTheSame, simhash } from "./fingerprint.ts"

const words = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `word${(i + from) * 7919}`)
const page = (terms: readonly string[], title = "Title") => ({
  title,
  fingerprint: fingerprintOf(
    terms.join(" "),
    terms.map((term) => fnv1a(term)),
  ),
})
const changed = (terms: readonly string[], at: number) => terms.with(at, "another")

describe("two pages with the same content", () => {
  it("have equal text, and the same title if they are short", () => {
    const long = words(200)
    expect(sayTheSame(page(long), page(long, "Other"))).toBe(true)
    expect(sayTheSame(page(["under", "construction"]), page(["under", "construction"]))).toBe(true)
    expect(sayTheSame(page(["under", "construction"]), page(["under", "construction"], "Other"))).toBe(false)
  })

  it("both have a title", () => {
    const long = words(200)
    expect(sayTheSame(page(long, ""), page(long, ""))).toBe(false)
    expect(sayTheSame(page(long, ""), page(long, "Title"))).toBe(false)
  })

  it("have long texts that differ in a word or two, and matching titles", () => {
    const long = words(2000)
    expect(sayTheSame(page(long), page(changed(long, 500), "Title - Site"))).toBe(true)
    expect(sayTheSame(page(long), page([...long, "printed", "today"], "TITLE"))).toBe(true)
    expect(sayTheSame(page(long), page(changed(long, 500), "Other"))).toBe(false)
    expect(sayTheSame(page(long, ""), page(changed(long, 500), ""))).toBe(false)
  })

  it("do not differ much, and are neither short nor empty", () => {
    expect(sayTheSame(page(words(400)), page(words(400, 1000)))).toBe(false)
    expect(sayTheSame(page(words(400)), page([...words(300), ...words(100, 1000)]))).toBe(false)
    expect(sayTheSame(page(words(100)), page(changed(words(100), 9)))).toBe(false)
    expect(sayTheSame(page([]), page([]))).toBe(false)
  })
})

/** Computed bit by bit, as described in the paper. */
function naiveSimhash(hashes: readonly number[]): string {
  const votes = Array.from({ length: 64 }, () => 0)
  for (let at = 2; at < hashes.length; at++) {
    const shingle = [at - 2, at - 1, at].reduce((sum, i) => Math.imul(sum ^ hashes[i]!, 0x01000193), 0)
    const halves = [murmurMix(shingle), murmurMix(shingle ^ 0x5bd1e995)]
    for (let bit = 0; bit < 64; bit++) votes[bit]! += (halves[bit >> 5]! >>> (bit & 31)) & 1 ? 1 : -1
  }
  const half = (from: number) =>
    votes.slice(from, from + 32).reduce((sum, vote, bit) => sum + (vote > 0 ? 2 ** bit : 0), 0)
  return [0, 32].map((from) => half(from).toString(16).padStart(8, "0")).join("")
}

it("a fingerprint counts the votes of every bit, for many shingles or none", () => {
  const hashes = fc.array(fc.integer(), { maxLength: 1200, size: "max" })
  fc.assert(
    fc.property(hashes, (given) => {
      expect(simhash(given)).toBe(naiveSimhash(given))
    }),
    madeUp(100),
  )
})

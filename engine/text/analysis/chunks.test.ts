import * as fc from "fast-check"
import { expect, test } from "vitest"
import { fnv1a } from "#base/text/hash.ts"
import { madeUp } from "#base/testing/made-up.ts"
import { analyse, termsIn } from "./analyse.ts"
import { CHUNK, findChunks } from "./chunks.ts"
import { knownTerms } from "./known-chunks.ts"
import { termHash } from "./term-hash.ts"

const PIECES = [
  "a",
  "Z9",
  "é",
  "e\u0301",
  "漢字",
  "ไทย",
  "_",
  ".",
  ":",
  "::",
  "-",
  "->",
  "+",
  "++",
  "#",
  "&",
  "’",
]
const OTHERS = [" ", "\n", "(", ">", "\u00ad", "😀", "\ud800", "𝒜"]

test("a text's chunks are those of the pattern, wherever it has separators", () => {
  const text = fc
    .array(fc.constantFrom(...PIECES, ...OTHERS), { maxLength: 40 })
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(text, (given) => {
      const found: [string, number][] = []
      findChunks(given, (from, to, hash) => found.push([given.slice(from, to), hash]))
      expect(found).toEqual((given.match(CHUNK) ?? []).map((chunk) => [chunk, fnv1a(chunk)]))
    }),
    madeUp(2000),
  )
})

test("a word is stemmed in its own language, cached or not", () => {
  const text = "Running HTTPServer c++ über 漢字"
  const first = [analyse(text, "en"), analyse(text, "de")]
  expect(first[0]).not.toEqual(first[1])
  expect([analyse(text, "en"), analyse(text, "de")]).toEqual(first)
})

test("a chunk's terms are computed once, and again after very many other chunks", () => {
  const stem = (word: string) => word
  const made = new Map<string, number>()
  const make = (chunk: string) => {
    made.set(chunk, (made.get(chunk) ?? 0) + 1)
    return [chunk, "part"]
  }
  const termsOf = (chunk: string) => knownTerms(`(${chunk})`, 1, 1 + chunk.length, fnv1a(chunk), stem, make)
  const often = Array.from({ length: 50 }, (_, i) => `often${i}`)
  for (let i = 0; i < 150_000; i++) {
    termsOf(`seldom${i}`)
    if (i % 40_000 === 0) for (const chunk of often) termsOf(chunk)
  }
  expect(often.map((chunk) => termsOf(chunk)[0]!.text)).toEqual(often)
  expect(often.map((chunk) => made.get(chunk))).toEqual(often.map(() => 1))
  expect(made.get("seldom0")).toBe(1)
  termsOf("seldom0")
  expect(made.get("seldom0")).toBe(2)
})

test("each term comes with its hash, even in a chunk too long to cache", () => {
  const { terms, text } = termsIn(`some words ${"x".repeat(100)}`, "en")
  expect(terms.map((term) => term.hash)).toEqual(terms.map((term) => termHash(term.text)))
  expect(text).toBe(terms.map((term) => term.text).join(" "))
})

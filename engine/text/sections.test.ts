import * as fc from "fast-check"
import { expect, test } from "vitest"
import { termsOf } from "./analysis/known-chunks.ts"
import { PHRASE_TERMS, type PassageTerms, sectionsOf } from "./sections.ts"

const names = { title: ["the", "name"], address: ["docs"] }
const passage = (text: string, headings = ""): PassageTerms => ({
  headings: [termsOf(headings.split(" ").filter(Boolean))],
  text: termsOf(text.split(" ").filter(Boolean)),
})

test("a page has at least one section, with its title twice and its address once", () => {
  expect(sectionsOf(names, [])).toEqual(["the name the name docs"])
  expect(sectionsOf(names, [passage("some text", "head")])).toEqual(["the name the name docs head some text"])
})

test("a long page has many sections, none much longer than a short page", () => {
  const passages = Array.from({ length: 100 }, (_, i) => passage(`a${i} `.repeat(90)))
  const sections = sectionsOf(names, passages)
  expect(sections).toHaveLength(17)
  for (const terms of sections) expect(terms.split(" ").length).toBeLessThan(6 * 90 + 50)
  expect(sections.filter((terms) => terms.includes("a50 "))).toHaveLength(1)
})

test("the beginning of every phrase lies within one section, wherever sections are split", () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 })
  fc.assert(
    fc.property(lengths, fc.nat(), fc.integer({ min: 1, max: PHRASE_TERMS }), (counts, from, length) => {
      let next = 0
      const passages = counts.map((count) => ({
        headings: [termsOf(["head"])],
        text: termsOf(Array.from({ length: count }, () => `w${next++}`)),
      }))
      const words = passages.flatMap(({ text }) => text.terms.map((term) => term.text))
      fc.pre(words.length > 0)
      const phrase = words.slice(from % words.length, (from % words.length) + length)
      const holding = sectionsOf(names, passages).filter((terms) => {
        const held = new Set(terms.split(" "))
        return phrase.every((word) => held.has(word))
      })
      expect(holding.length).toBeGreaterThan(0)
    }),
  )
})

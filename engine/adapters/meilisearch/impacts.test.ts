import { assert, double, integer, property } from "fast-check"
import { expect, test } from "vitest"
import { LEVEL_NAMES, levelOfScore, toLevels, weightAt } from "./impacts.ts"
import { encodeTerm } from "./term-code.ts"

const levelIn = (levels: Record<string, string>, term: string) =>
  LEVEL_NAMES.findIndex((name) => levels[name]?.split(" ").includes(encodeTerm(term)))

/** BM25 with k1 1.2 and b 0.75, without idf. */
const exact = (frequency: number, length: number, mean: number) =>
  (frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * length) / mean))

/** All that a level may hide, in weights. */
const LEVEL = 2.2 / 16

test("what is told from the level is what BM25 says, within a level, or as much more as the mean length has changed", () => {
  assert(
    property(
      integer({ min: 1, max: 50 }),
      integer({ min: 0, max: 3000 }),
      integer({ min: 20, max: 2000 }),
      double({ min: 0.7, max: 1.4, noNaN: true }),
      (frequency, others, pivot, drift) => {
        const terms = [...Array(frequency).fill("t"), ...Array(others).fill("other")] as string[]
        const level = levelIn(toLevels(terms, pivot), "t")
        const weight = weightAt(level, { length: terms.length, pivot }, pivot * drift)
        const error = Math.abs(weight - exact(frequency, terms.length, pivot * drift))
        // Saturation that moves by a factor makes differences grow by that factor at most.
        expect(error).toBeLessThan(LEVEL * Math.max(drift, 1 / drift))
      },
    ),
    // A long page, on whose level stand both one and two occurrences of a term.
    { examples: [[2, 440, 29, 1.0935049113242445]] },
  )
})

test("each term stands once, on a level before those that say less", () => {
  const levels = toLevels(["often", "often", "often", "often", "once", "rest"], 6)
  expect(Object.values(levels).join(" ").split(" ").toSorted()).toEqual(["xoften", "xonce", "xrest"])
  expect(levelIn(levels, "often")).toBeLessThan(levelIn(levels, "once"))
})

test("words that the server would forget behind others move to the next level", () => {
  const terms = Array.from({ length: 70_000 }, (_, i) => `w${i}`)
  const counts = Object.values(toLevels(terms, 70_000)).map((words) => words.split(" ").length)
  expect(counts).toEqual([65_000, 5000])
})

test("the server's score of an attribute names its level", () => {
  for (const level of LEVEL_NAMES.keys()) expect(levelOfScore((16 - level) / 16)).toBe(level)
})

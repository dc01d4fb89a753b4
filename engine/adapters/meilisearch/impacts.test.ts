import { assert, integer, property } from "fast-check"
import { expect, test } from "vitest"
import { LEVEL_NAMES, levelOfScore, toLevels, weightAt } from "./impacts.ts"
import { encodeTerm } from "./term-code.ts"

const levelIn = (levels: Record<string, string>, term: string) =>
  LEVEL_NAMES.findIndex((name) => levels[name]?.split(" ").includes(encodeTerm(term)))
const section = (frequency: number, others: number) =>
  [...Array<string>(frequency).fill("t"), ...Array<string>(others).fill("other")].join(" ")

/** BM25 of a section with k1 1.2 and b 0.5, without idf. */
const exact = (frequency: number, length: number) =>
  (frequency * 2.2) / (frequency + 1.2 * (0.5 + (0.5 * length) / 550))

/** The maximum weight difference within a level. */
const LEVEL = 2.2 / 16

test("the weight of a level is the section's BM25 score, within one level", () => {
  assert(
    property(integer({ min: 1, max: 50 }), integer({ min: 0, max: 3000 }), (frequency, others) => {
      const level = levelIn(toLevels([section(frequency, others)]), "t")
      expect(Math.abs(weightAt(level) - exact(frequency, frequency + others))).toBeLessThan(LEVEL)
    }),
  )
})

test("a term of a long page has the level of the section that scores highest with it", () => {
  const sections = [section(1, 500), section(4, 400), section(0, 500), section(2, 500)]
  expect(levelIn(toLevels(sections), "t")).toBe(levelIn(toLevels([section(4, 400)]), "t"))
  const manual = [...Array<string>(200).fill(section(0, 500)), section(4, 400)]
  expect(levelIn(toLevels(manual), "t")).toBe(levelIn(toLevels([section(4, 400)]), "t"))
})

test("each term appears once, on a level before those of weaker terms", () => {
  const levels = toLevels(["often often once", "often often often rest"])
  expect(Object.values(levels).join(" ").split(" ").toSorted()).toEqual(["xoften", "xonce", "xrest"])
  expect(levelIn(levels, "often")).toBeLessThan(levelIn(levels, "once"))
  expect(toLevels([""])).toEqual({})
})

test("words beyond the server's limit per attribute move to the next level", () => {
  const sections = Array.from({ length: 70 }, (_, i) =>
    Array.from({ length: 1000 }, (_, at) => `w${i}x${at}`).join(" "),
  )
  const counts = Object.values(toLevels(sections)).map((words) => words.split(" ").length)
  expect(counts).toEqual([65_000, 5000])
})

test("the server's attribute score identifies its level", () => {
  for (const level of LEVEL_NAMES.keys()) expect(levelOfScore((16 - level) / 16)).toBe(level)
})

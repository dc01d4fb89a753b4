import { expect, test } from "vitest"
import { dice, jaccard, overlap } from "./likeness.ts"

const PUMP = new Set(["pump", "water", "hose"])

test.each([
  { other: ["pump", "water", "hose"], jaccard: 1, dice: 1, overlap: 1 },
  { other: ["pump"], jaccard: 1 / 3, dice: 1 / 2, overlap: 1 },
  { other: ["pump", "mill", "wheat"], jaccard: 1 / 5, dice: 1 / 3, overlap: 1 / 3 },
  { other: ["mill"], jaccard: 0, dice: 0, overlap: 0 },
  { other: [], jaccard: 0, dice: 0, overlap: 0 },
])("similarity of a pump's terms and $other", ({ other, ...wanted }) => {
  const terms = new Set(other)
  for (const [a, b] of [
    [PUMP, terms],
    [terms, PUMP],
  ] as const)
    expect({ jaccard: jaccard(a, b), dice: dice(a, b), overlap: overlap(a, b) }).toEqual(wanted)
})

test("empty sets have nothing in common", () => {
  expect([jaccard, dice, overlap].map((like) => like(new Set(), new Set()))).toEqual([0, 0, 0])
})

import { expect, it } from "vitest"
import { areaUnderCurve, ndcg, recall, reciprocalRank } from "./metrics.ts"

it("gives full marks to the ideal order and less to any other", () => {
  expect(ndcg({ gains: [2, 1, 0], ideal: [1, 2] }, 10)).toBe(1)
  expect(ndcg({ gains: [0, 1], ideal: [1] }, 10)).toBeCloseTo(1 / Math.log2(3))
  expect(ndcg({ gains: [0, 1], ideal: [1] }, 1)).toBe(0)
})

it("counts what was found and how early", () => {
  expect(recall({ gains: [0, 1, 1], ideal: [1, 1, 1] }, 2)).toBeCloseTo(1 / 3)
  expect(reciprocalRank({ gains: [0, 0, 1], ideal: [1] })).toBeCloseTo(1 / 3)
  expect(reciprocalRank({ gains: [0], ideal: [1] })).toBe(0)
})

it("measures how well scores separate the relevant from the rest", () => {
  const scored = (...pairs: [number, boolean][]) => pairs.map(([score, relevant]) => ({ score, relevant }))
  expect(areaUnderCurve(scored([0.9, true], [0.1, false]))).toBe(1)
  expect(areaUnderCurve(scored([0.5, true], [0.5, false]))).toBe(0.5)
  expect(areaUnderCurve(scored([0.9, false], [0.5, true], [0.1, false]))).toBe(0.5)
})

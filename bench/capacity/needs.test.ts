import { expect, test } from "vitest"
import { type Measured, needsOf } from "./needs.ts"

const small: Measured = {
  engine: "one",
  passages: 100,
  pages: 10,
  loadCpuSeconds: 2,
  questionCpuMs: 10,
  memoryMb: 60,
  diskMb: 20,
}
const large: Measured = {
  ...small,
  passages: 10_000,
  loadCpuSeconds: 101,
  questionCpuMs: 20,
  memoryMb: 159,
  diskMb: 1010,
}

test("an index needs what one of the same size was measured to need", () => {
  for (const one of [small, large]) {
    const needs = needsOf([large, small], one.passages)
    for (const [what, value] of Object.entries(needs))
      expect(value).toBeCloseTo(one[what as keyof typeof needs])
  }
})

test("a larger index needs more, on the line through both measurements, and a question on their power curve", () => {
  const needs = needsOf([small, large], 1_000_000)
  expect(needs.diskMb).toBeCloseTo(100_010)
  expect(needs.memoryMb).toBeCloseTo(10_059)
  expect(needs.loadCpuSeconds).toBeCloseTo(10_001)
  expect(needs.questionCpuMs).toBeCloseTo(40)
})

test("with one measurement, everything grows in proportion except the question", () => {
  expect(needsOf([small], 1000)).toEqual({
    diskMb: 200,
    memoryMb: 600,
    loadCpuSeconds: 20,
    questionCpuMs: 10,
  })
})

test("without measurements there is no estimate", () => {
  expect(() => needsOf([], 1)).toThrow(RangeError)
})

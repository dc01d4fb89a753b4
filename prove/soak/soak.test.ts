import { expect, test } from "vitest"

import { chart } from "./chart.ts"
import { proof } from "./soak.ts"
import { slopeOf, trendOf } from "./trend.ts"

test("a short life of crawls, searches, research and watches is answered as it should be, and drawn", async () => {
  const { rows, faults, picture } = await proof.run({ scale: 0.0015, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  expect(rows.map(([what]) => what)).toEqual(
    expect.arrayContaining(["memory", "open files", "search, p95", "disk: the index"]),
  )
  expect(rows.find(([what]) => String(what).includes("largest tables"))?.[2]).toMatch(/^\w+ [\d.]+ MB, /)
  expect(picture?.svg).toContain("<polyline")
})

test("what grows is told from what only goes up and down", () => {
  const points = (of: (at: number) => number) =>
    Array.from({ length: 121 }, (_, at) => ({ at: at * 60, value: of(at) }))
  const growing = trendOf(
    points((at) => 100 + at),
    1 / 12,
  )
  expect(growing.first).toBeCloseTo(107.5, 0)
  expect(growing.end).toBeCloseTo(217.5, 0)
  expect(growing.slope).toBeCloseTo(60)
  // What rises at the beginning alone is no growth.
  const settling = trendOf(
    points((at) => Math.min(at * 20, 100)),
    1 / 12,
  )
  expect([settling.first, settling.end, settling.slope]).toEqual([100, 100, 0])
  expect(
    Math.abs(
      trendOf(
        points((at) => 100 + (at % 2)),
        1 / 12,
      ).slope,
    ),
  ).toBeLessThan(1)
  expect(slopeOf([])).toBe(0)
})

test("each curve has its own scale, and begins at zero", () => {
  const svg = chart([
    {
      name: "memory",
      show: (value) => `${value} MB`,
      points: [
        { at: 0, value: 0 },
        { at: 600, value: 400 },
      ],
    },
    {
      name: "threads",
      show: String,
      points: [
        { at: 0, value: 7 },
        { at: 600, value: 7 },
      ],
    },
  ])
  expect(svg).toContain(">400 MB<")
  expect(svg).toContain(">10 min<")
  expect(svg.match(/<polyline/g)).toHaveLength(2)
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"

import { chart } from "./chart.ts"
import { EMPTY, partsOf } from "./parts.ts"
import { proof } from "./soak.ts"
import { slopeOf, trendOf } from "./trend.ts"

test("a short life of crawls, searches, research and watches gives the expected answers and a chart", async () => {
  const { rows, faults, picture } = await proof.run({ scale: 0.0007, seed: 1, tell: () => {} })
  expect(faults).toEqual([])
  expect(rows.map(([what]) => what)).toEqual(
    expect.arrayContaining([
      "memory",
      "open files",
      "search, p95",
      "disk: the index",
      "disk: everything else, after an hour",
    ]),
  )
  expect(rows.filter(([what]) => String(what).startsWith("fastest-growing part"))).toHaveLength(3)
  const told = Object.fromEntries(rows.map(([what, , end]) => [what, end]))
  expect(told["watch messages received, and changes in them"]).toMatch(/^[1-9]\d*, [1-9]\d*$/)
  expect(told["pages rendered in a browser"]).toMatch(/^([1-9]\d*|none: no browser is installed)$/)
  expect(picture?.svg).toContain("<polyline")
})

test("disk use is split into tables, free space and other files, without the index", () => {
  const folder = mkdtempSync(join(tmpdir(), "fossick-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "index"))
  writeFileSync(join(folder, "index/pages.db"), "much")
  mkdirSync(join(folder, "images"))
  writeFileSync(join(folder, "images/a"), "picture")
  {
    using db = new DatabaseSync(join(folder, "state.db"))
    db.exec(
      "create table kept (text text); create index kept_text on kept (text); create table gone (text text)",
    )
    for (const table of ["kept", "gone"])
      db.exec(`insert into ${table} select hex(randomblob(50000)) from json_each('[0,0,0,0]')`)
    db.exec("drop table gone")
  }
  const parts = Object.fromEntries(partsOf(folder).map(({ name, bytes }) => [name, bytes]))
  expect(Object.keys(parts).sort()).toEqual([EMPTY, "images", "kept"])
  expect(parts["images"]).toBe(7)
  expect(parts[EMPTY]).toBeGreaterThan(300_000)
  expect(parts["kept"]).toBeGreaterThan(800_000)
})

test("steady growth is distinguished from fluctuation", () => {
  const points = (of: (at: number) => number) =>
    Array.from({ length: 121 }, (_, at) => ({ at: at * 60, value: of(at) }))
  const growing = trendOf(
    points((at) => 100 + at),
    1 / 12,
  )
  expect(growing.first).toBeCloseTo(107.5, 0)
  expect(growing.end).toBeCloseTo(217.5, 0)
  expect(growing.slope).toBeCloseTo(60)
  // A rise only at the beginning isn't growth.
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

import { expect, test } from "vitest"
import { counted, joined, tried } from "./mutants.ts"
import { ROOMS } from "./rooms.ts"
import type { Mutant } from "./stryker.ts"

test("A few mutants of a small room are caught by its tests, except those already judged", async () => {
  const room = ROOMS.filter(({ name }) => name === "base/text")
  const { rows, faults } = await tried({ scale: 0.08, seed: 5, tell: () => {} }, room)
  expect(faults).toEqual([])
  const [[name, lines, mutants, killed]] = rows as [[string, string, number, number]]
  expect([name, lines]).toEqual(["base/text", "8.0 %"])
  expect(mutants).toBeGreaterThan(5)
  expect(killed).toBeGreaterThan(mutants / 2)
})

test("Judged mutants count neither as caught nor as missed", () => {
  const mutant = (status: Mutant["status"], line: string): Mutant => ({
    file: "base/a.ts",
    lineNumber: 3,
    line,
    mutator: "EqualityOperator",
    replacement: "a <= b",
    status,
  })
  const all = [
    mutant("Killed", "k"),
    mutant("Timeout", "t"),
    mutant("Survived", "a < b"),
    mutant("NoCoverage", "n"),
  ]
  const judged = [{ file: "base/a.ts", line: "a < b", mutator: "EqualityOperator", why: "the same" }]
  expect(counted(all, judged).row).toEqual([4, 1, 1, 1, 1, 1, "66.6 %"])
  expect(counted(all, []).row.at(-1)).toBe("50.0 %")
  // Another change to that line was not judged.
  const other = [{ ...judged[0]!, replacement: "a >= b" }]
  expect(counted(all, other).open).toHaveLength(2)
})

test("A run of some rooms replaces only their rows, and the totals cover all rows", () => {
  const text = ["base/text", "all", 10, 8, 1, 1, 0, 0, "90.0 %"]
  const before = [
    ["base/flow", "all", "5", "2", "0", "2", "1", "1", "50.0 %"],
    ["base/text", "20.0 %", "4", "1", "0", "3", "0", "0", "25.0 %"],
    ["base/left-long-ago", "all", "9", "9", "0", "0", "0", "0", "100.0 %"],
    ["total", "", "18", "12", "0", "5", "1", "1", "70.5 %"],
  ]
  expect(joined(before, [text])).toEqual([before[0], text, ["total", "", 15, 10, 1, 3, 1, 1, "78.5 %"]])
  expect(joined([], [text])).toEqual([text, ["total", "", 10, 8, 1, 1, 0, 0, "90.0 %"]])
})

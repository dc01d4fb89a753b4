import { expect, test } from "vitest"
import { counted, tried } from "./mutants.ts"
import { ROOMS } from "./rooms.ts"
import type { Mutant } from "./stryker.ts"

test("A few mutants of a small room are noticed by its tests, but for those that were judged", async () => {
  const room = ROOMS.filter(({ name }) => name === "base/text")
  const { rows, faults } = await tried({ scale: 0.15, seed: 5, tell: () => {} }, room)
  expect(faults).toEqual([])
  const [[name, mutants, killed]] = rows as [[string, number, number]]
  expect(name).toBe("base/text")
  expect(mutants).toBeGreaterThan(5)
  expect(killed).toBeGreaterThan(mutants / 2)
})

test("Mutants that were judged count neither as noticed nor against it", () => {
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
  expect(counted("base", all, judged).row).toEqual(["base", 4, 1, 1, 1, 1, 1, "66.6 %"])
  expect(counted("base", all, []).row.at(-1)).toBe("50.0 %")
  // Another change of that line was not judged.
  const other = [{ ...judged[0]!, replacement: "a >= b" }]
  expect(counted("base", all, other).open).toHaveLength(2)
})

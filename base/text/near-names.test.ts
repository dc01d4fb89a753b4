import * as fc from "fast-check"
import { expect, test } from "vitest"
import { didYouMean, nearNames } from "./near-names.ts"

test.each([
  ["dcos", ["docs", "wiki"], ["docs"]],
  ["FOSSICK_ALOWED_NETWORKS", ["FOSSICK_PORT", "FOSSICK_ALLOWED_NETWORKS"], ["FOSSICK_ALLOWED_NETWORKS"]],
  ["Wiki", ["wiki"], ["wiki"]],
  ["tickets", ["docs", "wiki"], []],
  ["doc", ["dock", "docs", "dogs"], ["dock", "docs"]],
  ["", ["docs"], []],
  // One wrong letter is allowed in a short name, and a third of the letters in a longer one.
  ["a", ["b", "ab", "abc"], ["ab", "b"]],
  ["schedules", ["shcedulez", "sch"], ["shcedulez"]],
  ["schedule", ["cshedluxx"], []],
  // The three nearest names, nearest first, then by name.
  ["dogs", ["zogs", "dog", "dogs", "hogs", "cogs"], ["dogs", "cogs", "dog"]],
  ["dogs", ["hogs", "doges", "dags"], ["dags", "doges", "hogs"]],
])("suggestions for %s from %j are: %j", (name, known, near) => {
  expect(nearNames(name, known)).toEqual(near)
})

test("ends the sentence with a suggestion, or with nothing if no name is near", () => {
  expect(didYouMean("dcos", ["docs", "wiki"])).toBe('; did you mean "docs"?')
  expect(didYouMean("tickets", ["docs", "wiki"])).toBe("")
})

test("suggests all near names, ignoring their common prefix", () => {
  expect(didYouMean("docs", ["dock", "dots"])).toBe('; did you mean "dock" or "dots"?')
  expect(didYouMean("FOSSICK_PROT", ["FOSSICK_PORT", "PROT", "FOSSICK_HOST"], "FOSSICK_")).toBe(
    '; did you mean "FOSSICK_PORT"?',
  )
  // A name that begins differently is not suggested.
  expect(didYouMean("FOSSICK_PORTS", ["MACHINE_PORT"], "FOSSICK_")).toBe("")
})

/** Follows the definition: optimal string alignment, without a table. */
function naive(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length
  const [restA, restB] = [a.slice(1), b.slice(1)]
  const swapped = a[0] === b[1] && a[1] === b[0] && a.length > 1 && b.length > 1
  return Math.min(
    naive(restA, restB) + (a[0] === b[0] ? 0 : 1),
    naive(restA, b) + 1,
    naive(a, restB) + 1,
    swapped ? naive(a.slice(2), b.slice(2)) + 1 : Infinity,
  )
}

test("counts typing errors as the definition does", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 })
  fc.assert(
    fc.property(name, name, (wanted, other) => {
      const limit = Math.max(1, Math.floor(wanted.length / 3))
      expect(nearNames(wanted, [other])).toEqual(naive(wanted, other) <= limit ? [other] : [])
    }),
    { numRuns: 300 },
  )
})

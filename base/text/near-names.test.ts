import { expect, test } from "vitest"
import { didYouMean, nearNames } from "./near-names.ts"

test.each([
  ["dcos", ["docs", "wiki"], ["docs"]],
  ["FOSSICK_ALOWED_NETWORKS", ["FOSSICK_PORT", "FOSSICK_ALLOWED_NETWORKS"], ["FOSSICK_ALLOWED_NETWORKS"]],
  ["Wiki", ["wiki"], ["wiki"]],
  ["tickets", ["docs", "wiki"], []],
  ["doc", ["dock", "docs", "dogs"], ["dock", "docs"]],
  ["", ["docs"], []],
])("%s is near to those of %j that somebody may have meant: %j", (name, known, near) => {
  expect(nearNames(name, known)).toEqual(near)
})

test("says it as the end of a sentence, and nothing where nothing is near", () => {
  expect(didYouMean("dcos", ["docs", "wiki"])).toBe('; did you mean "docs"?')
  expect(didYouMean("tickets", ["docs", "wiki"])).toBe("")
})

import * as fc from "fast-check"
import { expect, test } from "vitest"

import { lineDiff } from "./line-diff.ts"

test("a difference is written as git writes it", () => {
  const before = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
  const after = before.map((line) => (line === "five" ? "FIVE" : line))
  expect(lineDiff(before.join("\n"), after.join("\n"))).toBe(
    [
      "--- previous",
      "+++ current",
      "@@ -2,7 +2,7 @@",
      " two",
      " three",
      " four",
      "-five",
      "+FIVE",
      " six",
      " seven",
      " eight",
    ].join("\n"),
  )
  expect(lineDiff("same", "same")).toBe("")
})

test("what is gone and what is new lead from one text to the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join("\n"), after.join("\n")).split("\n").slice(2)
      const of = (signs: string) =>
        lines.filter((line) => signs.includes(line[0] ?? "@")).map((line) => line.slice(1))
      // Short enough texts that their hunks, put together, hold all that is not far from a change.
      const isPart = (part: readonly string[], whole: readonly string[]) => {
        let at = 0
        for (const one of whole) if (one === part[at]) at += 1
        return at === part.length
      }
      expect(isPart(of("- "), before)).toBe(true)
      expect(isPart(of("+ "), after)).toBe(true)
      const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
      expect(count("+") - count("-")).toBe(after.length - before.length)
    }),
  )
})

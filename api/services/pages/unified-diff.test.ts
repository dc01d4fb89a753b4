import * as fc from "fast-check"
import { expect, test } from "vitest"

import { unifiedDiff } from "./unified-diff.ts"

test("a diff is written in git's format", () => {
  const before = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
  const after = before.map((line) => (line === "five" ? "FIVE" : line))
  expect(unifiedDiff(before.join("\n"), after.join("\n"))).toBe(
    ["@@ -2,7 +2,7 @@", " two", " three", " four", "-five", "+FIVE", " six", " seven", " eight"].join("\n"),
  )
  expect(unifiedDiff("same", "same")).toBe("")
})

test("removals and additions turn one text into the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = unifiedDiff(before.join("\n"), after.join("\n")).split("\n")
      const of = (signs: string) =>
        lines.filter((line) => signs.includes(line[0] ?? "@")).map((line) => line.slice(1))
      // The texts are short enough that their hunks together contain everything near a change.
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

test("a change of more than 500 lines is shown as one removal and addition between the common ends", () => {
  const text = (word: string) => [
    "head",
    "a",
    "b",
    "c",
    ...Array.from({ length: 300 }, (_, at) => `${word} ${at}`),
    "foot",
  ]
  const lines = unifiedDiff(text("old").join("\n"), text("new").join("\n")).split("\n")
  expect(lines.slice(0, 5)).toEqual(["@@ -2,304 +2,304 @@", " a", " b", " c", "-old 0"])
  expect(lines.slice(-2)).toEqual(["+new 299", " foot"])
  expect([lines.filter((line) => line.startsWith("-")).length, lines.length]).toEqual([300, 605])
})

test("a line break at the end makes no difference", () => {
  expect(unifiedDiff("a\nb", "a\nb\n")).toBe("")
  expect(unifiedDiff("a\nb\n", "a\nc")).toBe("@@ -1,2 +1,2 @@\n a\n-b\n+c")
})

import { describe, expect, test } from "vitest"
import { isDangling } from "./dangling.ts"

describe("a sentence that depends on the one before", () => {
  test.each([
    "It was founded in 1993.",
    "This is faster.",
    "However, it leaks.",
    "In addition, seals wear out.",
    "So it stops.",
    "It is used to move water.",
    "Both are heavy.",
    "(This is a compromise.)",
  ])("%s", (sentence) => {
    expect(isDangling(sentence)).toBe(true)
  })

  test.each([
    "It is critical that you close the valve.",
    "It is not possible to open it.",
    "It can be useful to have a spare seal.",
    "In addition to seals, hoses wear out.",
    "So far nobody has complained.",
    "Instead of oil, use water.",
    "As a result of frost, pipes burst.",
    "Both pumps and mills are heavy.",
    "This chapter describes pumps.",
    "There are two valves.",
  ])("is not: %s", (sentence) => {
    expect(isDangling(sentence)).toBe(false)
  })
})

import { describe, expect, it, test } from "vitest"
import { nearestTerms } from "./typos.ts"

const index = new Map([
  ["kubernet", 5],
  ["garden", 9],
  ["harden", 20],
  ["warden", 1],
  ["pardon", 3],
  ["commission", 2],
  ["собака", 4],
  ["cat", 7],
])
const nearest = (term: string) => nearestTerms(term, (known) => index.get(known) ?? 0)

describe("a misspelt term", () => {
  test.each([
    ["kubernt", "left out"],
    ["kuberneet", "added"],
    ["kubarnet", "another"],
    ["kubenret", "swapped"],
    ["ubernet", "the first one"],
  ])("%s stands for the one that is a letter away: %s", (term) => {
    expect(nearest(term)).toEqual(["kubernet"])
  })

  it("stands for the most frequent first", () => {
    expect(nearest("xarden")).toEqual(["harden", "garden", "warden"])
  })

  it("of eight letters may be two letters away, one of them a usual slip", () => {
    expect(nearest("comission")).toEqual(["commission"])
    expect(nearest("comision")).toEqual(["commission"])
    expect(nearest("kubrenetx")).toEqual(["kubernet"])
    expect(nearest("gadrenx")).toEqual([])
  })

  it("stands for terms of its own script", () => {
    expect(nearest("сабака")).toEqual(["собака"])
  })

  it("stands for none when it is short, holds digits or signs, or nothing is near", () => {
    for (const term of ["cot", "garde1", "gar.den", "東京都東京都", "zzzzzzzzzz", "", "x".repeat(5000)])
      expect(nearest(term)).toEqual([])
  })
})

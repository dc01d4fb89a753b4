import { describe, expect, it, test } from "vitest"
import { stemmerOf } from "../analysis/stem.ts"
import { nearbyTerms, nearestTerms, isSlipOf, usualSpelling } from "./typos.ts"

const index = new Map([
  ["kubernet", 5],
  ["garden", 9],
  ["harden", 20],
  ["warden", 1],
  ["pardon", 3],
  ["commission", 2],
  ["собака", 4],
  ["cat", 7],
  ["credenti", 6],
  ["mod_rewrite", 2],
  ["utfs", 3],
])
/** The words here are their own stems, except `credentials`. */
const stem = (word: string) => (word === "credentials" ? "credenti" : word)
const nearest = (word: string) =>
  nearestTerms(
    word,
    stem,
    (known) => index.get(known) ?? 0,
    async () => undefined,
  )

describe("a misspelled term", () => {
  test.each([
    ["kubernt", "left out"],
    ["kuberneet", "added"],
    ["kubarnet", "another"],
    ["kubenret", "swapped"],
    ["ubernet", "the first one"],
  ])("%s is corrected to the one a letter away: %s", async (term) => {
    expect(await nearest(term)).toEqual(["kubernet"])
  })

  it("is corrected to the most frequent one first", async () => {
    expect(await nearest("xarden")).toEqual(["harden", "garden", "warden"])
  })

  it("of eight letters can be two letters away, one of them a common typo", async () => {
    expect(await nearest("comission")).toEqual(["commission"])
    expect(await nearest("comision")).toEqual(["commission"])
    expect(await nearest("kubrenetx")).toEqual(["kubernet"])
    expect(await nearest("gadrenx")).toEqual([])
  })

  it("is corrected before stemming, since stems may be far apart", async () => {
    expect(await nearest("credntials")).toEqual(["credenti"])
  })

  it("is corrected within its script", async () => {
    expect(await nearest("сабака")).toEqual(["собака"])
  })

  it("that is a name is corrected in its letters only", async () => {
    expect(await nearest("mod_rewirte")).toEqual(["mod_rewrite"])
    for (const name of ["utf8", "modrewrite", "mod.rewrite"]) expect(await nearest(name)).toEqual([])
  })

  it("is not corrected when it is short, has other digits or symbols, or has nothing near it", async () => {
    for (const term of ["cot", "garde1", "gar.den", "東京都東京都", "zzzzzzzzzz", "", "x".repeat(5000)])
      expect(await nearest(term)).toEqual([])
  })
})

describe("a term that may be a typo of another one", () => {
  test.each([
    ["severenc", "severanc", "another vowel"],
    ["vaccum", "vacuum", "a consonant doubled instead of a vowel"],
    ["accomod", "accommod", "a double letter written once"],
    ["suppport", "support", "a letter doubled"],
    ["varibl", "variabl", "a vowel left out"],
    ["maxmimum", "maximum", "a letter too many, one of two that are the same"],
    ["filesytem", "filesystem", "a consonant left out beside its like"],
    ["apahce", "apache", "two letters swapped"],
  ])("%s for %s: %s", (slip, usual) => {
    expect(isSlipOf(slip, usual)).toBe(true)
  })

  test.each([
    ["sharding", "sharing", "another consonant"],
    ["ccache", "cache", "the first letter doubled"],
    ["buildd", "build", "the last letter doubled"],
    ["mobile", "mobila", "another last letter"],
    ["cost", "coast", "a short word"],
    ["auto_vaccum", "auto_vacuum", "a name with joints"],
    ["utf888", "utf88", "a name with digits"],
    ["vacuum", "vacuum", "itself"],
  ])("but not %s for %s: %s", (term, other) => {
    expect(isSlipOf(term, other)).toBe(false)
  })
})

test("a typo's usual spelling is the most frequent one that is frequent enough", () => {
  const counts = new Map([
    ["support", 300],
    ["suppert", 40],
    ["sumport", 900],
  ])
  const usual = (least: number) => usualSpelling("suport", (term) => counts.get(term) ?? 0, least)
  expect(usual(100)).toBe("support")
  expect(usual(301)).toBeUndefined()
})

describe("an index with its own typo search", () => {
  const near = (word: string) => nearbyTerms(word, stemmerOf("en"), 3, async () => undefined)

  it("is asked for terms near the word and its stem, and for those far from both", async () => {
    const { around, besides } = await near("credntials")
    expect(around).toEqual(["credntial", "credntials"])
    expect(besides).toContain("credenti")
    expect(besides).not.toContain("crdential")
  })

  it("is asked for no extra terms when all are near", async () => {
    expect(await near("stahs")).toEqual({ around: ["stah", "stahs"], besides: [] })
  })

  it("is asked for all extra terms when the word is too short for its search", async () => {
    const { around, besides } = await nearbyTerms("hoks", stemmerOf("en"), 4, async () => undefined)
    expect(around).toEqual(["hoks"])
    expect(besides).toContain("hook")
    expect((await near("hoks")).besides).not.toContain("hook")
  })

  it("is asked for nothing when a word is never corrected", async () => {
    for (const word of ["cot", "東京都東京都", "x".repeat(5000)])
      expect(await near(word)).toEqual({ around: [], besides: [] })
  })
})

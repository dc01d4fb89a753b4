import { describe, expect, it } from "vitest"
import { termsOf } from "../../text/analysis/known-chunks.ts"
import { packTerms, unpackTerms } from "../../text/passage-terms.ts"
import { type WeightedWord, wordEvidenceFor } from "./word-evidence.ts"

const word = (term: string, idf: number): WeightedWord => ({ terms: [term], idf, asked: idf })
const RARE = word("rare", 6)
const COMMON = word("common", 1)
const split = (text: string) => text.split(" ").filter(Boolean)

interface Given {
  readonly title?: string
  readonly address?: string
  readonly single?: readonly string[]
}

function evidence(
  passages: readonly string[],
  words = [RARE, COMMON],
  { title = "", address = "", single = [] }: Given = {},
) {
  const page = {
    title: split(title),
    address: split(address),
    single: single.map(split),
    passages: passages.map((text) => ({ headings: [], text: termsOf(split(text)) })),
  }
  return wordEvidenceFor(words)(unpackTerms(packTerms(page)))
}
const share = (...given: Parameters<typeof evidence>) => evidence(...given).share
const filler = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `f${from + i}`).join(" ")

describe("a page's evidence", () => {
  const VERSION = word("3.1", 5)

  it("lists each word, wherever it appears", () => {
    expect([...evidence(["a rare b"]).held]).toEqual([1, 0])
    expect([...evidence(["a b"], [RARE, COMMON], { title: "common" }).held]).toEqual([0, 1])
    expect([...evidence(["a b"], [RARE, COMMON], { address: "rare" }).held]).toEqual([1, 0])
    expect([...evidence([]).held]).toEqual([0, 0])
  })

  it("shows whether numbers in the question are missing, all or some", () => {
    const lacks = (text: string, ...numbers: WeightedWord[]) =>
      evidence([text], [RARE, ...numbers]).lacksNumbers
    expect(lacks("rare 3.1", VERSION)).toBe(0)
    expect(lacks("rare", VERSION)).toBe(1)
    expect(lacks("rare 3.1", VERSION, word("utf8", 4))).toBe(0.5)
    expect(lacks("a b")).toBe(0)
  })
})

describe("a page's words", () => {
  it("count according to their rarity", () => {
    const [rare, common, both] = ["a rare b", "a common b", "rare a common"].map((text) => share([text]))
    expect(both).toBeGreaterThan(rare!)
    expect(rare).toBeGreaterThan(4 * common!)
    expect(share(["a b c"])).toBe(0)
  })

  it("count the same when each character is a term and begins another", () => {
    const terms = (text: string) => Array.from(text).flatMap((one, i, all) => [one, one + (all[i + 1] ?? "")])
    const rest = String.fromCodePoint(...Array.from({ length: 150 }, (_, i) => 0x5000 + i))
    const chinese = share([terms(`配额${rest}`).join(" ")], [word("配额", 6)])
    const english = share([`quota ${filler(99)}`], [word("quota", 6)])
    expect(Math.abs(chinese - english)).toBeLessThan(0.02)
    // The score is the same if the word is misspelt and one of its corrections is in another script.
    const either = { terms: ["配额", "quota"], idf: 6, asked: 6 }
    expect(share([terms(`配额${rest}`).join(" ")], [either])).toBe(chinese)
  })

  it("count for more the more often they occur in a shorter text, and never for more than all", () => {
    expect(share(["rare rare b"])).toBeGreaterThan(share(["rare a b"]))
    expect(share([`rare ${filler(200)}`])).toBeLessThan(share(["rare a b"]))
    const all = share(["rare common ".repeat(500)], [RARE, COMMON], {
      title: "rare common",
      single: ["rare common"],
    })
    expect(all).toBeLessThanOrEqual(1)
  })

  it("count for as much in one section of a manual as on their own page", () => {
    const section = Array.from(
      { length: 6 },
      (_, i) => `${i === 2 ? "rare common " : ""}${filler(85, i * 100)}`,
    )
    const others = Array.from({ length: 240 }, (_, i) => filler(85, 1000 + i * 100))
    expect(share([...others, ...section, ...others])).toBeCloseTo(share(section), 2)
    // The same holds if the word is only in the first passage of the section.
    const begun = [`rare ${filler(84)}`, "", "", "", "", ""]
    expect(share([...others.slice(0, 3), ...begun])).toBeCloseTo(share(begun), 12)
  })

  it("count for more together in a section than far apart", () => {
    const others = Array.from({ length: 30 }, (_, i) => filler(85, i * 100))
    expect(share(["rare a common", ...others])).toBeGreaterThan(share(["rare", ...others, "common"]))
  })

  it("count for more next to each other, in their order", () => {
    const [beside, apart, reversed] = ["rare common a a", "rare a a common", "common rare a a"].map((text) =>
      share([text]),
    )
    expect(beside).toBeGreaterThan(apart!)
    expect(reversed).toBe(apart)
    // It doesn't matter which passage the words are in.
    expect(share(["b", "rare common a a", "b"])).toBeCloseTo(share(["rare common a a", "b", "b"]), 12)
  })

  it("count for more in a title, and most in a name made up of them alone", () => {
    const text = ["rare common a b c"]
    const plain = share(text)
    const titled = share(text, [RARE, COMMON], { title: "rare common and others too" })
    expect(titled).toBeGreaterThan(plain)
    const part = share(text, [RARE, COMMON], { single: ["rare common and others too"] })
    const whole = share(text, [RARE, COMMON], { single: ["other", "rare common"] })
    expect(part).toBeGreaterThan(plain)
    expect(whole).toBeGreaterThan(part)
  })

  it("in a title count for no more when they stand over short sections without them", () => {
    const full = Array.from({ length: 6 }, (_, i) => filler(120, i * 1000))
    const short = Array.from({ length: 6 }, () => "")
    const holding = full.with(0, `rare ${filler(119, 9000)}`)
    const of = (passages: readonly string[]) => share(passages, [RARE], { title: "rare" })
    // The page's best section begins with the last three of the short passages.
    expect(of([...full, ...short, ...holding, ...short])).toBeCloseTo(
      of([...short.slice(0, 3), ...holding]),
      12,
    )
  })

  it("find a page by its address alone", () => {
    expect(share(["a b c"], [RARE], { address: "docs rare" })).toBeGreaterThan(0)
  })

  it("count for less when misspelled than the words they stand for", () => {
    const misspelt: WeightedWord = { terms: ["rare", "rate"], idf: 6, asked: 8 }
    expect(share(["a rare b"], [misspelt])).toBeGreaterThan(0)
    expect(share(["a rate b"], [misspelt])).toBe(share(["a rare b"], [misspelt]))
    expect(share(["a rare b"], [misspelt])).toBeLessThan(share(["a rare b"], [RARE]))
  })

  it("stay with their passage, including empty passages", () => {
    expect([...evidence(["", "rare", ""]).passages].map((value) => value > 0)).toEqual([false, true, false])
    expect([...evidence([]).passages]).toEqual([])
  })

  it("count for nothing without words in the question", () => {
    expect(evidence(["rare"], [])).toMatchObject({ share: 0, passages: Float64Array.of(0) })
  })
})

describe("a passage's evidence", () => {
  it("stays high for a word that occurs more often than the counter can count", () => {
    const often = (times: number) => evidence(["rare ".repeat(times).trim()]).passages[0]!
    expect(often(65_535)).toBeGreaterThan(0)
    expect(often(65_536)).toBeCloseTo(often(65_535), 3)
  })

  it("counts two adjacent words once, however often they occur", () => {
    const three = [word("one", 3), word("two", 2), word("three", 1)]
    const pairs = (text: string) => share([text], three)
    const gap = "x y z"
    // Each word occurs equally often in both texts, and the texts have the same length.
    const twice = pairs(`one two ${gap} one two ${gap} three x`)
    const once = pairs(`one two ${gap} one x two ${gap} three`)
    expect(twice).toBeCloseTo(once, 12)
  })
})

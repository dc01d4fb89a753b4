import { expect, test } from "vitest"
import { parseQueryText } from "../text/query-text.ts"
import { analyseInLanguages, cutOtherwise, rareStems, withStemsOf, wordsWith } from "./query-terms.ts"

const analysed = (text: string, ...languages: string[]) => analyseInLanguages(parseQueryText(text), languages)

test("a word whose stems differ by language is one word with several forms", () => {
  expect(analysed("mod_rewrite", "en", "ru").forms).toEqual([["mod_rewrite"], ["mod"], ["rewrit", "rewrite"]])
  expect(analysed("mod_rewrite", "en").forms).toEqual([["mod_rewrite"], ["mod"], ["rewrit"]])
})

test("a word counts as its most frequent form, and a misspelled one as its candidates, below the correct word", () => {
  const idf = (term: string) => ({ rewrit: 2, rewrite: 6, garden: 3, harden: 4 })[term] ?? 9
  const forms = [["rewrit", "rewrite"], ["gardn"]]
  expect(wordsWith({ forms, times: new Map() }, new Map([["gardn", ["garden", "harden"]]]), idf)).toEqual([
    { terms: ["rewrit", "rewrite"], idf: 2, asked: 2 },
    { terms: ["garden", "harden"], idf: 3, asked: 9 },
  ])
})

test("a typo found on a page counts as its usual spelling, in a page and in the bound", () => {
  const idf = (term: string) => ({ vacuum: 3, vaccum: 7 })[term] ?? 9
  const corrections = new Map([["vaccum", ["vacuum", "vaccum"]]])
  expect(wordsWith({ forms: [["vaccum"]], times: new Map() }, corrections, idf)).toEqual([
    { terms: ["vacuum", "vaccum"], idf: 3, asked: 3 },
  ])
})

test("a repeated word in a question weighs more, but less than proportionally", () => {
  const question = "Which pumps move water, and how does a pump that moves hot water differ from other pumps?"
  const weights = new Map(
    wordsWith(analysed(question, "en"), new Map(), () => 1).map(({ terms, idf, asked }) => [
      terms[0],
      [idf, asked],
    ]),
  )
  expect(weights.get("differ")).toEqual([1, 1])
  const [twice, thrice] = [weights.get("water")![0]!, weights.get("pump")![0]!]
  expect(twice).toBeGreaterThan(1.5)
  expect(twice).toBeLessThan(2)
  expect(thrice).toBeGreaterThan(twice)
  expect(thrice).toBeLessThan(3)
})

test("words are also searched with the stems of rarer languages, which say nothing about misspellings", () => {
  const asked = analysed("paper lantern festivals", "en")
  expect(asked.terms).toEqual(["paper", "lantern", "festiv"])
  const german = [
    ["paper", "pap"],
    ["lantern", "lant"],
    ["festiv", "festival"],
  ]
  expect(withStemsOf(asked, "de")).toEqual(german)
  const found = rareStems(new Map([["de", german]]), new Map([["de", 0.01]]), (term) =>
    term === "pap" ? 4.6 : 2,
  )
  expect(found).toEqual(["pap"])
  const corrections = new Map([["lantern", ["lanterns"]]])
  const words = wordsWith({ forms: [["lantern", "lanter"]], times: new Map() }, corrections, () => 1)
  expect(words).toEqual([{ terms: ["lanterns", "lanter"], idf: 1, asked: 1 }])
})

test("stems a question's words again only for languages with their own stemmer", () => {
  // Esperanto and Persian have no stemmer of their own and are stemmed like English.
  expect(cutOtherwise(["en", "de", "eo", "fa", "fr"], ["en"])).toEqual(["de", "fr"])
  expect(cutOtherwise(["en", "de", "eo"], ["de"])).toEqual(["en", "eo"])
})

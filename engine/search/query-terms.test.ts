import { expect, test } from "vitest"
import { parseQueryText } from "../text/query-text.ts"
import { analyseInLanguages, wordsWith } from "./query-terms.ts"

const analysed = (text: string, ...languages: string[]) => analyseInLanguages(parseQueryText(text), languages)

test("a word whose stems differ by language is one word with several forms", () => {
  expect(analysed("mod_rewrite", "en", "ru").forms).toEqual([["mod_rewrite"], ["mod"], ["rewrit", "rewrite"]])
  expect(analysed("mod_rewrite", "en").forms).toEqual([["mod_rewrite"], ["mod"], ["rewrit"]])
})

test("a word counts as its most frequent form, and a misspelt one as what it may stand for, below the right word", () => {
  const idf = (term: string) => ({ rewrit: 2, rewrite: 6, garden: 3, harden: 4 })[term] ?? 9
  const forms = [["rewrit", "rewrite"], ["gardn"]]
  expect(wordsWith(forms, new Map([["gardn", ["garden", "harden"]]]), idf)).toEqual([
    { terms: ["rewrit", "rewrite"], idf: 2, asked: 2 },
    { terms: ["garden", "harden"], idf: 3, asked: 9 },
  ])
})

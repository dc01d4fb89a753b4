import { expect, test } from "vitest"
import { likeliest } from "./likeliest.ts"

const found = {
  lexical: new Map([
    ["words", 8],
    ["both", 6],
    ["phrase", 4],
  ]),
  cosines: new Map([
    ["both", new Map([[0, 0.6]])],
    ["near", new Map([[3, 0.7]])],
  ]),
}
const ids = ["near", "words", "both", "phrase"]
const none = new Set<string>()

test("pages are ordered by both arms together, with the quoted phrase first", () => {
  const holders = new Set(["phrase"])
  expect(likeliest(ids, { ...found, holders, waiting: none })).toEqual(["phrase", "both", "words", "near"])
})

test("a page waiting for vectors is not placed behind those that have them", () => {
  expect(likeliest(ids, { ...found, holders: none, waiting: new Set(["words"]) })[0]).toBe("words")
  expect(likeliest(ids, { ...found, holders: none, waiting: none })[0]).toBe("both")
})

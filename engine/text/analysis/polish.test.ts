import { expect, test } from "vitest"
import { analyse } from "./analyse.ts"
import { polish } from "./polish.ts"

test.each([
  [
    "tenses and persons",
    "czyt",
    ["czytać", "czytasz", "czytamy", "czytają", "czytał", "czytałyśmy", "czytaj"],
  ],
  ["would", "czyt", ["czytałbym", "czytałbyś", "czytaliby", "czytalibyśmy"]],
  ["participles", "czyt", ["czytając", "czytający", "czytająca", "czytających"]],
  ["a verb whose stem has sz for s", "nos", ["nosić", "noszę", "noszą", "noszący", "noszące"]],
  ["adjectives", "now", ["nowy", "nowa", "nowe", "nowego", "nowemu", "nowym", "nowej", "nowych", "nowymi"]],
  ["comparatives", "lep", ["lepszy", "lepsza", "lepszą", "lepszych"]],
  ["feminine nouns", "książk", ["książka", "książki", "książkę", "książką", "książkom", "książkach"]],
  ["masculine nouns", "stoł", ["stołu", "stołowi", "stołem", "stoły", "stołów", "stołami"]],
])("%s share a stem", (_, stem, words) => {
  expect(words.map(polish)).toEqual(words.map(() => stem))
})

test.each([
  ["być", "być"],
  ["byłeś", "był"],
  ["byliśmy", "byl"],
  ["by", "by"],
  ["oko", "ok"],
  ["las", "las"],
  ["lasu", "las"],
  ["masą", "mas"],
  ["a", "a"],
  ["", ""],
])("the short word %s becomes %s", (word, stem) => {
  expect(polish(word)).toBe(stem)
})

test("a Polish page is indexed with these stems, without accents", () => {
  expect(analyse("Książkami w Łodzi", "pl")).toEqual(["ksiazk", "w", "lodz"])
})

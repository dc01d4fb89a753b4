import { expect, test } from "vitest"
import { readBy } from "./reader-language.ts"

const LANGUAGES = ["en", "de", "fr", "es", "ru", "uk", "zh", "ja", "el"]
const read = (question: string) => LANGUAGES.filter(readBy(question))

test.each([
  ["how is the proxy set?", ["en"]],
  ["wie wird der Proxy eingestellt?", ["de"]],
  ["comment configurer le serveur pour les images", ["fr"]],
  ["¿cómo se cambia el puerto?", ["es"]],
])("the function words of a question tell its language: %s", (question, languages) => {
  expect(read(question)).toEqual(languages)
})

test.each([
  ["mod_rewrite", ["en", "de", "fr", "es"]],
  ["FATAL: role does not exist", ["en"]],
  ["nginx", ["en", "de", "fr", "es"]],
  ["настройка прокси", ["ru", "uk"]],
  ["設定", ["zh", "ja"]],
  ["プロキシの設定", ["ja"]],
  ["5432", LANGUAGES],
])("else its script tells those that may be read: %s", (question, languages) => {
  expect(read(question)).toEqual(languages)
})

test("function words of several languages tell none", () => {
  expect(read("die")).toEqual(["en", "de", "fr", "es"])
})

import { expect, test } from "vitest"
import { clearlyIn, languagesAsked, readBy } from "./reader-language.ts"

const LANGUAGES = ["en", "de", "fr", "es", "ru", "uk", "zh", "ja", "el"]
const read = (question: string) => LANGUAGES.filter(readBy(question))

test.each([
  ["how is the proxy set?", ["en"]],
  ["wie wird der Proxy eingestellt?", ["de"]],
  ["comment configurer le serveur pour les images", ["fr"]],
  ["¿cómo se cambia el puerto?", ["es"]],
])("a question's function words show its language: %s", (question, languages) => {
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
])("otherwise its script shows the possible languages: %s", (question, languages) => {
  expect(read(question)).toEqual(languages)
})

test("function words shared by several languages show all of them", () => {
  expect(read("die")).toEqual(["en", "de", "fr", "es"])
})

test.each([
  ["name based virtual hosts", ["en", "de"]],
  ["how is the proxy set?", ["en", "de"]],
  ["comment configurer le serveur pour les images", ["en", "de", "fr"]],
  ["настройка прокси", ["ru"]],
  ["настройка mod_rewrite", ["en", "de", "ru"]],
  ["5432", ["en", "de"]],
])("a question is read in the languages of many pages, and in its own: %s", (question, languages) => {
  const shares = new Map(Object.entries({ en: 0.9, de: 0.04, fr: 0.01, ru: 0.01, hi: 0.01 }))
  expect(languagesAsked(question, shares)).toEqual(languages)
})

test("a question is read in all languages when none has many pages, and in none when no page has a known language", () => {
  const few = Array.from({ length: 60 }, (_, i): [string, number] => [`l${i}`, 1 / 60])
  expect(languagesAsked("name based virtual hosts", new Map(few))).toHaveLength(60)
  expect(languagesAsked("name based virtual hosts", new Map([["en", 0]]))).toEqual(["en"])
  expect(languagesAsked("name based virtual hosts", new Map())).toEqual([])
})

test.each([
  ["how is the proxy set?", ["en"]],
  ["Wie wird der Proxy eingestellt und warum?", ["de"]],
  ["¿Qué cantó Lady Gaga?", ["es"]],
  ["Super Bowl XLIX'i kim kazanmıştır?", ["tr"]],
  ["ai là người đứng đầu", ["vi"]],
  ["προσθήκη κανόνα iptables", ["el"]],
  ["磁盘配额", ["zh", "ja"]],
  ["プロキシの設定", ["ja"]],
])("a question is clearly in the language of its function words or its script: %s", (question, languages) => {
  expect(clearlyIn(question)).toEqual(languages)
})

test.each([
  "nginx",
  "die hard",
  "los angeles",
  "Museo del Prado de Madrid",
  "van der Waals equation",
  "what does 道 mean in English",
  "Kim Il-sung",
  "wie die",
  "5432",
  "",
])("names, and words shared by several languages, are clearly in no language but English: %s", (question) => {
  expect(clearlyIn(question).filter((one) => one !== "en")).toEqual([])
})

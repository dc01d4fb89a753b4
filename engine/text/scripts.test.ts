import { expect, test } from "vitest"
import { isWrittenIn, scriptOf } from "./scripts.ts"

test.each([
  ["how do I mount a disk?", true],
  ["jak zmenšit oddíl", true],
  ["磁盘配额", false],
  ["ディスクの容量を制限する", false],
  ["как ограничить место на диске", false],
  ["grep 如何只显示文件名", false],
  ["what does 漢字 mean in a file name", true],
  ["5432 → 8080", true],
  ["", true],
])("%j is written in Latin letters: %j", (text, expected) => {
  expect(isWrittenIn(["Latin"], text)).toBe(expected)
})

test("a model that reads several scripts reads text that mixes them", () => {
  expect(isWrittenIn(["Latin", "Han", "Hiragana", "Katakana"], "サーバーの nginx 設定")).toBe(true)
  expect(isWrittenIn(["Latin", "Han", "Hiragana", "Katakana"], "настройка")).toBe(false)
  expect(isWrittenIn(null, "настройка")).toBe(true)
})

test.each([
  ["en", "Latin"],
  ["de-AT", "Latin"],
  ["ja", "Hiragana"],
  ["zh", "Han"],
  ["ru", "Cyrillic"],
])("%s is written in %s", (language, script) => {
  expect(scriptOf(language)).toBe(script)
})

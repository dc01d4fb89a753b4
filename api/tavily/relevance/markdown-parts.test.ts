import { expect, test } from "vitest"

import { toPlainText } from "#crawler/page/extract/markdown/plain-text.ts"

import { formatContent } from "../present.ts"
import { markdownParts } from "./markdown-parts.ts"

test("a short text is one part", () => {
  expect([...markdownParts("# One\n\nTwo.\n")]).toEqual(["# One\n\nTwo.\n"])
  expect([...markdownParts("")]).toEqual([])
})

test("parts end at blank lines, never within code, and join to the whole", () => {
  const code = "```ts\nlet a\n\nlet b\n```\n"
  const text = `One.\nTwo.\n\n${code}\nThree.\n\nFour.`
  const parts = [...markdownParts(text, 5)]
  expect(parts).toEqual(["One.\nTwo.\n\n", `${code}\n`, "Three.\n\n", "Four."])
  expect(parts.join("")).toBe(text)
})

test("a text without blank lines is one part, however long", () => {
  const text = "word\n".repeat(1000)
  expect([...markdownParts(text, 10)]).toEqual([text])
})

test("a page of many parts becomes the text that it would become whole", async () => {
  const section =
    "## Pumps\n\nA **pump** moves [water](https://a.example/).\n\n```sh\npump on\n\npump off\n```\n\n- one\n- two\n\n"
  const page = section.repeat(2000)
  expect([...markdownParts(page)].length).toBeGreaterThan(2)
  expect(await formatContent(page, "text")).toBe(toPlainText(page))
})

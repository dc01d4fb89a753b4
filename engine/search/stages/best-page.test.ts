import { describe, expect, test } from "vitest"

import { toPassages } from "../../text/passages.ts"
import { onBestPage } from "./best-page.ts"

const MARKDOWN = "# Hose\n\nThe hose is of rubber.\n\n# Seals\n\nA seal that leaks is replaced."
const [PASSAGE] = toPassages(MARKDOWN, [
  [0, "page=7", "v"],
  [4, "page=8", "vi"],
]) as [ReturnType<typeof toPassages>[number]]

const placeOf = (question: string, passage = PASSAGE) => {
  const { anchor, page, beginsUnder } = onBestPage(passage, question, "en")
  return [page, anchor, beginsUnder]
}

describe("a passage that spans two pages", () => {
  test("is placed on the one that matches more of the question, in any word form", () => {
    expect(placeOf("rubber hoses")).toEqual(["v", "page=7", "Hose"])
    expect(placeOf("replacing a leaking seal")).toEqual(["vi", "page=8", undefined])
    expect(placeOf("replace the rubber seal")).toEqual(["vi", "page=8", undefined])
    expect(onBestPage(PASSAGE, "seal", "en").text).toBe(PASSAGE.text)
  })

  test("is placed on both when neither matches more", () => {
    for (const question of ["rubber seal", "motor", ""])
      expect(placeOf(question)).toEqual(["v–vi", "page=7", "Hose"])
  })
})

test("a passage on one page, or on none, keeps its place", () => {
  const [one] = toPassages("A seal.", [[0, "", "3"]])
  expect(placeOf("seal", one)).toEqual(["3", undefined, undefined])
  const [none] = toPassages("A seal.")
  expect(onBestPage(none!, "seal", "en")).toEqual({ text: "A seal.", headings: [] })
})

import { describe, expect, test } from "vitest"
import { snippetsOf } from "./snippets.ts"

const textsOf = (passages: Parameters<typeof snippetsOf>[0]) => snippetsOf(passages).map(({ text }) => text)
const passage = (position: number, text: string) => ({ position, text, headings: [] })

describe("a result's snippet", () => {
  test("is in the order of the page, whichever passage is best", () => {
    expect(textsOf([passage(7, "Then bake it."), passage(2, "First knead the dough.")])).toEqual([
      "First knead the dough.",
      "Then bake it.",
    ])
  })

  test("leaves out captions and questions about the page", () => {
    const text = "Figure 3.1. A loaf of bread\nKnead for ten minutes.\nWas this page helpful?\nYes / No"
    expect(textsOf([passage(0, text), passage(1, "Table 2: Flours and their ash")])).toEqual([
      "Knead for ten minutes.",
    ])
  })

  test("is the caption when there is nothing else", () => {
    expect(textsOf([passage(0, "Figure 1: Rye")])).toEqual(["Figure 1: Rye"])
    expect(textsOf([])).toEqual([])
  })

  test("shows code and tables unchanged, whatever their lines look like", () => {
    const shown =
      "Run:\n```sh\nprint this page\n```\n\n| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |\nPrint this page"
    expect(textsOf([{ ...passage(0, "Run:\nprint this page"), shown }])).toEqual([
      shown.slice(0, shown.lastIndexOf("\n")),
    ])
  })

  test("keeps sentences about tables and figures", () => {
    const text = "Table 4 lists the flours.\nThis page helps bakers."
    expect(textsOf([passage(0, text)])).toEqual([text])
  })
})

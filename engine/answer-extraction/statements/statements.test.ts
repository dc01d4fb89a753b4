import { describe, expect, test } from "vitest"
import { statementsOf } from "./statements.ts"

const statements = (markdown: string, passages: string[] = []) =>
  statementsOf(
    {
      title: "Page",
      markdown,
      language: "en",
      passages: passages.map((text, position) => ({ text, headings: ["Section"], position })),
    },
    0,
    () => true,
  )
const texts = (markdown: string) => statements(markdown).map(({ text }) => text)

describe("what a page states", () => {
  test("sentences without marks, and never a heading glued to them", () => {
    expect(
      texts(
        "# Big\n\n## Use *it* now\n\nA **pump** moves `water`. See [seals](http://x.test/s).\n\n- Seals wear out first",
      ),
    ).toEqual(["A pump moves water.", "Seals wear out first"])
  })

  test("each knows the headings above it, bold lines among them", () => {
    const found = statements(
      "# Big\n\n## Small\n\n**(1) Why is it blue?**\n\nThe sky scatters light.\n\n## Next\n\nGrass is green too.",
    )
    expect(found.map(({ headings }) => headings)).toEqual([
      ["Page", "Big", "Small", "(1) Why is it blue?"],
      ["Page", "Big", "Next"],
    ])
  })

  test("a sentence that announces code takes it along", () => {
    expect(texts("Copy the folder like this:\n\n```sh\ncp -r a b\nls\n```\n")).toContain(
      "Copy the folder like this:\ncp -r a b\nls",
    )
  })

  test("rows of a table, without the names of its columns", () => {
    expect(
      texts("| setting | default |\n|---|---|\n| `PORT` number | 8080 |\n| `HOST` name | localhost |"),
    ).toEqual(["PORT number | 8080", "HOST name | localhost"])
  })

  test("no question, no scrap, no reference, nothing struck out", () => {
    expect(
      texts(
        "Is it fast?\n\nMore\n\nis the same as saying that.\n\nSee the manual for details.\n\n~~It is not possible to open it.~~ Pumps open well.",
      ),
    ).toEqual(["Pumps open well."])
  })

  test("one that leans on the one before says so", () => {
    const [first, second, third] = statements("The pump is old. However, it works well. Seals are new.")
    expect([first!.dangling, second!.dangling, third!.dangling]).toEqual([false, true, false])
    expect(second!.before).toBe(first)
  })

  test("of a page without text, or with far too much, its passages", () => {
    const passage = "The pump moves water."
    for (const markdown of ["", "word ".repeat(50_000)]) {
      const [only, ...others] = statements(markdown, [passage])
      expect(only).toMatchObject({ text: passage, headings: ["Page", "Section"], rank: 0 })
      expect(others).toEqual([])
    }
  })
})

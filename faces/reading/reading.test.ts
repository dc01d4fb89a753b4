import type { Tokens } from "marked"
import { describe, expect, test } from "vitest"

import { formulaEnd } from "#engine/text/markdown/formula-end.ts"

import { findPassage } from "./find-passage.ts"
import { reader } from "./formulas.ts"
import { extractOf, passageBlocks } from "./passages/passage-blocks.ts"
import { safeLink } from "./safe-link.ts"
import { stretchesOf, wantedWords } from "./words.ts"

const inGold = (text: string, question: string) =>
  stretchesOf(text, wantedWords(question))
    .map(({ text: one, isWanted }) => (isWanted ? `[${one}]` : one))
    .join("")

test("a question's words are highlighted, in other forms too, and common words are not", () => {
  expect(inGold("To schedule a crawl, the crawler crawls.", "how do I schedule a crawl?")).toBe(
    "To [schedule] a [crawl], the [crawler] [crawls].",
  )
  expect(inGold("Das Café der Städte", "cafe stadte")).toBe("Das [Café] der [Städte]")
  expect(inGold("node.js 24", "node.js")).toBe("[node.js] 24")
})

test("highlighting keeps the whole text, whatever it contains", () => {
  for (const text of ["", "  ", "<b>pump</b> & pump", "pump's 泵 pump–pump\n\npump"]) {
    expect(
      stretchesOf(text, wantedWords("pump"))
        .map((one) => one.text)
        .join(""),
    ).toBe(text)
  }
})

describe("a passage", () => {
  const blocks = [
    "Install",
    "Download the package, then run the installer as an administrator.",
    "Wait until it says that it is ready, and open the page.",
    "Remove",
    "Run the installer again with remove.",
  ]
  test("is found in the block that contains it", () => {
    expect(findPassage(blocks, "run the installer as an administrator")).toEqual(new Set([1]))
  })
  test("is found in all blocks that it spans", () => {
    const passage = `${blocks[1]} ${blocks[2]}`
    expect(findPassage(blocks, passage)).toEqual(new Set([1, 2]))
  })
  test("with small differences is found where most of its words are", () => {
    expect(findPassage(blocks, "the installer, run again with: remove …")).toEqual(new Set([4]))
  })
  test("made of a heading and part of a block is found in that block, not in the heading", () => {
    const page = ["Repair of the installer", "First of all: make a backup. Then run it with the word repair."]
    expect(findPassage(page, "Repair of the installer Then run it with the word repair.")).toEqual(
      new Set([1]),
    )
  })
  test("with a distant heading is found where most of its words are", () => {
    const page = ["Repair of the installer", "One.", "Two.", "Three.", "Then run it with the word repair."]
    expect(findPassage(page, `${page[0]} ${page[4]}`)).toEqual(new Set([4]))
  })
  test("that is missing marks nothing", () => {
    expect(findPassage(blocks, "apples and pears in the garden of the abbey")).toEqual(new Set())
    expect(findPassage(blocks, "")).toEqual(new Set())
  })
})

describe("a passage of a result", () => {
  test("has text, code and tables", () => {
    const text =
      "Write:\n```ini\nListen 80\n\n| no | row |\n```\n| Name | Port |\n|---|---|\n| a\\|b |  |\n\nThen start.\n- it\n2. once"
    expect(passageBlocks(text)).toEqual([
      { kind: "words", text: "Write:" },
      { kind: "code", text: "Listen 80\n\n| no | row |" },
      { kind: "table", names: ["Name", "Port"], rows: [["a|b", ""]] },
      { kind: "words", text: "Then start." },
      { kind: "list", items: ["- it", "2. once"] },
    ])
  })
  test("is plain text when it only begins like code or a table", () => {
    for (const text of ["```ini\nListen 80", "| a | b |\n| c | d |", "|---|\nx", "```"])
      expect(passageBlocks(text)).toEqual([{ kind: "words", text }])
  })
  test("has a table without column names when they are empty", () => {
    expect(passageBlocks("|  |  |\n|---|---|\n| a | b |")).toEqual([
      { kind: "table", names: [], rows: [["a", "b"]] },
    ])
  })
  test("shows the lines with most of the question's words when space is short", () => {
    const lines = ["pump on", "wait", "seal in", "seal the pump", "end"]
    const of = (most: number) => extractOf(lines, most, wantedWords("pump seal"), (line) => line)
    expect(of(2)).toEqual({ shown: ["seal in", "seal the pump"], isCutBefore: true, isCutAfter: true })
    expect(of(9)).toEqual({ shown: lines, isCutBefore: false, isCutAfter: false })
    expect(extractOf(lines, 2, new Set(), (line) => line).shown).toEqual(["pump on", "wait"])
  })
})

test("formulas in a stored copy stay unchanged, by the same rule as in the index", () => {
  for (const text of [
    "$$x_1 = \\{a, b\\} \\\\ y_1$$",
    "$a*b*c$ and $a_1 * b_1$",
    "$5 a month and $9 a year",
    "a$b$",
    "$a$b",
    "$ a $",
    "$a $",
    "$\\$$",
    "$$$",
  ]) {
    const found = (reader.lexer(text)[0] as Tokens.Paragraph).tokens.find(({ type }) => type === "formula")
    const at = text.indexOf("$")
    const end = formulaEnd(text, at)
    expect([text, found?.raw]).toEqual([text, end === -1 ? undefined : text.slice(at, end)])
  }
  const formulasIn = (text: string) => {
    const found: string[] = []
    void reader.walkTokens(reader.lexer(text), ({ type, raw }) => {
      if (type === "formula") found.push(raw)
    })
    return found
  }
  expect(formulasIn("*Let $a*b$ be* **that** of \\$5, `$*`, $x_i$")).toEqual(["$a*b$", "$x_i$"])
  expect(formulasIn("| x | $a \\| b$ |\n|---|---|\n| $a_1 * b_1$ | $\\{ \\}$ |")).toEqual([
    "$a | b$",
    "$a_1 * b_1$",
    "$\\{ \\}$",
  ])
})

test("only web and mail addresses become links", () => {
  const base = "https://example.com/docs/page"
  expect(safeLink("other", base)).toBe("https://example.com/docs/other")
  expect(safeLink("mailto:a@example.com", base)).toBe("mailto:a@example.com")
  for (const link of [
    "javascript:alert(1)",
    " JaVa\tScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:x",
    "http://",
  ]) {
    expect([link, safeLink(link, base)]).toEqual([link, null])
  }
})

import { describe, expect, test } from "vitest"
import { fileOf, headingsIn, read } from "../testing/read-page.ts"

test("a page of Doom Emacs keeps headings, tables, code and links, without markup", async () => {
  const page = await read("irc.org", fileOf("irc.org"))
  expect(page).toMatchObject({ title: ":app irc", description: "How neckbeards socialize" })
  expect(headingsIn(page).slice(0, 3)).toEqual(["## Description", "### Maintainers", "### Module flags"])
  expect(page.markdown).toContain("```nix\nenvironment.systemPackages = [ pkgs.gnutls ];\n```")
  expect(page.markdown).toContain("| command | key | description |\n| --- | --- | --- |")
  expect(page.links).toContainEqual(
    expect.objectContaining({ url: "https://www.gnutls.org/", text: "GnuTLS" }),
  )
  expect(page.markdown).not.toMatch(/#\+|\[\[|:unfold:|TODO|-\+-/)
})

const body = async (text: string) => (await read("a.org", `#+title: Pump guide\n${text}\n`)).markdown

describe("blocks", () => {
  test.each([
    [
      "properties, plans and comments are left out",
      "* DONE [#A] Task :tag:\nSCHEDULED: <2024-01-02 Tue>\n:PROPERTIES:\n:ID: x\n:END:\n# comment\nText.",
      "## Task\n\nText.",
    ],
    [
      "a commented headline goes with all below it",
      "* COMMENT Draft\nText.\n** More\n* Shown\nText.",
      "## Shown\n\nText.",
    ],
    [
      "code has its language and no commas of Org",
      "#+BEGIN_SRC emacs-lisp :results silent\n  ,* (a)\n  b\n#+END_SRC",
      "```emacs-lisp\n* (a)\nb\n```",
    ],
    ["lines behind a colon are code", ": a = 1\n:   b", "```\na = 1\n  b\n```"],
    ["lists in lists, with boxes and terms", "- [X] one\n  1. two\n- three", "- one\n  1. two\n- three"],
    ["terms", "- pump :: Moves /water/.", "**pump**\n\n: Moves *water*."],
    [
      "a table with rules and formulas",
      "| A | B |\n|---+---|\n| 1 | 2 |\n#+TBLFM: $2=2",
      "| A | B |\n| --- | --- |\n| 1 | 2 |",
    ],
    ["a quotation", "#+begin_quote\nWords.\n#+end_quote", "> Words."],
    ["what is exported to others is left out", "#+begin_export html\n<b>x</b>\n#+end_export\nText.", "Text."],
    ["a block that nothing ends is text", "#+begin_src sh\nText.", "Text."],
  ])("%s", async (_what, text, markdown) => {
    expect(await body(text)).toBe(markdown)
  })
})

test.each([
  ["*strong* /so/ =code= ~more~ +gone+ _under_", "**strong** *so* `code` `more` ~~gone~~ under"],
  [
    "[[https://a.example/][the *shop*]] and https://b.example/.",
    "[the **shop**](https://a.example/) and [https://b.example/](https://b.example/).",
  ],
  ["[[kbd:][C-c]], [[doom-package:circe]] and [[*Sizes]]", "C-c, circe and Sizes"],
  ["2*3*4 a/b/c snake_case_name", "2\\*3\\*4 a/b/c snake_case_name"],
  ["Of <2024-03-05 Tue 10:00 +1w> and [fn:1: a note]", "Of 2024-03-05 Tue 10:00 and (a note)"],
  ["a\\rarr{}b and {{{kbd(C-c\nC-x)}}}", "a→b and `C-c C-x`"],
])("%s", async (text, markdown) => {
  expect(await body(text)).toBe(markdown)
})

test("keywords above the text become metadata", async () => {
  const page = await read(
    "a.org",
    "#+TITLE: The /pump/ guide\n#+AUTHOR: Ann Lee\n#+DATE: <2024-03-05 Tue>\n#+LANGUAGE: de\n\nWort.\n",
  )
  expect(page).toMatchObject({ author: "Ann Lee", publishedAt: new Date("2024-03-05"), language: "de" })
  expect(page.title).toBe("The pump guide")
})

test("an include is not read, and code is not run", async () => {
  expect(await body(`#+INCLUDE: "${import.meta.filename}"\nText.\n#+CALL: evil()`)).toBe("Text.")
})

test("deep nesting and unclosed markup are processed in time", async () => {
  const deep = Array.from({ length: 400 }, (_, at) => `${" ".repeat(at)}- x`).join("\n")
  for (const text of [
    "#+begin_src\n".repeat(30_000),
    ":A:\n".repeat(30_000),
    "[[a][".repeat(40_000),
    " *a".repeat(60_000),
    "| ".repeat(60_000),
    deep,
  ])
    expect((await body(text)).length).toBeLessThan(text.length * 8 + 200_000)
})

import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import { MAX_SHOWN_CHARS, shownOf } from "../index/page/passage.ts"
import { toPassages } from "./passages.ts"

const shown = (markdown: string) => toPassages(markdown).map(shownOf)
const PARAGRAPH =
  "The pump has to stand below the water line, or it takes in air and runs dry within minutes."

describe("code shown in results", () => {
  test("has its lines between fences, with blank lines and without list indentation", () => {
    const page =
      "1. Write:\n\n   ```ini\n   Listen 80\n   Listen 8080\n\n   <VirtualHost *:80>\n     ServerName a\n   </VirtualHost>\n   ```"
    expect(shown(page)).toEqual([
      "1. Write:\n```ini\nListen 80\nListen 8080\n\n<VirtualHost *:80>\n  ServerName a\n</VirtualHost>\n```",
    ])
    expect(toPassages(page)[0]!.text).not.toContain("```")
  })

  test("has whole lines in each passage, each with its own fences", () => {
    const lines = Array.from({ length: 40 }, (_, n) => `create index by_column_${n} on orders (column_${n});`)
    const passages = shown(`\`\`\`sql\n${lines.join("\n")}\n\`\`\``)
    expect(passages.length).toBeGreaterThan(3)
    expect(passages.flatMap((text) => text.split("\n").slice(1, -1))).toEqual(lines)
    for (const text of passages) expect(text).toMatch(/^```(?:sql)?\n[^`]*\n```$/)
  })

  test("has longer fences when it contains fences", () => {
    expect(shown("````\n```js\na()\n```\n````")).toEqual(["````\n```js\na()\n```\n````"])
  })

  test("may also come from an indented block", () => {
    expect(shown(`${PARAGRAPH}\n\n    one\n      two`)).toEqual([`${PARAGRAPH}\n\`\`\`\none\n  two\n\`\`\``])
  })
})

describe("a table shown in results", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => `| E${n} | the job stopped for reason ${n} | no |`)
  const head = "| Code | Meaning | Again |\n| --- | --- | --- |"

  test("repeats its column names in each passage that continues it", () => {
    const passages = shown(`${head}\n${rows(28).join("\n")}\n\n${PARAGRAPH.slice(0, 30)}`)
    expect(passages.length).toBeGreaterThan(2)
    for (const text of passages) expect(text).toContain("| Code | Meaning | Again |\n|---|---|---|\n| E")
    expect(passages.flatMap((text) => text.match(/^\| E.*$/gm) ?? [])).toEqual(rows(28))
    expect(passages.at(-1)).toMatch(/no \|\n\nThe pump has to stand below th$/)
  })

  test("keeps empty cells, and escaped bars", () => {
    expect(shown("|  | Min | Max |\n|---|---|---|\n| `a\\|b` |  | 3 |")).toEqual([
      "|  | Min | Max |\n|---|---|---|\n| a\\|b |  | 3 |",
    ])
  })

  test("looks the same when its rows lack outer bars", () => {
    expect(
      shown(`${PARAGRAPH}\n\nName | Port | Use\n:--- | ---: | ---\nweb | 80 | pages\ndb | 5432 | rows`),
    ).toEqual([
      `${PARAGRAPH}\n| Name | Port | Use |\n|---|---|---|\n| web | 80 | pages |\n| db | 5432 | rows |`,
    ])
  })

  test("becomes a list when it has names and their values", () => {
    for (const [first, list] of [
      ["| Description: | Keeps connections |", "- Description: Keeps connections"],
      ["| Montag | 6:30 – 20:00 |", "- Montag: 6:30 – 20:00"],
      ["|  |  |\n|---|---|\n| Owner | root |", "- Owner: root"],
    ] as const) {
      const table = first.includes("---") ? first : `${first}\n| --- | --- |`
      expect(shown(`${table}\n| Default | \`On\\|Off\` |`)).toEqual([`${list}\n- Default: On|Off`])
    }
  })

  test("splits an overlong row between sentences, and repeats its name", () => {
    const long = "It waits until the pump has stopped before it closes the valve behind it. ".repeat(9)
    const [, first, second] = shown(`| Name | Type | Meaning |\n|---|---|---|\n| delay | number | ${long} |`)
    expect(first).toMatch(
      /^\| Name \| Type \| Meaning \|\n\|---\|---\|---\|\n\| delay \| number \| It waits.* it\. \|$/,
    )
    expect(second).toMatch(
      /^\| Name \| Type \| Meaning \|\n\|---\|---\|---\|\n\| delay \|  \| It waits.* it\. \|$/,
    )
  })

  test("never has column names alone", () => {
    const words = `${PARAGRAPH} `.repeat(5).slice(0, 470)
    const passages = shown(`${words}\n\n${head}\n${rows(2).join("\n")}`)
    expect(passages[0]).not.toContain("Code")
    expect(passages[1]).toContain("| Code | Meaning | Again |")
  })

  test("has shortened names when there are many columns", () => {
    const names = Array.from({ length: 8 }, (_, n) => `A rather long name of column ${n}`)
    const table = `| ${names.join(" | ")} |\n|${"---|".repeat(8)}\n`
    const body = Array.from({ length: 30 }, (_, n) => `|${` ${n}00 |`.repeat(8)}`).join("\n")
    const [, second] = shown(table + body)
    expect(second).toMatch(/^\| A rather long name… \| /)
  })
})

test("definitions are shown as a list below their terms", () => {
  expect(shown("**Parameters:**\n\n: `path` - the file\n\n: `mode` - r or w")).toEqual([
    "Parameters:\n- path - the file\n- mode - r or w",
  ])
})

test("plain text is shown as it is, and stored once", () => {
  expect(toPassages(`# A\n\n${PARAGRAPH}\n\n- one\n- two`)[0]).not.toHaveProperty("shown")
})

test("nothing shown exceeds the result limit, and every cell and code line is shown", () => {
  const word = fc.nat(99_999).map((n) => `w${n}`)
  const cell = fc.array(word, { maxLength: 40 }).map((words) => words.join(" "))
  const table = fc
    .array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
    .map(([names = [], ...body]) =>
      [names, names.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    )
  const code = fc.array(cell, { minLength: 1, maxLength: 30 }).map((lines) => `~~~\n${lines.join("\n")}\n~~~`)
  fc.assert(
    fc.property(fc.array(fc.oneof(table, code, cell), { maxLength: 6 }), (blocks) => {
      const markdown = blocks.join("\n\n")
      const all = shown(markdown)
      expect(all.filter((text) => text.length > MAX_SHOWN_CHARS)).toEqual([])
      const words = new Set(all.join(" ").match(/w\d+/g))
      expect((markdown.match(/w\d+/g) ?? []).filter((one) => !words.has(one))).toEqual([])
    }),
    madeUp(100),
  )
})

test("nested list items are indented, but searched without the indent", () => {
  const page =
    "- Fruit\n  - Apple\n    - Russet\n  - Pear\n- Roots\n\n1. Wash\n   - cold\n2. Peel\n\nWords.\n\n- Last"
  expect(shown(page)).toEqual([
    "- Fruit\n  - Apple\n    - Russet\n  - Pear\n- Roots\n1. Wash\n  - cold\n2. Peel\nWords.\n- Last",
  ])
  expect(toPassages(page)[0]!.text).not.toContain("  ")
  const deep = Array.from({ length: 400 }, (_, at) => `${" ".repeat(at * 2)}- item`).join("\n")
  for (const text of shown(deep)) expect(text.length).toBeLessThanOrEqual(MAX_SHOWN_CHARS)
})

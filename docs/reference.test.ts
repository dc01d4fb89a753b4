import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { crawlSchema, extractSchema, mapSchema, searchSchema } from "../api/doors/tavily/schema.ts"
import {
  deactivateKeysSchema,
  feedbackSchema,
  generateKeysSchema,
  logsSchema,
} from "../api/operator/usage/schema.ts"
import { readCommandLine } from "../command/program.ts"
import { MARKDOWN_ENDINGS } from "#crawler/page/text-formats.ts"
import { TEXT_FORMATS } from "#crawler/page/texts/registry.ts"
import { LEGACY_FORMATS } from "#crawler/page/formats/legacy-office.ts"
import { FORMATS } from "#crawler/page/formats/registry.ts"
import { SCOPES } from "#crawler/source.ts"

describe("the crawl page", () => {
  const page = read("crawl-a-site.md")

  test("explains every outcome, and no other", () => {
    const source = readFileSync(join(import.meta.dirname, "../crawler/outcome.ts"), "utf8")
    const members = (type: string) => {
      const [, union = ""] = source.split(`export type ${type} =`)
      return [...(union.split("\n\n")[0] ?? "").matchAll(/^ {2}\| "([\w-]+)"/gm)].map(
        (member) => member[1] ?? "",
      )
    }
    const expected = [
      "indexed",
      "unchanged",
      "postponed",
      ...members("SkipReason").map((reason) => `skipped: ${reason}`),
      ...members("FailureReason").map((reason) => `failed: ${reason}`),
    ]
    expect(expected).toContain("skipped: robots")
    expect(expected).toContain("failed: cancelled")
    expect(firstCells(page, "## Outcomes").flat().sort()).toEqual(expected.sort())
  })

  test("lists the command's options, with their defaults", async () => {
    const rows = rowsUnder(page, "## Options")
    const line = await readCommandLine(["crawl", "example.com"])
    if ("code" in line) throw new Error(line.err)
    const { scope, depth, limit } = line.given.options
    const given = Object.fromEntries(rows.map(([option = "", , value]) => [option, value]))
    expect(given["`--depth N`"]).toBe(depth)
    expect(given["`--limit N`"]).toBe(limit)
    expect(given[`\`--scope ${scope}\``]).toBe("yes")
    for (const one of SCOPES) expect(Object.keys(given)).toContain(`\`--scope ${one}\``)
    for (const option of Object.keys(given)) {
      const [flag = "", value] = option.replaceAll("`", "").split(" ")
      const argument = value === "N" ? "3" : value === "NAME" ? "docs" : value
      const args = ["crawl", "example.com", flag, ...(argument === undefined ? [] : [argument])]
      expect(await readCommandLine(args)).toHaveProperty("path", "crawl")
    }
  })
})

describe("the API pages", () => {
  const search = read("search-api.md")
  const live = read("extract-crawl-map-api.md")

  test.each([
    ["search", search, "## Parameters", searchSchema],
    ["extract", live, "## Extract", extractSchema],
    ["crawl", live, "## Crawl", crawlSchema],
  ])("list the parameters of %s, each once", (_, page, heading, schema) => {
    expect(firstCells(page, heading).flat().sort()).toEqual(Object.keys(schema.properties).sort())
  })

  test.each([
    ["logs", read("logs.md"), "## Which calls were made", logsSchema],
    ["feedback", read("logs.md"), "## Feedback", feedbackSchema],
    ["generate-keys", read("api-keys.md"), "## Keys over the API", generateKeysSchema],
  ])("list every parameter of %s, once", (_, page, heading, schema) => {
    expect(firstCells(page, heading).flat().sort()).toEqual(Object.keys(schema.properties).sort())
  })

  test("name the parameter of deactivate-keys", () => {
    const [, after = ""] = read("api-keys.md").split("`POST /deactivate-keys` with")
    expect(Object.keys(deactivateKeysSchema.properties)).toEqual([/`(\w+)`/.exec(after)?.[1]])
  })

  test("correctly list the crawl parameters that map lacks", () => {
    const [, named = ""] = /except those that concern content \(([^)]*)\)/s.exec(live) ?? []
    const without = [...named.matchAll(/`(\w+)`/g)].map((name) => name[1] ?? "")
    const both = new Set([...Object.keys(mapSchema.properties), ...without])
    expect([...both].sort()).toEqual(Object.keys(crawlSchema.properties).sort())
    expect(without.filter((name) => name in mapSchema.properties)).toEqual([])
  })
})

test("the page on file formats lists every document and text format with its extensions, and no other", () => {
  const rows = [...read("file-formats.md").matchAll(/^\| (.*?) \|/gm)]
    .map(([, cell = ""]) => codes(cell).filter((code) => /^\.\w+$/.test(code)))
    .filter((endings) => endings.length > 0)
  // Source code is described in a section of its own; APIs and images are recognised by their first bytes.
  const wanted = [...FORMATS, ...LEGACY_FORMATS, ...TEXT_FORMATS.filter(({ name }) => name !== "code")]
    .filter(({ extensions }) => extensions.length > 0)
    .map(({ extensions }) => extensions.map((ending) => `.${ending}`))
    .concat([MARKDOWN_ENDINGS.map((ending) => `.${ending}`)])
  const sorted = (all: string[][]) => all.map((endings) => endings.toSorted().join(" ")).toSorted()
  expect(sorted(rows)).toEqual(sorted(wanted))
})

function read(page: string): string {
  return readFileSync(join(import.meta.dirname, page), "utf8")
}

/** Cells of the rows of the first table below a heading. */
function rowsUnder(page: string, heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}`)
  const [, table = ""] = /\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(after) ?? []
  return table
    .trim()
    .split("\n")
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function firstCells(page: string, heading: string): string[][] {
  return rowsUnder(page, heading).map(([cell = ""]) => codes(cell))
}

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((code) => code[1] ?? "")
}

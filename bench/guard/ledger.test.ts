import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { allowedFor, LEDGER, newEntries, parseLedger } from "./ledger.ts"
import { LINES } from "./lines.ts"

const HEAD = `# Ledger

| date | commit | line | ratio | why |
|---|---|---|---|---|
`
const ROW = "| 2026-11-28 | 4066331f | crawl | 1.12 | formulas are read, which they were not |"
const parse = (rows: string) => parseLedger(`${HEAD}${rows}\n\nMore text.\n`, ["crawl", "rest"])

test("rows of the ledger are read", () => {
  expect(parse(ROW)).toEqual([
    {
      date: "2026-11-28",
      commit: "4066331f",
      line: "crawl",
      ratio: 1.12,
      why: "formulas are read, which they were not",
    },
  ])
  expect(parse("")).toEqual([])
})

test.each([
  ["no date", ROW.replace("2026-11-28", "yesterday"), "needs a date"],
  ["no commit", ROW.replace("4066331f", "HEAD"), "needs the commit"],
  ["an unknown line", ROW.replace("crawl", "crawling"), "names no line; there are crawl, rest"],
  ["no ratio", ROW.replace("1.12", "12 %"), "needs a ratio such as"],
  ["a ratio below 1", ROW.replace("1.12", "0.9"), "beyond 1"],
  ["no reason", ROW.replace(/formulas.*not/, ""), "needs a reason"],
  ["a column too few", ROW.replace("| 1.12 ", ""), "4 columns"],
])("a row with %s is refused with the reason", (_, row, why) => {
  expect(() => parse(row)).toThrow(why)
})

test("a ledger without its table is refused", () => {
  expect(() => parseLedger("# Ledger\n", ["crawl"])).toThrow("date, commit, line, ratio, why")
})

test("only the change's own rows raise a limit, each line's by the product of its ratios", () => {
  const old = parse(ROW)
  const now = parse(`${ROW}\n${ROW.replace("1.12", "1.10")}\n${ROW.replace("1.12", "1.20")}`)
  const added = newEntries(now, old)
  expect(added.map(({ ratio }) => ratio)).toEqual([1.1, 1.2])
  expect(allowedFor("crawl", added)).toBeCloseTo(1.05 * 1.1 * 1.2)
  expect(allowedFor("rest", added)).toBe(1.05)
})

test("the repository's own ledger can be read", () => {
  const text = readFileSync(join(import.meta.dirname, "../..", LEDGER), "utf8")
  expect(() => parseLedger(text, LINES)).not.toThrow()
})

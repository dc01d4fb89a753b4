import { MAX_SHOWN_CHARS } from "../index/page/passage.ts"
import type { Code, Table } from "./markdown/markdown-blocks.ts"

/** A line of a page's text, or what a cut leaves of it, and what it is part of. */
export interface Line {
  /** As it is embedded and searched, of a row with {@link CELL_END} between the cells. */
  readonly text: string
  readonly part?: Part
}

export interface Part {
  readonly of: Code | Table
  /** Of code the line, of a table the row, from 0. */
  readonly at: number
  /** Of a row: the cell in which the text begins, from 0. */
  readonly cell: number
  readonly isCut: boolean
}

/** Stands for the bar between two cells, for pages hold no such character. */
export const CELL_END = "\u001F"
/** More columns are no table that anyone reads in so few characters. */
const MAX_COLUMNS = 16
/** Characters for the names of the columns where a table goes on in another passage, and for each of them at least. */
const MAX_NAMES_CHARS = 160
const MIN_NAME_CHARS = 6
/** Characters of the cell that says what the rest of its row is about. */
const MAX_KEY_CHARS = 40
const LEFT_OUT = "…"
const FENCE = "```"
/** What a definition begins with, after its term. */
const DEFINITION = /^: /

/** The lines of one passage as results show them: code between fences, tables as markdown has them, definitions as a list. */
export function showLines(lines: readonly Line[]): string {
  const least = write(lines, false)
  if (lines.every(({ part }) => part === undefined)) return least
  const whole = write(lines, true)
  if (whole.length <= MAX_SHOWN_CHARS) return whole
  return least.length <= MAX_SHOWN_CHARS ? least : plain(lines)
}

/** Characters that they take at least when they are shown; 0 where they take none besides their own. */
export const shownLength = (lines: readonly Line[]): number =>
  lines.every(({ part }) => part === undefined) ? 0 : write(lines, false).length

/** A row's text with bars. */
export const withBars = (text: string): string => text.replaceAll(CELL_END, "|")

/** @param isWhole with what may be left out: the language of code and its blank lines */
function write(lines: readonly Line[], isWhole: boolean): string {
  const written: string[] = []
  for (let at = 0; at < lines.length;) {
    const of = lines[at]!.part?.of
    let end = at + 1
    while (end < lines.length && lines[end]!.part?.of === of) end++
    const some = lines.slice(at, end)
    if (of === undefined) written.push(...some.map(({ text }) => text.replace(DEFINITION, "- ")))
    else if ("lines" in of) written.push(codeBlock(of, some, isWhole))
    else written.push(...tableLines(of, some, some.length === lines.length))
    at = end
    // In markdown what comes right behind a row is one more.
    if (of !== undefined && !("lines" in of) && at < lines.length) written.push("")
  }
  const all = written.join("\n")
  // Whole, though it does not look like code or a row, is better than cut.
  const isWholeLine = lines.length === 1 && lines[0]!.part?.isCut !== true
  return isWholeLine && all.length > MAX_SHOWN_CHARS ? plain(lines) : all
}

const plain = (lines: readonly Line[]): string => withBars(lines.map(({ text }) => text).join("\n"))

function codeBlock({ language, lines }: Code, some: readonly Line[], isWhole: boolean): string {
  const body = some.flatMap(({ text, part }, i) => {
    const line = part!.isCut ? text : lines[part!.at]!
    const isAfterBlank = isWhole && i > 0 && lines[part!.at - 1] === ""
    return isAfterBlank ? ["", line] : [line]
  })
  let fence = FENCE
  while (body.some((line) => line.includes(fence))) fence += "`"
  return [fence + (isWhole ? language : ""), ...body, fence].join("\n")
}

function tableLines(table: Table, some: readonly Line[], isAll: boolean): string[] {
  if (table.columns === 1 || table.columns > MAX_COLUMNS) return some.map(({ text }) => withBars(text))
  const first = some[0]!.part!
  const hasNames = table.isHeaded && first.at === 0
  const rows = some.slice(hasNames && !first.isCut ? 1 : 0).map(cellsOf)
  // Names of columns without a row: the rows are in the passage behind, with these names.
  if (rows.length === 0 && !isAll) return []
  if (!table.isHeaded && table.columns === 2) return rows.map(pairLine)
  const names = table.isHeaded ? table.rows[0]! : Array.from({ length: table.columns }, () => "")
  const below = [`|${"---|".repeat(table.columns)}`, ...rows.map(rowLine)]
  if (hasNames) return [rowLine(names), ...below]
  // A row that fills a passage leaves what it leaves.
  const left = MAX_SHOWN_CHARS - below.join("\n").length - 3 * names.length - 2
  return [
    rowLine(shortened(names, rows.length === 1 ? Math.min(left, MAX_NAMES_CHARS) : MAX_NAMES_CHARS)),
    ...below,
  ]
}

/** The cells of a row; of one that is cut, with what its first cell says. */
function cellsOf({ text, part }: Line): string[] {
  const { of, at, cell, isCut } = part!
  const cells = text.split(CELL_END).map((one) => one.trim())
  if (!isCut || cell === 0) return cells
  const [key = ""] = (of as Table).rows[at]!
  const before = Array.from({ length: cell }, (_, i) => (i === 0 ? short(key, MAX_KEY_CHARS) : ""))
  return [...before, ...cells]
}

const rowLine = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("\n", " ").replaceAll("|", "\\|")).join(" | ")} |`

function pairLine([name = "", ...rest]: readonly string[]): string {
  const value = rest.join(" ")
  const isApart = name === "" || value === "" || /[:：?？=]$/u.test(name)
  return `- ${[name, value].filter((part) => part !== "").join(isApart ? " " : ": ")}`.replaceAll("\n", " ")
}

function shortened(names: readonly string[], chars: number): readonly string[] {
  const most = Math.max(MIN_NAME_CHARS, Math.floor(chars / names.length))
  const all = names.reduce((sum, name) => sum + name.length, 0)
  return all <= chars ? names : names.map((name) => short(name, most))
}

const short = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most - LEFT_OUT.length).trimEnd() + LEFT_OUT

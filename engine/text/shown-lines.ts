import { MAX_SHOWN_CHARS } from "../index/page/passage.ts"
import type { Code, Table } from "./markdown/markdown-blocks.ts"

/** A line of a page's text, or a part of one, with the code or table it comes from. */
export interface Line {
  /** The text that is embedded and searched; in a table row, {@link CELL_END} separates the cells. */
  readonly text: string
  readonly part?: Part
  /** On the first line of a list item: how many items enclose it. */
  readonly depth?: number
}

export interface Part {
  readonly of: Code | Table
  /** Index of the line in the code, or of the row in the table, from 0. */
  readonly at: number
  /** Index of the row's cell in which the text begins, from 0. */
  readonly cell: number
  readonly isCut: boolean
}

/** Separates two cells, since pages don't contain this character. */
export const CELL_END = "\u001F"
/** Maximum number of columns: with more, a table is unreadable in so few characters. */
const MAX_COLUMNS = 16
/** Maximum number of characters for column names when a passage continues a table, and the minimum that each name keeps. */
const MAX_NAMES_CHARS = 160
const MIN_NAME_CHARS = 6
/** Maximum number of characters from the first cell that are repeated when a passage continues its row. */
const MAX_KEY_CHARS = 40
const LEFT_OUT = "…"
const FENCE = "```"
/** Indentation before a list item, once for each item that encloses it. */
const INDENT = "  "
/** The mark before a definition. */
const DEFINITION = /^: /

/** The lines of one passage as results show them: code between fences, tables in markdown, definitions as a list. */
export function showLines(lines: readonly Line[]): string {
  const least = write(lines, false)
  if (lines.every(isPlain)) return least
  const whole = write(lines, true)
  if (whole.length <= MAX_SHOWN_CHARS) return whole
  return least.length <= MAX_SHOWN_CHARS ? least : plain(lines)
}

/** The minimum number of characters that lines take when shown; 0 when they have no code, table or nested list. */
export const shownLength = (lines: readonly Line[]): number =>
  lines.every(isPlain) ? 0 : write(lines, false).length

const isPlain = ({ part, depth }: Line): boolean => part === undefined && depth === undefined

/** A row's text with bars between its cells. */
export const withBars = (text: string): string => text.replaceAll(CELL_END, "|")

/** @param isWhole whether to include the language and blank lines of code */
function write(lines: readonly Line[], isWhole: boolean): string {
  const written: string[] = []
  for (let at = 0; at < lines.length;) {
    const of = lines[at]!.part?.of
    let end = at + 1
    while (end < lines.length && lines[end]!.part?.of === of) end++
    const some = lines.slice(at, end)
    if (of === undefined)
      written.push(
        ...some.map(({ text, depth = 0 }) => INDENT.repeat(depth) + text.replace(DEFINITION, "- ")),
      )
    else if ("lines" in of) written.push(codeBlock(of, some, isWhole))
    else written.push(...tableLines(of, some, some.length === lines.length))
    at = end
    // In markdown, a line directly after a row becomes another row.
    if (of !== undefined && !("lines" in of) && at < lines.length) written.push("")
  }
  const all = written.join("\n")
  // A whole line as plain text is better than a truncated one as code or a row.
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
  // Column names without rows: the next passage repeats the names above its rows.
  if (rows.length === 0 && !isAll) return []
  if (!table.isHeaded && table.columns === 2) return rows.map(pairLine)
  const names = table.isHeaded ? table.rows[0]! : Array.from({ length: table.columns }, () => "")
  const below = [`|${"---|".repeat(table.columns)}`, ...rows.map(rowLine)]
  if (hasNames) return [rowLine(names), ...below]
  // The column names get the space that the rows leave free.
  const left = MAX_SHOWN_CHARS - below.join("\n").length - 3 * names.length - 2
  return [
    rowLine(shortened(names, rows.length === 1 ? Math.min(left, MAX_NAMES_CHARS) : MAX_NAMES_CHARS)),
    ...below,
  ]
}

/** The cells of a row. A continued row repeats the start of its first cell. */
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

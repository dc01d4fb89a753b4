import { lineKey } from "./page-marks.ts"
import { spacedWords } from "./sentences.ts"

/** A row of a table, and its column names: `null` if the columns have no names, "prose" if the row has only one cell. */
export interface Row {
  readonly text: string
  readonly columns: string | null
}

/** The rows of a table that contain information; `null` if a block isn't a table. */
export function rowsOf(text: string, raw: readonly string[]): Row[] | null {
  const lines = text.split("\n")
  if (lines.length < 2 || !lines.every((line) => line.includes(" | "))) return null
  const table = raw.filter((line) => line.trim().startsWith("|"))
  const hasRule = /^[\s|:-]+$/.test(table[1] ?? "")
  const [first = ""] = lines.map(lineKey)
  const names = cellsOf(first)
  // If the first cell of each row says what the row is about, there is no header row.
  const named = hasRule && !isProperty(first) && names.length > 1
  const columns = named ? withoutEmptyCells(first) : null
  const drawn = table.filter((_, at) => !(hasRule && at === 1))
  return lines.flatMap((line, at): Row[] => {
    const row = lineKey(line)
    const cells = cellsOf(row)
    if (cells.length === 0 || isNavigation(drawn[at] ?? "")) return []
    if (cells.length === 1) return [{ text: cells[0]!, columns: "prose" }]
    if (named && at === 0) return []
    return [{ text: withoutEmptyCells(row), columns }]
  })
}

const cellsOf = (row: string): string[] => row.split("|").flatMap((cell) => cell.trim() || [])

const isProperty = (row: string): boolean => /^[^|]{1,40}[:：]\s*\|/u.test(row)

/** Whether a row has hardly any words outside links and images. */
function isNavigation(raw: string): boolean {
  const links = raw.match(/\[(?:!\[[^\]]*\]\([^)]*\)|[^[\]])*\]\([^)]*\)/g) ?? []
  if (links.length < 2) return false
  const outside = spacedWords(links.reduce((rest, link) => rest.replace(link, " "), raw))
  const inside = spacedWords(links.join(" ").replace(/\([^)]*\)/g, ""))
  return outside <= inside && outside < 6
}

/** Removes empty cells at both ends. */
const withoutEmptyCells = (row: string): string => row.replace(/^(?:\|\s*)+|(?:\s*\|)+$/g, "")

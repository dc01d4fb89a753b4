/** The maximum number of cells: more would add nothing to a search, and would take as long to process as a book. */
export const MAX_TABLE_CELLS = 100_000
/** The maximum number of columns; the rest are dropped. */
export const MAX_COLUMNS = 200
/** The length limit for one table: one text can be in many cells, and sparse rows are mostly empty cells. */
export const MAX_TABLE_CHARS = 5_000_000

/**
 * Writes rows of cells, each in inline markdown, as a table with the first row as its header. Rows and columns without
 * any text are left out, and so are rows beyond {@link MAX_TABLE_CHARS}; the result is empty if nothing is left.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""))
  const width = filled.reduce((max, row) => Math.max(max, Math.min(row.length, MAX_COLUMNS)), 0)
  const columns = Array.from({ length: width }, (_, at) => at).filter((at) =>
    filled.some((row) => (row[at] ?? "") !== ""),
  )
  if (filled.length === 0 || columns.length === 0) return ""
  const lines: string[] = []
  let chars = 0
  for (const row of filled) {
    const line = `| ${columns.map((at) => escapeCell(row[at] ?? "")).join(" | ")} |`
    chars += line.length
    if (chars > MAX_TABLE_CHARS) break
    lines.push(line)
  }
  if (lines.length === 0) return ""
  lines.splice(1, 0, `|${" --- |".repeat(columns.length)}`)
  return lines.join("\n")
}

function escapeCell(cell: string): string {
  return cell.replace(/\s*\n\s*/g, " ").replace(/(?<!\\)\|/g, "\\|")
}

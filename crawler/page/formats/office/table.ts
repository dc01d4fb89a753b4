/** More cells than this say no more to a searcher, and cost as much as a book. */
export const MAX_TABLE_CELLS = 100_000
/** Of those that come first. */
export const MAX_COLUMNS = 200

/**
 * Rows of cells, each inline markdown, as a table whose first row is the head. Rows and columns without any text are
 * left out; empty when nothing is left.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""))
  const width = filled.reduce((max, row) => Math.max(max, Math.min(row.length, MAX_COLUMNS)), 0)
  const columns = Array.from({ length: width }, (_, at) => at).filter((at) =>
    filled.some((row) => (row[at] ?? "") !== ""),
  )
  if (filled.length === 0 || columns.length === 0) return ""
  const lines = filled.map((row) => `| ${columns.map((at) => escapeCell(row[at] ?? "")).join(" | ")} |`)
  lines.splice(1, 0, `|${" --- |".repeat(columns.length)}`)
  return lines.join("\n")
}

function escapeCell(cell: string): string {
  return cell.replace(/\s*\n\s*/g, " ").replace(/(?<!\\)\|/g, "\\|")
}

const MAX_ROWS = 5000

/** Rows of cells, each as the lines of its text. `heads`: how many rows at the top contain column names. */
export interface RstTable {
  readonly rows: readonly (readonly (readonly string[])[])[]
  readonly heads: number
}

/** The table drawn with `+---+` and `|` that begins on a line, and the line after it; null if none begins there. */
export function gridTable(lines: readonly string[], from: number): { table: RstTable; end: number } | null {
  if (!/^\+(?:[-=]+\+)+\s*$/.test(lines[from]!)) return null
  let end = from
  while (end < lines.length && /^[+|]/.test(lines[end]!)) end++
  const grid = lines.slice(from, end)
  const edges = [...grid[0]!.matchAll(/\+/g)].map(({ index }) => index)
  const rows: string[][][] = []
  let heads = 0
  let row: string[][] | null = null
  for (const line of grid) {
    const isRule = /^[+|][-=+| ]*[-=]{2}[-=+|]*\s*$/.test(line) && line.startsWith("+")
    if (isRule) {
      if (row !== null) rows.push(row)
      if (line.startsWith("+=")) heads = rows.length
      row = null
      if (rows.length >= MAX_ROWS) break
      continue
    }
    row ??= edges.slice(1).map(() => [])
    // A cell that spans several columns has no bar where they meet.
    let start = edges[0]!
    let column = 0
    for (const [at, edge] of edges.slice(1).entries()) {
      const isEdge = line[edge] === "|" || line[edge] === "+" || at === edges.length - 2
      if (!isEdge) continue
      row[column]!.push(
        line
          .slice(start + 1, edge)
          .replace(/^ /, "")
          .trimEnd(),
      )
      start = edge
      column = at + 1
    }
  }
  if (row !== null) rows.push(row)
  return { table: { rows, heads }, end }
}

/** The table with columns below `===  ===` that begins on a line, and the line after it; null if none begins there. */
export function simpleTable(lines: readonly string[], from: number): { table: RstTable; end: number } | null {
  const RULE = /^=+(?: +=+)+\s*$/
  if (!RULE.test(lines[from]!)) return null
  const columns = [...lines[from]!.matchAll(/=+/g)].map(({ index }) => index)
  const rules: number[] = [from]
  let at = from + 1
  for (; at < lines.length && at - from < MAX_ROWS; at++) {
    if (!/^=+(?: +=+)*\s*$/.test(lines[at]!)) continue
    rules.push(at)
    // The table ends at the third rule, or at the second if no row follows it.
    if (rules.length === 3 || (lines[at + 1] ?? "").trim() === "") break
  }
  if (rules.length < 2) return null
  const end = rules.at(-1)!
  const rows: string[][][] = []
  let heads = 0
  for (let line = from + 1; line < end; line++) {
    const text = lines[line]!
    if (RULE.test(text)) {
      heads = rows.length
      continue
    }
    if (text.trim() === "" || /^-[- ]*$/.test(text)) continue
    const cells = columns.map((start, column) => text.slice(start, columns[column + 1]).trimEnd())
    // A row without text in the first column continues the row above.
    if (cells[0] === "" && rows.length > 0)
      for (const [column, cell] of cells.entries()) rows.at(-1)![column]!.push(cell)
    else rows.push(cells.map((cell) => [cell]))
  }
  return { table: { rows, heads }, end: end + 1 }
}

/** Reads lines of comma-separated values. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ""
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (isQuoted) {
      if (sign === '"' && text[at + 1] === '"') cell += text[++at]!
      else if (sign === '"') isQuoted = false
      else cell += sign
    } else if (sign === '"' && cell.trim() === "") {
      isQuoted = true
      cell = ""
    } else if (sign === "," || sign === "\n") {
      rows.at(-1)!.push(cell.trim())
      cell = ""
      if (sign === "\n") rows.push([])
    } else cell += sign
  }
  rows.at(-1)!.push(cell.trim())
  return rows.filter((row) => row.some((one) => one !== "")).slice(0, MAX_ROWS)
}

import { type Element, firstElement, walk } from "../html/tree.ts"
import { STRONG } from "./inline.ts"

/** A position in a table's grid, with its cell if it has one. */
export interface Place {
  readonly cell: Element | null
  /** Whether the cell begins in a row above. */
  readonly isRepeated: boolean
}

/** The maximum number of columns in which cells are placed; wider tables are for layout. */
const MAX_COLUMNS = 100
/** The number of positions that spans can fill per cell, so that a few cells over many rows need little more memory than the rows. */
const FILLED_PER_CELL = 10
const EMPTY: Place = { cell: null, isRepeated: false }

/**
 * The rows of a table with each cell in its column (WHATWG HTML §4.9.12). A cell that spans rows is in each of them; if
 * it spans columns, all but the first of these are empty. Empty positions at the end of a row are left out.
 */
export function inColumns(rows: readonly (readonly Element[])[]): Place[][] {
  const spans: { place: Place; left: number; columns: number }[] = []
  let room = rows.reduce((sum, row) => sum + row.length, 0) * FILLED_PER_CELL
  return rows.map((row, at) => {
    const places: Place[] = []
    const takeSpanned = (): void => {
      for (let span = spans[places.length]; span && span.left > 0 && room > 0; span = spans[places.length]) {
        span.left -= 1
        room -= span.columns
        places.push(span.place)
        for (let more = 1; more < span.columns; more++) places.push(EMPTY)
      }
    }
    for (const cell of row) {
      takeSpanned()
      const columns = Math.max(1, Math.min(spanOf(cell, "colspan"), MAX_COLUMNS - places.length, room))
      const below = spanOf(cell, "rowspan") || rows.length
      const left = Math.min(below, rows.length - at) - 1
      if (left > 0 && places.length < MAX_COLUMNS)
        spans[places.length] = { place: { cell, isRepeated: true }, left, columns }
      places.push({ cell, isRepeated: false })
      room -= Math.max(0, columns - 1)
      for (let more = 1; more < columns; more++) places.push(EMPTY)
    }
    takeSpanned()
    while (places.at(-1)?.cell === null) places.pop()
    return places
  })
}

/** How many columns or rows a cell spans; 0 rows means all the following ones. */
function spanOf(cell: Element, name: "colspan" | "rowspan"): number {
  const span = Number.parseInt(cell.get(name) ?? "1", 10)
  return span > 1 || (span === 0 && name === "rowspan") ? span : 1
}

/**
 * Whether the first row of a table is data like the others: only its first cell is a header, or all rows are pairs without header
 * cells.
 */
export function isLikeOthers(rows: readonly Element[][], first: readonly Element[]): boolean {
  const [cell] = first
  if (cell!.parent!.parent?.tag === "thead") return false
  const isHead = (one: Element) => one.tag === "th"
  if (isHead(cell!)) return !first.every(isHead)
  if (rows.some((row) => row.length !== 2 || row.some(isHead))) return false
  return rows.length > 1 && !first.every((one) => firstElement(one, ({ tag }) => STRONG.has(tag)) !== null)
}

export function tableRows(table: Element, isSkipped: (element: Element) => boolean): Element[][] {
  const rows: Element[][] = []
  const visit = (parent: Element): void => {
    for (const child of parent.children) {
      if (typeof child === "string" || isSkipped(child)) continue
      if (child.tag === "tr") {
        const cells = child.children.filter(
          (cell): cell is Element =>
            typeof cell !== "string" && (cell.tag === "td" || cell.tag === "th") && !isSkipped(cell),
        )
        if (cells.length > 0) rows.push(cells)
      } else if (child.tag === "tbody" || child.tag === "thead" || child.tag === "tfoot") visit(child)
    }
  }
  visit(table)
  return rows
}

/** Whether a table is used only for layout: it has no header cells, and its cells contain whole sections. */
export function isLayoutTable(table: Element, rows: readonly Element[][]): boolean {
  if (table.get("role") === "presentation") return true
  let heavy = false
  let header = false
  for (const row of rows)
    for (const cell of row) {
      if (cell.tag === "th") header = true
      if (!cell.containsBlock) continue
      let paragraphs = 0
      walk(cell, (node) => {
        if (node.tag === "table" || /^h[1-6]$/.test(node.tag) || node.tag === "pre") heavy = true
        if (node.tag === "p" || node.tag === "div" || node.tag === "blockquote") paragraphs++
        return !heavy
      })
      if (paragraphs > 3) heavy = true
    }
  return heavy && !header
}

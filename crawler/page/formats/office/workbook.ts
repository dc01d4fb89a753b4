import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { escapeText, protectLineStarts } from "../../extract/markdown/markdown-escapes.ts"
import { type CellInk, type CellRange, isOneColor, PAPER, rangesOf, readInks } from "./cell-ink.ts"
import { builtInFormat, type CellFormat, formatOfCode, showNumber, showText } from "./cell-value.ts"
import { chartText, drawnTexts } from "./charts.ts"
import { DocumentError } from "../document-error.ts"
import { readRelationships } from "./relationships.ts"
import { type RichText, RichTextReader } from "./rich-text.ts"
import { markdownTable, MAX_COLUMNS, MAX_TABLE_CELLS, MAX_TABLE_CHARS } from "./table.ts"
import type { DocumentText } from "../to-extracted.ts"
import { readXml } from "../archive/xml.ts"
import { Zip } from "../archive/zip.ts"

const MAX_LINKS = 20_000
/** The maximum number of cells kept in rows, including empty ones. */
const MAX_PLACES = 10 * MAX_TABLE_CELLS
/** The maximum number of groups of hidden columns; a sheet with many columns has only a handful. */
const MAX_COLUMN_GROUPS = 200

/**
 * Reads an Excel workbook (ECMA-376 part 1 §18) as a table for each sheet that is not hidden, with its cells as
 * displayed. Hidden rows and columns, and letters in the colour of their cell, are left out.
 * @throws DocumentError when the file is damaged, locked or too large
 */
export function readWorkbook(body: Uint8Array): DocumentText {
  const zip = new Zip(body)
  const { sheets, isFrom1904 } = readSheetNames(zip)
  const texts = readSharedTexts(zip.bytes("xl/sharedStrings.xml"))
  const styles = zip.bytes("xl/styles.xml")
  const formats = readFormats(styles)
  const inks = readInks(styles)
  const links = new Map<string, Link>()
  const blocks: string[] = []
  const room: Room = { cells: MAX_TABLE_CELLS, places: MAX_PLACES, chars: MAX_TABLE_CHARS }
  for (const { name, path } of sheets) {
    if (!isLeft(room)) break
    const rows = readSheet(zip, path, { texts, formats, inks, isFrom1904, links, room })
    const table = markdownTable(rows)
    const drawn = drawnOn(zip, path)
    if (table !== "" || drawn.length > 0) blocks.push(`## ${escapeText(name).trim()}`, table, ...drawn)
  }
  return {
    ...readProperties(zip),
    markdown: blocks.filter((block) => block !== "").join("\n\n"),
    links: [...links.values()],
    isTitledByHeading: false,
    note: isLeft(room) ? null : `only the first ${MAX_TABLE_CELLS - room.cells} cells were read`,
  }
}

interface Sheet {
  readonly name: string
  readonly path: string
}

function readSheetNames(zip: Zip): { readonly sheets: readonly Sheet[]; readonly isFrom1904: boolean } {
  const workbook = zip.bytes("xl/workbook.xml")
  if (workbook === null) throw new DocumentError("unreadable", "the file is damaged: it contains no workbook")
  const targets = readRelationships(zip, "xl/workbook.xml")
  const sheets: Sheet[] = []
  let isFrom1904 = false
  readXml(workbook, {
    start(name, attributes) {
      if (name === "workbookPr") isFrom1904 = /^(?:1|true)$/.test(attributes["date1904"] ?? "")
      if (name !== "sheet" || /hidden/i.test(attributes["state"] ?? "")) return
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? ""
      const path = targets.get(id)
      if (path !== undefined) sheets.push({ name: attributes["name"] ?? "", path })
    },
  })
  return { sheets, isFrom1904 }
}

/** The texts that cells share, by the index that cells use to refer to them. */
function readSharedTexts(xml: Uint8Array | null): RichText[] {
  const texts: RichText[] = []
  const text = new RichTextReader()
  readXml(xml, {
    start: (name, attributes) => text.start(name, attributes),
    end(name, piece) {
      text.end(name, piece)
      if (name === "si") texts.push(text.take())
    },
  })
  return texts
}

/** The library caches every code that it has seen, and each takes up a few kilobytes; Excel itself allows a few hundred in a workbook. */
const MAX_CODES = 4000

/** Formats, by the index that cells use to refer to them. A code that no cell's format uses isn't parsed. */
function readFormats(xml: Uint8Array | null): CellFormat[] {
  const codes = new Map<number, string>()
  const known = new Map<number, CellFormat>()
  const formatOf = (id: number): CellFormat => {
    const code = codes.get(id)
    const format = known.get(id) ?? (code === undefined ? builtInFormat(id) : formatOfCode(code))
    known.set(id, format)
    return format
  }
  const formats: CellFormat[] = []
  let isCellFormat = false
  readXml(xml, {
    start(name, { numFmtId = "0", formatCode = "" }) {
      const id = Number(numFmtId)
      if (name === "numFmt" && codes.size < MAX_CODES) codes.set(id, formatCode)
      if (name === "cellXfs") isCellFormat = true
      if (name === "xf" && isCellFormat) formats.push(formatOf(id))
    },
    end(name) {
      if (name === "cellXfs") isCellFormat = false
    },
  })
  return formats
}

interface SheetContext {
  readonly texts: readonly RichText[]
  readonly formats: readonly CellFormat[]
  readonly inks: readonly CellInk[]
  readonly isFrom1904: boolean
  /** Filled in while reading. */
  readonly links: Map<string, Link>
  readonly room: Room
}

/**
 * How much more may be read from all sheets together. Many cells can refer to one long text, and the only cell of a row
 * can be its last one.
 */
interface Room {
  cells: number
  places: number
  chars: number
}

const isLeft = ({ cells, places, chars }: Room): boolean => cells > 0 && places > 0 && chars > 0

function readSheet(zip: Zip, path: string, context: SheetContext): string[][] {
  const { room } = context
  const rows = new Map<number, string[]>()
  const targets = readRelationships(zip, path)
  let row = -1
  let column = -1
  let type = ""
  let style = 0
  let value = ""
  const inline = new RichTextReader()
  let isRowHidden = false
  let areRowsHidden = false
  const bytes = zip.bytes(path)
  const tables = [...targets.values()].filter((target) => /tables\/[^/]+\.xml$/.test(target))
  const coloured = [...ruledCells(bytes), ...tables.flatMap((table) => tableCells(zip.bytes(table)))]
  const hiddenColumns: { readonly from: number; readonly to: number }[] = []
  readXml(bytes, {
    start(name, attributes) {
      if (name === "sheetFormatPr") areRowsHidden = isTrue(attributes["zeroHeight"])
      const isNarrow = attributes["width"] !== undefined && Number(attributes["width"]) === 0
      if (
        name === "col" &&
        (isTrue(attributes["hidden"]) || isNarrow) &&
        hiddenColumns.length < MAX_COLUMN_GROUPS
      )
        hiddenColumns.push({ from: Number(attributes["min"]) - 1, to: Number(attributes["max"]) - 1 })
      else if (name === "row") {
        const { ht, hidden } = attributes
        isRowHidden =
          isTrue(hidden) || (ht === undefined ? areRowsHidden && hidden === undefined : Number(ht) === 0)
        row = attributes["r"] === undefined ? row + 1 : Number(attributes["r"]) - 1
        column = -1
      } else if (name === "c") {
        const place = placeOf(attributes["r"] ?? "")
        row = place?.row ?? row
        column = place?.column ?? column + 1
        type = attributes["t"] ?? "n"
        style = Number(attributes["s"] ?? 0)
        value = ""
        inline.take()
      } else if (name === "mergeCell") {
        repeatBelow(rangesOf(attributes["ref"] ?? "", placeOf)[0], rows, room)
      } else if (name === "hyperlink") {
        addLink(attributes, targets, rows, context.links)
      } else inline.start(name, attributes)
      return isLeft(room)
    },
    end(name, text) {
      inline.end(name, text)
      if (name === "v") value = text
      else if (name === "c") {
        const mayBeColoured = coloured.some(
          ({ top, left, bottom, right }) => row >= top && row <= bottom && column >= left && column <= right,
        )
        const shown = show({ type, value, inline: inline.take() }, style, context, mayBeColoured)
        if (shown === "" || row < 0 || column >= MAX_COLUMNS) return
        if (isRowHidden || hiddenColumns.some(({ from, to }) => column >= from && column <= to)) return
        const cellsOfRow = rows.get(row) ?? []
        room.places -= Math.max(0, column + 1 - cellsOfRow.length)
        while (cellsOfRow.length < column) cellsOfRow.push("")
        cellsOfRow[column] = shown
        rows.set(row, cellsOfRow)
        room.cells -= 1
        room.chars -= shown.length
      }
    },
  })
  return [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row)
}

/** The maximum length of the text that is repeated for merged cells. Longer text is prose and is written only once. */
const MAX_GROUP_CHARS = 60
/** The maximum number of a group's rows in which its name is repeated. */
const MAX_GROUP_ROWS = 1000

/** Repeats the text of cells merged over several rows in each of these rows that has other cells, because it names their group. */
function repeatBelow(range: CellRange | undefined, rows: ReadonlyMap<number, string[]>, room: Room): void {
  if (range === undefined) return
  const { top, left, bottom } = range
  const text = rows.get(top)?.[left] ?? ""
  if (text === "" || text.length > MAX_GROUP_CHARS) return
  for (let row = top + 1; row <= Math.min(bottom, top + MAX_GROUP_ROWS) && isLeft(room); row++) {
    const cells = rows.get(row)
    if (cells === undefined || cells.length <= left || cells[left] !== "") continue
    cells[left] = text
    room.cells -= 1
    room.chars -= text.length
  }
}

/** Texts of the shapes and charts on a sheet. */
function drawnOn(zip: Zip, path: string): string[] {
  return [...readRelationships(zip, path).values()]
    .filter((target) => /drawings\/drawing[^/]*\.xml$/.test(target))
    .flatMap((drawing) => {
      const charts = [...readRelationships(zip, drawing).values()].filter((one) =>
        /charts\/chart[^/]*\.xml$/.test(one),
      )
      const texts = charts.map((chart) => protectLineStarts(escapeText(chartText(zip.bytes(chart)))))
      return [...drawnTexts(zip.bytes(drawing)).map(protectLineStarts), ...texts]
    })
}

const isTrue = (value: string | undefined): boolean => value === "1" || value === "true"

/** Cells that conditional formatting can colour (§18.3.1.18). */
function ruledCells(xml: Uint8Array | null): CellRange[] {
  const found: CellRange[] = []
  if (xml !== null && Buffer.from(xml.buffer, xml.byteOffset, xml.length).includes("conditionalFormatting"))
    readXml(xml, {
      start(name, { sqref = "" }) {
        if (name === "conditionalFormatting") found.push(...rangesOf(sqref, placeOf))
      },
    })
  return found
}

/** Cells of a table, which has a style of its own. */
function tableCells(xml: Uint8Array | null): CellRange[] {
  const found: CellRange[] = []
  readXml(xml, {
    start(name, { ref = "" }) {
      if (name === "table") found.push(...rangesOf(ref, placeOf))
      return false
    },
  })
  return found
}

function show(
  { type, value, inline }: { readonly type: string; readonly value: string; readonly inline: RichText },
  style: number,
  { texts, formats, inks, isFrom1904 }: SheetContext,
  mayBeColoured: boolean,
): string {
  const format = formats[style] ?? builtInFormat(0)
  const ink = inks[style]
  const ground = ink === undefined ? PAPER : mayBeColoured && ink.isPlain ? null : ink.ground
  if (ink?.isTiny === true || (ink !== undefined && isOneColor(ink.ink, ground))) return ""
  if (type === "s" || type === "inlineStr") {
    const text = type === "s" ? texts[Number(value)] : inline
    return asText((isOneColor(PAPER, ground) ? text?.onPaper : text?.whole) ?? "", format)
  }
  if (type === "b") return asText(value.trim() === "1" ? "TRUE" : "FALSE", format)
  if (type === "d") return value.replace(/T00:00:00(?:\.0+)?Z?$/, "")
  if (type !== "n") return asText(value, format)
  return escapeText(showNumber(value, format, isFrom1904))
}

const asText = (text: string, format: CellFormat): string => escapeText(showText(text, format)).trim()

/** `AB12` as row 11, column 27. */
function placeOf(reference: string): { row: number; column: number } | null {
  const [, letters, digits] = /^([A-Z]{1,3})(\d{1,7})/.exec(reference) ?? []
  if (letters === undefined) return null
  let column = 0
  for (const letter of letters) column = column * 26 + letter.codePointAt(0)! - 64
  return { row: Number(digits) - 1, column: column - 1 }
}

function addLink(
  attributes: Readonly<Record<string, string>>,
  targets: ReadonlyMap<string, string>,
  rows: ReadonlyMap<number, string[]>,
  links: Map<string, Link>,
): void {
  const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1] ?? ""
  const url = toPageUrl(targets.get(id) ?? "")
  const place = placeOf(attributes["ref"] ?? "")
  if (url === null || place === null || links.size >= MAX_LINKS) return
  const cells = rows.get(place.row)
  const text = cells?.[place.column] ?? ""
  if (!links.get(url)?.text) links.set(url, { url, text, nofollow: false })
  if (cells && text !== "" && !text.startsWith("[")) cells[place.column] = `[${text}](${url})`
}

function readProperties(zip: Zip): Omit<DocumentText, "markdown"> {
  const facts = new Map<string, string>()
  readXml(zip.bytes("docProps/core.xml"), {
    end: (name, text) => {
      facts.set(name, text)
    },
  })
  const created = Date.parse(facts.get("created") ?? "")
  return {
    title: facts.get("title") ?? null,
    description: facts.get("description") ?? facts.get("subject") ?? null,
    author: facts.get("creator") ?? null,
    language: facts.get("language") ?? null,
    publishedAt: Number.isNaN(created) ? null : new Date(created),
  }
}

import type { PageAnchor } from "#engine"
import { escapeText, fenced, protectLineStarts } from "../../extract/markdown/markdown-escapes.ts"
import { UNSPACED } from "./pdf-frames.ts"
import type { PdfLine, PdfPiece } from "./pdf-lines.ts"
import { markdownTable } from "../office/table.ts"

export interface PdfMarkdown {
  readonly markdown: string
  /** The pages of the file and the lines where they begin. */
  readonly anchors: readonly PageAnchor[]
  /** The largest text on the first page, or null if none is larger than the rest. */
  readonly title: string | null
}

/** The names of a file's parts. */
export interface PdfNames {
  /** The titles of bookmarks by {@link titleKey}, with their levels from 1. */
  readonly outline: ReadonlyMap<string, number>
  /** The labels of the file's pages, in order, as viewers show them: `iv`, `3`, `A-1`. A page without a label is named by its position. */
  readonly labels: readonly string[]
}

/** A heading's font is at least this many times as large as the text's. */
const HEADING_FACTOR = 1.12
const TITLE_FACTOR = 1.3
const MAX_HEADING_CHARS = 200
const MAX_HEADING_LEVELS = 4
/** Lines further apart than this multiple of the usual distance belong to separate paragraphs. */
const PARAGRAPH_FACTOR = 1.3
/** Cells longer than this are columns of prose. */
const MAX_CELL_CHARS = 60

/**
 * Writes lines as headings, paragraphs, lists, tables and code. Headings are the lines that the bookmarks name, or
 * otherwise those in a larger font.
 */
export function writePdf(pages: readonly (readonly PdfLine[])[], names: PdfNames): PdfMarkdown {
  const measures = measure(pages)
  const writer = new Writer(measures, names)
  for (const lines of pages) writer.page(rowsOf(lines))
  return { ...writer.end(), title: titleOf(pages[0] ?? [], measures.bodySize) }
}

/** The part of a heading that is compared with the bookmarks, without its numbers, which can be formatted differently or left out. */
export function titleKey(title: string): string {
  return title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[\s\d.]+(?=\D)/, "")
    .replace(/[^\p{L}\p{N}]+/gu, "")
}

interface Measures {
  readonly bodySize: number
  /** The font sizes larger than the text's, largest first. */
  readonly headingSizes: readonly number[]
  /** The usual distance between lines, in multiples of the font size. */
  readonly leading: number
  /** Words that occur in the text with a hyphen inside a line, in lower case. */
  readonly hyphenated: ReadonlySet<string>
}

function measure(pages: readonly (readonly PdfLine[])[]): Measures {
  const chars = new Map<number, number>()
  const distances = new Map<number, number>()
  const hyphenated = new Set<string>()
  for (const lines of pages) {
    for (const [at, line] of lines.entries()) {
      if (!line.isMonospace) add(chars, line.size, line.text.length)
      for (const [word] of line.text.matchAll(/\p{L}{1,40}-\p{L}{1,40}/gu)) hyphenated.add(word.toLowerCase())
      const before = lines[at - 1]
      if (before === undefined || before.size !== line.size || line.isBeside) continue
      const distance = (line.y - before.y) / line.size
      if (distance > 0.8 && distance < 3) add(distances, Math.round(distance * 20) / 20, 1)
    }
  }
  const bodySize = most(chars) ?? most(new Map(pages.flat().map(({ size }) => [size, 1]))) ?? 10
  const headingSizes = [...chars.keys()].filter((size) => size >= bodySize * HEADING_FACTOR)
  return {
    bodySize,
    headingSizes: headingSizes.sort((a, b) => b - a),
    leading: most(distances) ?? 1.2,
    hyphenated,
  }
}

function add(counts: Map<number, number>, key: number, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

function most(counts: ReadonlyMap<number, number>): number | null {
  let best: number | null = null
  for (const [key, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = key
  return best
}

/** Lines that are side by side. */
type Row = readonly [PdfLine, ...PdfLine[]]

function rowsOf(lines: readonly PdfLine[]): Row[] {
  const rows: [PdfLine, ...PdfLine[]][] = []
  for (const line of lines) {
    const row = rows.at(-1)
    if (line.isBeside && row) row.push(line)
    else rows.push([line])
  }
  return rows
}

function asOneLine(row: Row): PdfLine {
  const [first, ...rest] = row
  if (rest.length === 0) return first
  const pieces: PdfPiece[] = row.flatMap(({ pieces: own }, at) =>
    at === 0 ? own : [{ text: " ", address: null }, ...own],
  )
  return {
    ...first,
    pieces,
    text: row.map(({ text }) => text).join(" "),
    right: row.at(-1)?.right ?? first.right,
    size: Math.max(...row.map(({ size }) => size)),
    isMonospace: row.every(({ isMonospace }) => isMonospace),
  }
}

const BULLET = /^\s*[•◦▪▫‣⁃●○■□·➢➤✓❖]\s*(?=\S)/u
const DASH = /^\s*[-–—*]\s+(?=\S)/u
const NUMBER = /^\s*(?:\d{1,3}[.)]|\([a-z0-9]{1,3}\))\s+(?=\S)/
const MARK_ALONE = /^\s*(?:[•◦▪▫‣⁃●○■□·➢➤✓❖–—*-]|\(?[a-z0-9]{1,3}[.)])\s*$/u
const ENDS = /[.!?:;…]["'”’»)\]]*$/

class Writer {
  readonly #measures: Measures
  readonly #outline: ReadonlyMap<string, number>
  readonly #labels: readonly string[]
  readonly #blocks: PdfBlock[] = []
  /** Number of the page being written, from 1. */
  #page = 0
  /** The pages of the paragraph or list item being assembled, one for each of its lines. */
  #pages: number[] = []
  /** The paragraph or list item being assembled, with one line for each page that it is on. */
  #text = ""
  #mark = ""
  #last: PdfLine | null = null
  #first: PdfLine | null = null
  #heading: { level: number; text: string; line: PdfLine; page: number } | null = null
  #isNewPage = false

  constructor(measures: Measures, { outline, labels }: PdfNames) {
    this.#measures = measures
    this.#outline = outline
    this.#labels = labels
  }

  page(rows: readonly Row[]): void {
    this.#page += 1
    this.#isNewPage = true
    for (let at = 0; at < rows.length;) {
      const table = tableAt(rows, at)
      const code = codeAt(rows, at)
      if (table > 0) {
        this.#flush()
        const cells = rows.slice(at, at + table).map((row) => row.map((cell) => inline(cell.pieces)))
        this.#add(markdownTable(cells), [this.#page])
        at += table
      } else if (code > 0) {
        this.#flush()
        this.#add(codeBlock(rows.slice(at, at + code)), [this.#page])
        at += code
      } else {
        this.#line(asOneLine(rows[at]!))
        at += 1
      }
    }
  }

  end(): Omit<PdfMarkdown, "title"> {
    this.#flush()
    const blocks = this.#blocks.filter(({ text }) => text.trim() !== "")
    const anchors: PageAnchor[] = []
    let line = 0
    let last = 0
    for (const { text, lines, places } of blocks) {
      for (const [offset, page] of places) {
        if (page !== last || text.startsWith("#"))
          anchors.push([line + offset, `page=${page}`, this.#labels[page - 1] ?? `${page}`])
        last = page
      }
      line += lines + 1
    }
    return { markdown: blocks.map(({ text }) => text).join("\n\n"), anchors }
  }

  /** @param pages the pages on which the first lines of the block begin */
  #add(text: string, pages: readonly number[]): void {
    this.#blocks.push({ text, lines: linesIn(text), places: pages.map((page, line) => [line, page]) })
  }

  #line(line: PdfLine): void {
    const entry = CONTENTS_ENTRY.exec(line.text)?.[1]?.trim() ?? ""
    if (entry !== "") {
      this.#flush()
      this.#mark = "-"
      this.#text = escapeText(entry)
      this.#pages = [this.#page]
      this.#isNewPage = false
      return
    }
    const level = this.#headingLevel(line)
    if (level !== null) {
      this.#addHeading(line, level)
      return
    }
    this.#flushHeading()
    const rendered = inline(line.pieces)
    const mark = markOf(line.text, this.#startsParagraph(line))
    if (mark !== null) {
      this.#flushText()
      this.#mark = mark.sign
      this.#text = rendered.replace(mark.pattern, "").trimStart()
      this.#pages = [this.#page]
      this.#first = line
    } else if (this.#text === "" || this.#startsParagraph(line)) {
      this.#flushText()
      this.#text = rendered.trim()
      this.#pages = [this.#page]
      this.#first = line
    } else {
      const before = this.#text
      this.#text = joined(before, rendered.trim(), this.#measures.hyphenated)
      if (this.#isNewPage) this.#turnPage(before.length)
    }
    this.#last = line
    this.#isNewPage = false
  }

  /** Breaks the line after the last word of the previous page, so that the words stay the same. @param at number of characters before the page break */
  #turnPage(at: number): void {
    const space = this.#text.indexOf(" ", at - 1)
    if (space < 0) return
    this.#text = `${this.#text.slice(0, space)}\n${this.#text.slice(space + 1)}`
    this.#pages.push(this.#page)
  }

  #headingLevel(line: PdfLine): number | null {
    const { text } = line
    if (text.length > MAX_HEADING_CHARS || !/\p{L}/u.test(text)) return null
    const named = this.#outline.get(titleKey(text))
    if (named !== undefined) return named
    const { bodySize, headingSizes } = this.#measures
    if (line.isMonospace || line.size < bodySize * HEADING_FACTOR) return null
    return Math.min(headingSizes.findIndex((size) => size <= line.size) + 1, MAX_HEADING_LEVELS)
  }

  #addHeading(line: PdfLine, level: number): void {
    const text = inline(line.pieces).trim()
    const open = this.#heading
    this.#flushText()
    const goesOn =
      open !== null &&
      open.level === level &&
      open.line.size === line.size &&
      line.y > open.line.y &&
      line.y - open.line.y < line.size * 1.8 &&
      open.text.length + text.length < MAX_HEADING_CHARS &&
      !NUMBERED.test(line.text)
    if (goesOn) this.#heading = { ...open, text: joined(open.text, text, this.#measures.hyphenated), line }
    else {
      this.#flushHeading()
      this.#heading = { level, text, line, page: this.#page }
    }
    this.#last = null
    this.#isNewPage = false
  }

  #startsParagraph(line: PdfLine): boolean {
    const last = this.#last
    if (last === null) return true
    const ended = ENDS.test(last.text)
    const isMovedUp = line.y < last.y - last.size
    if (this.#isNewPage || isMovedUp) return ended || !/^\s*[\p{Ll}(\d]/u.test(line.text)
    const { leading } = this.#measures
    if (line.y - last.y > Math.max(leading, 1) * Math.max(line.size, last.size) * PARAGRAPH_FACTOR)
      return true
    if (Math.abs(line.size - last.size) > last.size * 0.12) return true
    const isShort = last.right < line.right - (line.right - line.left) * 0.2
    if (isShort && ended) return true
    // An indented first line starts a paragraph. Lines of a list item are also indented, but do not follow the end of a
    // sentence.
    const indent = line.left - last.left
    return indent > line.size * 0.8 && ended && (this.#mark === "" || this.#first !== last)
  }

  #flush(): void {
    this.#flushText()
    this.#flushHeading()
    this.#last = null
  }

  #flushText(): void {
    if (this.#text.trim() !== "") {
      if (this.#mark === "") this.#add(protectLineStarts(this.#text), this.#pages)
      else {
        const item = `${this.#mark} ${protectLineStarts(this.#text)}`
        const before = this.#blocks.at(-1)
        if (before !== undefined && LIST_ITEM.test(before.text)) {
          before.places.push(
            ...this.#pages.map((page, line): [number, number] => [before.lines + line, page]),
          )
          before.text = `${before.text}\n${item}`
          before.lines += linesIn(item)
        } else this.#add(item, this.#pages)
      }
    }
    this.#text = ""
    this.#mark = ""
  }

  #flushHeading(): void {
    if (this.#heading) {
      const block = `${"#".repeat(this.#heading.level)} ${this.#heading.text}`
      if (this.#blocks.at(-1)?.text !== block) this.#add(block, [this.#heading.page])
    }
    this.#heading = null
  }
}

/** A block of text, with the lines at which the text of a page begins, and the numbers of these pages. */
interface PdfBlock {
  text: string
  lines: number
  readonly places: [line: number, page: number][]
}

const linesIn = (text: string): number => text.split("\n").length

/** A table of contents entry: a title, dots, and the page number. */
const CONTENTS_ENTRY = /^(.{2,200}?)\s?(?:[.·…]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,8})?\s*$/i
const LIST_ITEM = /^(?:-|\d{1,3}\.) /
const NUMBERED = /^\s*(?:\d{1,3}(?:\.\d{1,3})*\.?|[A-Z]\.)\s+\S/

function markOf(text: string, startsParagraph: boolean): { sign: string; pattern: RegExp } | null {
  if (BULLET.test(text)) return { sign: "-", pattern: BULLET }
  if (!startsParagraph) return null
  // The dash is escaped, as in the rendered text.
  if (DASH.test(text)) return { sign: "-", pattern: /^\s*\\?[-–—*]\s+/u }
  if (!NUMBER.test(text)) return null
  const number = /\d{1,3}/.exec(text.trimStart().slice(0, 4))?.[0]
  return number === undefined ? null : { sign: `${number}.`, pattern: NUMBER }
}

/** A word that was broken at the end of a line is joined, unless it occurs with its hyphen elsewhere in the text. */
function joined(before: string, after: string, hyphenated: ReadonlySet<string>): string {
  const start = /(\p{L}{1,40})[-\u00AD\u2010]$/u.exec(before)
  const isUpper = /^\p{Lu}{2}/u.test(after) && /\p{Lu}{2}[-\u2010]$/u.test(before)
  const end = isUpper ? /^\p{Lu}{2,40}/u.exec(after) : /^\p{Ll}\p{L}{0,40}/u.exec(after)
  // Lines in these scripts can break anywhere, even within a word.
  const isUnspaced = UNSPACED.test(before.at(-1) ?? "") && UNSPACED.test(after.at(0) ?? "")
  if (isUnspaced) return before + after
  if (start === null || end === null) return `${before} ${after}`
  const keeps = !before.endsWith("\u00AD") && hyphenated.has(`${start[1]}-${end[0]}`.toLowerCase())
  return keeps ? before + after : before.slice(0, -1) + after
}

function inline(pieces: readonly PdfPiece[]): string {
  return pieces
    .map(({ text, address }) => {
      const words = escapeText(
        text.replaceAll("\u00AD", (_, at: number) => (at === text.length - 1 ? "\u00AD" : "")),
      )
      if (address === null || text.trim() === "") return words
      const target = address.replace(
        /[\s<>()]/g,
        (char) => `%${char.codePointAt(0)!.toString(16).padStart(2, "0")}`,
      )
      const [, before = "", core = "", after = ""] = /^(\s*)([^]*?)(\s*)$/.exec(words) ?? []
      return `${before}[${core}](${target})${after}`
    })
    .join("")
}

/** The number of rows from `at` on that form a table: they have the same number of short cells, without list marks. */
function tableAt(rows: readonly Row[], at: number): number {
  const width = rows[at]?.length ?? 0
  if (width < 2) return 0
  let end = at
  let chars = 0
  let marks = 0
  while (end < rows.length && rows[end]!.length === width) {
    const row = rows[end]!
    if (row.every(({ isMonospace }) => isMonospace)) break
    for (const cell of row) chars += cell.text.length
    if (MARK_ALONE.test(row[0].text)) marks += 1
    end += 1
  }
  const count = end - at
  const isTable = count >= 2 && chars / (count * width) <= MAX_CELL_CHARS && marks * 2 < count
  return isTable ? count : 0
}

/** The number of rows from `at` on in a monospaced font. */
function codeAt(rows: readonly Row[], at: number): number {
  let end = at
  while (end < rows.length && rows[end]!.every(({ isMonospace }) => isMonospace)) end += 1
  return end - at
}

/** The width of a monospaced character, in multiples of the font size. */
const TYPEWRITER_WIDTH = 0.6

function codeBlock(rows: readonly Row[]): string {
  const left = rows.reduce((least, [first]) => Math.min(least, first.left), Infinity)
  const lines = rows.map((row) => {
    let line = ""
    for (const cell of row) {
      const column = Math.round((cell.left - left) / (cell.size * TYPEWRITER_WIDTH))
      line = `${line}${" ".repeat(Math.min(Math.max(column - line.length, line === "" ? 0 : 1), 120))}${cell.text}`
    }
    return line.trimEnd()
  })
  return fenced(lines.join("\n"))
}

function titleOf(lines: readonly PdfLine[], bodySize: number): string | null {
  const letters = lines.filter(({ text }) => /\p{L}{2}/u.test(text))
  const size = letters.reduce((largest, line) => Math.max(largest, line.size), 0)
  if (size < bodySize * TITLE_FACTOR) return null
  const from = lines.findIndex((line) => line.size === size)
  const parts: string[] = []
  for (const line of lines.slice(from)) {
    if (line.size !== size) break
    parts.push(line.text.trim())
  }
  const title = parts.join(" ").replace(/\s+/g, " ").trim()
  return title === "" || title.length > MAX_HEADING_CHARS ? null : title
}

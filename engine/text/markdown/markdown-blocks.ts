import { plainInline } from "./markdown-inline.ts"

/** A stretch of markdown as plain text, with the line on which it begins, from 0. */
export type Block = { readonly line: number; readonly text: string } & (
  | { readonly kind: "heading"; readonly depth: number }
  /** A paragraph, list item, table or quotation: lines of words. `depth`: how many items enclose a list item. */
  | {
      readonly kind: "text"
      readonly table?: Table
      readonly depth?: number
      /** Marked lines in the middle of the text: the line, and the number of characters of the text before it. */
      readonly marked?: readonly (readonly [line: number, at: number])[]
    }
  /** Lines whose breaks and indentation matter, such as code. */
  | { readonly kind: "code"; readonly code?: Code }
)

/** The non-empty rows of a table, as the plain text of their cells. */
export interface Table {
  readonly rows: readonly (readonly string[])[]
  /** Whether the first row names the columns. */
  readonly isHeaded: boolean
  /** Number of cells in the longest row. */
  readonly columns: number
}

/** Code with its blank lines, without the indentation that all lines share. */
export interface Code {
  readonly language: string
  readonly lines: readonly string[]
}

/** Maximum number of enclosing items that are counted. */
const MAX_DEPTH = 4
const QUOTE_MARKS = /^(?: {0,3}>)+ ?/
const FENCE = /^\s*(`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const ITEM = /^\s*([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const TABLE_RULE = /^[\s|:-]+$/
const INDENT = /^(?: {4}|\t)/
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,200}\]:[ \t]+\S/

/**
 * Reads markdown line by line into blocks of plain text, in time linear in the length of any text, since pages come
 * from strangers. Supports the syntax that our extraction writes (CommonMark and tables). The only nesting that it
 * keeps is that of list items.
 *
 * @param marked lines to find in the middle of paragraphs and list items
 */
export function blocksOf(markdown: string, marked: ReadonlySet<number> = new Set()): Block[] {
  const reader = new BlockReader(marked)
  let before = ""
  for (const [at, line] of markdown.split(/\r\n?|\n/).entries()) {
    reader.take(line, at, before)
    before = line
  }
  return reader.end()
}

export type Heading = Extract<Block, { kind: "heading" }>

export const headingsOf = (blocks: readonly Block[]): Heading[] =>
  blocks.filter((block) => block.kind === "heading")

class BlockReader {
  readonly #wanted: ReadonlySet<number>
  readonly #blocks: Block[] = []
  #paragraph: string[] = []
  /** Marked lines of the paragraph, each with the number of the paragraph's lines before it. */
  #marked: [line: number, before: number][] = []
  /** Rows of the open table, as written. */
  #rows: string[] = []
  /** Whether the first of these rows is above a rule. */
  #isRuled = false
  #code: string[] | null = null
  #fence = ""
  #language = ""
  #inList = false
  /** Columns of the open items' marks, outermost first. */
  #items: number[] = []
  /** Whether the paragraph being read begins a list item. */
  #isItem = false
  /** Start line of the current paragraph or code. */
  #start = 0

  constructor(wanted: ReadonlySet<number>) {
    this.#wanted = wanted
  }

  /** @param before the preceding line */
  take(raw: string, at: number, before: string): void {
    if (this.#fence !== "") return this.#takeFenced(raw)
    const line = raw.replace(QUOTE_MARKS, "")
    const isBlank = line.trim() === ""
    const isIndented = INDENT.test(line)
    if (this.#code) {
      if (isBlank || isIndented) {
        this.#code.push(line.replace(INDENT, ""))
        return
      }
      this.#endCode()
    }
    if (isBlank) return this.#endParagraph()
    if (this.#opensFence(line, at)) return
    if (isIndented && !this.#inList && this.#paragraph.length === 0) {
      this.#code = [line.replace(INDENT, "")]
      this.#start = at
      return
    }
    if (this.#isHeading(line, at) || this.#isUnderline(line)) return
    if (RULE.test(line)) return this.#endParagraph()
    if (isTableRule(line) && before.includes("|")) return this.#beginTable(before, at)
    if (this.#isRuled && line.includes("|") && !ITEM.test(line)) {
      this.#rows.push(line)
      return
    }
    if (!this.#beginsItem(line, at)) this.#takeWords(line, at)
  }

  end(): Block[] {
    if (this.#code) this.#endCode()
    this.#endParagraph()
    return this.#blocks
  }

  #takeFenced(raw: string): void {
    const line = raw.trimStart().startsWith(">") ? raw.replace(QUOTE_MARKS, "") : raw
    if (closes(line, this.#fence)) this.#endCode()
    else this.#code!.push(line)
  }

  #opensFence(line: string, at: number): boolean {
    const opening = FENCE.exec(line)
    if (!opening || (opening[1]!.startsWith("`") && line.slice(opening[0].length).includes("`"))) return false
    this.#endParagraph()
    this.#fence = opening[1]!
    this.#language = opening[2]!
    this.#code = []
    this.#start = at
    return true
  }

  #isHeading(line: string, at: number): boolean {
    const heading = HEADING.exec(line)
    if (!heading) return false
    this.#endParagraph()
    this.#inList = false
    const text = oneLine(withoutClosingMarks(heading[2] ?? ""))
    this.#blocks.push({ kind: "heading", line: at, depth: heading[1]!.length, text })
    return true
  }

  /** Whether a line turns the paragraph above it into a heading. */
  #isUnderline(line: string): boolean {
    const underline = UNDERLINE.exec(line)
    if (!underline || this.#paragraph.length === 0 || this.#inList) return false
    const depth = underline[1]!.startsWith("=") ? 1 : 2
    const text = oneLine(this.#paragraph.join(" "))
    this.#blocks.push({ kind: "heading", line: this.#start, depth, text })
    this.#paragraph = []
    this.#marked = []
    return true
  }

  #beginsItem(line: string, at: number): boolean {
    const item = ITEM.exec(line)
    if (!item) return false
    this.#endParagraph()
    if (!this.#inList) this.#items = []
    this.#inList = true
    const place = line.search(/\S/)
    while (this.#items.length > 0 && this.#items.at(-1)! >= place) this.#items.pop()
    if (this.#items.length <= MAX_DEPTH) this.#items.push(place)
    this.#start = at
    this.#isItem = true
    this.#paragraph.push(`${/\d/.test(item[1]!) ? item[1] : "-"} ${item[2] ?? ""}`)
    return true
  }

  #takeWords(line: string, at: number): void {
    const isRow = isTableRow(line)
    // A row after words, or words after a row, begin a new block.
    if (this.#rows.length > 0 || (isRow && this.#paragraph.length > 0)) this.#endParagraph()
    if (this.#paragraph.length === 0) {
      if (DEFINITION.test(line)) return
      if (!/^\s/.test(line)) this.#inList = false
      this.#start = at
    } else if (this.#wanted.has(at)) this.#marked.push([at, this.#paragraph.length])
    if (isRow) this.#rows.push(line)
    else this.#paragraph.push(line.trimStart())
  }

  /** The row before a rule names the columns. If it has no bars at its ends, only the rule shows that it is a row. */
  #beginTable(before: string, at: number): void {
    const row = before.replace(QUOTE_MARKS, "")
    if (this.#rows.length === 0 && this.#paragraph.at(-1) === row.trimStart()) {
      this.#paragraph.pop()
      this.#endParagraph()
      this.#start = at - 1
      this.#rows.push(row)
    }
    this.#isRuled ||= this.#rows.length === 1
  }

  #endParagraph(): void {
    if (this.#rows.length > 0) this.#endTable()
    const text = plainInline(this.#paragraph.join("\n"))
    const depth = this.#isItem ? this.#items.length - 1 : 0
    this.#isItem = false
    const marked = this.#places(text.length)
    if (text !== "") {
      const block: Block = { kind: "text", line: this.#start, text }
      this.#blocks.push({ ...block, ...(depth > 0 && { depth }), ...(marked.length > 0 && { marked }) })
    }
    this.#paragraph = []
    this.#marked = []
  }

  /** Reads from one marked line to the next, so that no line is read twice. @param most maximum number of characters of the whole paragraph */
  #places(most: number): [line: number, at: number][] {
    let from = 0
    let at = 0
    return this.#marked.map(([line, before]) => {
      at += plainInline(this.#paragraph.slice(from, before).join("\n")).length + 1
      from = before
      return [line, Math.min(at, most)]
    })
  }

  #endTable(): void {
    const written = this.#rows.map((row) => cellsOf(row).map(plainInline))
    const isRuled = this.#isRuled
    this.#rows = []
    this.#isRuled = false
    const rows = written.filter((cells) => cells.some((cell) => cell !== ""))
    if (rows.length === 0) return
    const table: Table = {
      rows,
      isHeaded: isRuled && rows.length > 1 && rows[0] === written[0] && namesColumns(rows[0]),
      columns: rows.reduce((most, cells) => Math.max(most, cells.length), 0),
    }
    this.#blocks.push({
      kind: "text",
      line: this.#start,
      text: rows.map((cells) => rowText(cells)).join("\n"),
      table,
    })
  }

  #endCode(): void {
    const lines = (this.#code ?? []).map((line) => line.replaceAll("\t", "  ").trimEnd())
    const text = lines.filter((line) => line !== "").join("\n")
    if (text !== "") {
      const code = { language: this.#language, lines: withoutMargin(lines) }
      this.#blocks.push({ kind: "code", line: this.#start, text, code })
    }
    this.#code = null
    this.#fence = ""
    this.#language = ""
  }
}

function closes(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === fence[0]!.repeat(text.length)
}

function isTableRule(line: string): boolean {
  return line.includes("-") && line.includes("|") && TABLE_RULE.test(line)
}

function isTableRow(line: string): boolean {
  const text = line.trim()
  return text.length > 1 && text.startsWith("|") && text.endsWith("|")
}

/** A row's cells, as written. Bars in cells, even in code, have a backslash before them. */
function cellsOf(row: string): string[] {
  const line = row.trim()
  const from = line.startsWith("|") ? 1 : 0
  const to = line.length > 1 && line.endsWith("|") && !line.endsWith("\\|") ? -1 : line.length
  return line
    .slice(from, to)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))
}

/** Cells with a bar between them. */
export const rowText = (cells: readonly string[], bar = "|"): string =>
  cells.join(` ${bar} `).replace(/ {2,}/g, " ").trim()

/** Maximum length of a column's name: a longer cell is data. */
const LONGEST_NAME = 60

/**
 * Whether the first row of a table names its columns. In Markdown every table has a header row, so some authors put a
 * name and its value there.
 */
function namesColumns([first = "", ...others]: readonly string[] = []): boolean {
  if (/[:：]$/.test(first)) return false
  const [second = ""] = others
  const isPair = others.length === 1 && (/^[^\p{L}]*\d/u.test(second) || /[.!?。]$/.test(second))
  return !isPair && [first, second].every((cell) => cell.length <= LONGEST_NAME)
}

function withoutClosingMarks(heading: string): string {
  const text = heading.trimEnd()
  let end = text.length
  while (end > 0 && text[end - 1] === "#") end--
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end) : text
}

const oneLine = (markdown: string) => plainInline(markdown).replaceAll("\n", " ")

/** Lines without their shared indentation, which comes from the list around the code. */
function withoutMargin(lines: readonly string[]): string[] {
  const margins = lines.flatMap((line) => (line === "" ? [] : line.search(/\S/)))
  const margin = margins.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
  return lines.map((line) => line.slice(margin))
}

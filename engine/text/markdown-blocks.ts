import { plainInline } from "./markdown-inline.ts"

/** A stretch of markdown as plain text, with the line on which it begins, from 0. */
export type Block = { readonly line: number; readonly text: string } & (
  | { readonly kind: "heading"; readonly depth: number }
  /** A paragraph, list item, table or quotation: lines of words. */
  | { readonly kind: "text" }
  /** Lines whose breaks and indentation matter. */
  | { readonly kind: "code" }
)

const QUOTE_MARKS = /^(?: {0,3}>)+ ?/
const FENCE = /^\s*(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
const ITEM = /^\s*([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const TABLE_RULE = /^[\s|:-]+$/
const INDENT = /^(?: {4}|\t)/
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,200}\]:[ \t]+\S/

/**
 * Reads markdown line by line into blocks of plain text, in time linear in its length whatever the text: pages
 * come from strangers. It knows what our extraction writes (CommonMark and tables); it keeps no nesting,
 * since passages have none.
 */
export function blocksOf(markdown: string): Block[] {
  const reader = new BlockReader()
  let before = ""
  for (const [at, line] of markdown.split(/\r\n?|\n/).entries()) {
    reader.take(line, at, before)
    before = line
  }
  return reader.end()
}

class BlockReader {
  readonly #blocks: Block[] = []
  #paragraph: string[] = []
  #code: string[] | null = null
  #fence = ""
  #inList = false
  /** Where the paragraph or code began that is being read. */
  #start = 0

  /** @param before the line before it */
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
    if (isTableRule(line) && before.includes("|")) return
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

  /** Whether a line makes a heading of the paragraph above it. */
  #isUnderline(line: string): boolean {
    const underline = UNDERLINE.exec(line)
    if (!underline || this.#paragraph.length === 0 || this.#inList) return false
    const depth = underline[1]!.startsWith("=") ? 1 : 2
    const text = oneLine(this.#paragraph.join(" "))
    this.#blocks.push({ kind: "heading", line: this.#start, depth, text })
    this.#paragraph = []
    return true
  }

  #beginsItem(line: string, at: number): boolean {
    const item = ITEM.exec(line)
    if (!item) return false
    this.#endParagraph()
    this.#inList = true
    this.#start = at
    this.#paragraph.push(`${/\d/.test(item[1]!) ? item[1] : "-"} ${item[2] ?? ""}`)
    return true
  }

  #takeWords(line: string, at: number): void {
    if (this.#paragraph.length === 0) {
      if (DEFINITION.test(line)) return
      if (!/^\s/.test(line)) this.#inList = false
      this.#start = at
    }
    this.#paragraph.push(isTableRow(line) ? `${tableRow(line)}  ` : line.trimStart())
  }

  #endParagraph(): void {
    const text = plainInline(this.#paragraph.join("\n"))
    if (text !== "") this.#blocks.push({ kind: "text", line: this.#start, text })
    this.#paragraph = []
  }

  #endCode(): void {
    const text = tidy(this.#code ?? [])
    if (text !== "") this.#blocks.push({ kind: "code", line: this.#start, text })
    this.#code = null
    this.#fence = ""
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

/** Cells apart by ` | `; the trailing double space of the caller keeps each row on its own line. */
function tableRow(line: string): string {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .join(" | ")
}

function withoutClosingMarks(heading: string): string {
  const text = heading.trimEnd()
  let end = text.length
  while (end > 0 && text[end - 1] === "#") end--
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end) : text
}

const oneLine = (markdown: string) => plainInline(markdown).replaceAll("\n", " ")

/** Code keeps its lines and indentation, not its blank lines. */
function tidy(lines: readonly string[]): string {
  return lines
    .map((line) => line.replaceAll("\t", "  ").trimEnd())
    .filter((line) => line !== "")
    .join("\n")
}

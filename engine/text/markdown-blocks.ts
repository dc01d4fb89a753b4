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
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,200}\]:[ \t]+\S/

/**
 * Reads markdown line by line into blocks of plain text, in time linear in its length whatever the text: pages
 * come from strangers. It knows what our extraction writes (CommonMark and tables); it keeps no nesting,
 * since passages have none.
 */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let paragraph: string[] = []
  let code: string[] | null = null
  let fence = ""
  let inList = false
  /** Where the paragraph or code began that is being read. */
  let start = 0

  const endParagraph = () => {
    const text = plainInline(paragraph.join("\n"))
    if (text !== "") blocks.push({ kind: "text", line: start, text })
    paragraph = []
  }
  const endCode = () => {
    const text = tidy(code ?? [])
    if (text !== "") blocks.push({ kind: "code", line: start, text })
    code = null
    fence = ""
  }

  const lines = markdown.split(/\r\n?|\n/)
  for (const [at, raw] of lines.entries()) {
    const line = fence !== "" && !raw.trimStart().startsWith(">") ? raw : raw.replace(QUOTE_MARKS, "")
    if (fence !== "") {
      if (closes(line, fence)) endCode()
      else code!.push(line)
      continue
    }
    const blank = line.trim() === ""
    const indented = /^(?: {4}|\t)/.test(line)
    if (code) {
      if (blank || indented) {
        code.push(line.replace(/^(?: {4}|\t)/, ""))
        continue
      }
      endCode()
    }
    if (blank) {
      endParagraph()
      continue
    }
    const opening = FENCE.exec(line)
    if (opening && !(opening[1]!.startsWith("`") && line.slice(opening[0].length).includes("`"))) {
      endParagraph()
      fence = opening[1]!
      code = []
      start = at
      continue
    }
    if (indented && !inList && paragraph.length === 0) {
      code = [line.replace(/^(?: {4}|\t)/, "")]
      start = at
      continue
    }
    const heading = HEADING.exec(line)
    if (heading) {
      endParagraph()
      inList = false
      blocks.push({
        kind: "heading",
        line: at,
        depth: heading[1]!.length,
        text: oneLine(withoutClosingMarks(heading[2] ?? "")),
      })
      continue
    }
    const underline = UNDERLINE.exec(line)
    if (underline && paragraph.length > 0 && !inList) {
      const text = oneLine(paragraph.join(" "))
      blocks.push({ kind: "heading", line: start, depth: underline[1]!.startsWith("=") ? 1 : 2, text })
      paragraph = []
      continue
    }
    if (RULE.test(line)) {
      endParagraph()
      continue
    }
    if (isTableRule(line) && (lines[at - 1] ?? "").includes("|")) continue
    const item = ITEM.exec(line)
    if (item) {
      endParagraph()
      inList = true
      start = at
      paragraph.push(`${/\d/.test(item[1]!) ? item[1] : "-"} ${item[2] ?? ""}`)
      continue
    }
    if (paragraph.length === 0 && DEFINITION.test(line)) continue
    if (paragraph.length === 0 && !/^\s/.test(line)) inList = false
    if (paragraph.length === 0) start = at
    paragraph.push(isTableRow(line) ? `${tableRow(line)}  ` : line.trimStart())
  }
  if (code) endCode()
  endParagraph()
  return blocks
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

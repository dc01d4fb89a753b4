import { inlineWithoutHtml, withoutCodeSpans } from "./inline-html.ts"
import { htmlBlockEnd, withoutHtmlBlock } from "./html-blocks.ts"
import { definitionsOf, isDefinition, resolved } from "./references.ts"

const FENCE = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})/
/** The line that opens and closes a note in Docusaurus, VitePress and MyST. */
const COLON_FENCE =
  /^([ \t]*):{3,}[ \t]*(?:\{?([A-Za-z-]{1,30})\}?)?[ \t]*(?:\[([^\]\n]{1,200})\]|(\S.{0,200}))?$/
/** A note or tab of MkDocs, whose text is indented. */
const INDENTED_NOTE =
  /^([ \t]*)(?:[!?]{3}\+?[ \t]+([\w-]{1,30})(?:[ \t]+[\w-]{1,30})*|===[!+]?)(?:[ \t]+"([^"\n]{0,200})")?[ \t]*$/
const GITHUB_NOTE = /^([ \t>]*>[ \t]*)\[!([A-Za-z]{3,20})\][\\ \t+-]*(.{0,200})$/
/** Attributes of kramdown, and placeholders for a table of contents. */
const NO_TEXT = /^[ \t]*(?:\{:[^{}\n]{0,200}\}|\[\[?_?TOC_?\]?\])[ \t]*$/i
const HEADING_ID = /^([ \t]{0,3}#{1,6}[ \t].*?)[ \t]*\{[:#][^{}\n]{0,100}\}[ \t]*$/
const MAX_STATEMENT_LINES = 100
const MDX_STATEMENT = /^(?:import|export)\s/

/**
 * Returns markdown as its author wrote it, without parts that readers never see: comments, HTML tags, the statements of
 * MDX, and the marks of site generators. Tables and headings in HTML become markdown, and the addresses of reference
 * links are filled in. Code stays as it is. Takes time linear in the text's length.
 * @param url the base of addresses in HTML
 */
export function tidyMarkdown(markdown: string, url: string, isMdx = false): string {
  const lines = withoutComments(markdown).split("\n")
  const definitions = definitionsOf(lines)
  const written: string[] = []
  let fence: string | null = null
  /** Columns of the open notes, whose text is indented below them. */
  let notes: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const raw = lines[at]!
    if (raw.trim() !== "") notes = notes.filter((column) => columnOf(raw) > column)
    const line = notes.length === 0 ? raw : raw.slice(Math.min(4 * notes.length, columnOf(raw)))
    if (fence !== null) {
      if (closes(line, fence)) fence = null
      written.push(line)
      continue
    }
    const opening = FENCE.exec(line)
    if (opening !== null) {
      fence = opening[2]!
      written.push(line)
      continue
    }
    if (/^(?: {4}|\t)/.test(line) && (written.at(-1) ?? "").trim() === "" && !isInList(written)) {
      written.push(line)
      continue
    }
    if (isDefinition(line) || NO_TEXT.test(line)) continue
    if (isMdx && MDX_STATEMENT.test(line)) {
      at = statementEnd(lines, at)
      continue
    }
    const note = INDENTED_NOTE.exec(line)
    if (note !== null && (note[2] !== undefined || note[3] !== undefined)) {
      notes.push(columnOf(raw))
      written.push(`${note[1]}**${titled(note[2] ?? "", note[3])}**`, "")
      continue
    }
    const end = htmlBlockEnd(lines, at)
    if (end > at) {
      written.push("", withoutHtmlBlock(lines.slice(at, end), url), "")
      at = end - 1
      continue
    }
    const text = withoutMarks(line)
    if (text !== null) written.push(resolved(inlineWithoutHtml(text), definitions))
  }
  return written.join("\n").replace(/\n{3,}/g, "\n\n")
}

/** Handles the marks of site generators in one line. Returns null if the line contains nothing but such marks. */
function withoutMarks(line: string): string | null {
  const colons = COLON_FENCE.exec(line)
  if (colons !== null) {
    const [, indent = "", kind, bracketed, rest] = colons
    return kind === undefined && bracketed === undefined
      ? null
      : `${indent}**${titled(kind ?? "", bracketed ?? rest)}**\n`
  }
  const github = GITHUB_NOTE.exec(line)
  if (github !== null) return `${github[1]}**${titled(github[2]!, github[3])}**\n${github[1]!.trimEnd()}`
  const bare = line.replace(/\{\{[<%][^\n]{0,500}?[>%]\}\}|\{%[^\n]{0,500}?%\}/g, "")
  if (bare !== line && bare.trim() === "") return null
  return HEADING_ID.exec(bare)?.[1] ?? bare
}

/** The heading of a note: its title, or else its kind. */
function titled(kind: string, title: string | undefined): string {
  const own = (title ?? "").trim().replace(/^"(.*)"$/, "$1")
  if (own !== "") return own
  return kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase()
}

/** The text without HTML and MDX comments outside fenced code. */
function withoutComments(markdown: string): string {
  if (!markdown.includes("<!--") && !markdown.includes("{/*")) return markdown
  let fence: string | null = null
  let until: string | null = null
  const written: string[] = []
  const ends = { "<!--": markdown.lastIndexOf("-->"), "{/*": markdown.lastIndexOf("*/}") }
  let offset = 0
  for (const line of markdown.split("\n")) {
    const from = offset
    offset += line.length + 1
    if (until === null) {
      if (fence !== null) {
        if (closes(line, fence)) fence = null
        written.push(line)
        continue
      }
      fence = FENCE.exec(line)?.[2] ?? null
      if (fence !== null) {
        written.push(line)
        continue
      }
    }
    let rest = line
    let kept = ""
    for (;;) {
      if (until !== null) {
        const end = rest.indexOf(until)
        if (end === -1) break
        rest = rest.slice(end + until.length)
        until = null
      }
      const start = /<!--|\{\/\*/.exec(withoutCodeSpans(rest))
      // A comment that is never closed is text.
      if (
        start === null ||
        ends[start[0] as keyof typeof ends] < from + line.length - rest.length + start.index
      ) {
        kept += rest
        break
      }
      kept += rest.slice(0, start.index)
      rest = rest.slice(start.index + start[0].length)
      until = start[0] === "<!--" ? "-->" : "*/}"
    }
    if (kept.trim() !== "" || line.trim() === "") written.push(kept)
  }
  return written.join("\n")
}

/** The last line of an MDX statement: where its brackets are closed. */
function statementEnd(lines: readonly string[], from: number): number {
  let depth = 0
  for (let at = from; at < Math.min(lines.length, from + MAX_STATEMENT_LINES); at++) {
    for (const sign of lines[at]!) {
      if ("{[(".includes(sign)) depth++
      if ("}])".includes(sign)) depth--
    }
    if (depth <= 0 && (lines[at + 1] ?? "").trim() === "") return at
    if (depth <= 0 && at > from && !/[,\s]$/.test(lines[at]!)) return at
  }
  return from
}

const closes = (line: string, fence: string): boolean => {
  const text = line.replace(/^[ \t>]+/, "").trimEnd()
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length)
}

const columnOf = (line: string): number => /^[ \t]*/.exec(line)![0].replaceAll("\t", "    ").length

/** Whether indented lines belong to a list: the last text before them that is not indented is a list item. */
function isInList(written: readonly string[]): boolean {
  for (let at = written.length - 1; at >= 0 && at > written.length - 60; at--) {
    const line = written[at]!
    if (line.trim() === "") continue
    if (/^\s*(?:[-*+]|\d{1,9}[.)]|:)\s/.test(line)) return true
    if (!/^\s/.test(line)) return false
  }
  return false
}

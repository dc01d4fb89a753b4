import type { DocumentText } from "../../formats/to-extracted.ts"
import { codeHtml, escapeHtml, fromHtml } from "../markup/from-html.ts"
import { dedented, indentOf, linesOf, noteOfCut } from "../lines.ts"
import { type Directive, directiveHtml, type DirectiveReader } from "./rst-directives.ts"
import { inlineHtml, type Names } from "./rst-inline.ts"
import { namesOf } from "./rst-names.ts"
import { gridTable, type RstTable, simpleTable } from "./rst-tables.ts"

/** The maximum depth of nested blocks. */
const MAX_DEPTH = 20
/** Matches the underline of a heading. A line of only two colons is not one: it announces code. */
const ADORNMENT = /^(?!::$)([!-/:-@[-`{-~])\1+\s*$/
const EXPLICIT = /^\.\.(?:\s|$)/
const DIRECTIVE =
  /^\.\.[ \t]+(?:\|[^|\n]{1,100}\|[ \t]+)?(?:([A-Za-z][\w.+-]{0,40}):)?([A-Za-z][\w.+-]{0,60})::(?:[ \t]+(.*))?$/
const BULLET = /^([-*+•‣])(?:[ \t]+|$)/
const NUMBER = /^(?:\(?(?:\d{1,6}|[A-Za-z]|[ivxlcIVXLC]{1,8}|#)[.)])(?:[ \t]+|$)/
const FIELD = /^:((?:[^:\\\n`]|\\.|:(?!\s|$)){1,100}):(?:[ \t]+(.*)|$)/
const OPTION =
  /^((?:--?|\/)[\w?][\w-]{0,40}(?:[ =][<[]?[\w.|-]{1,40}[\]>]?)?(?:, (?:--?|\/)[\w?][\w-]{0,40}(?:[ =][<[]?[\w.|-]{1,40}[\]>]?)?){0,5})(?:[ \t]{2,}(\S.*)|$)/
/** Fields above a document that mean nothing to its readers. */
const NO_FIELDS = new Set(
  "orphan tocdepth nocomments nosearch hidetoc allow_comments html_theme sd_hide_title og".split(" "),
)

/**
 * Reads reStructuredText, with the directives and roles of Sphinx that contain text. Nothing is included, run or
 * evaluated: text in other files is left out. Takes time linear in its length for a fixed depth of blocks.
 */
export function readRst(text: string, url: string): DocumentText {
  const lines = linesOf(text)
  const reader = new RstReader(namesOf(lines))
  const written = fromHtml(reader.blocks(lines), url)
  const { author, date, language, description } = Object.fromEntries(reader.fields)
  const day = Date.parse(date ?? "")
  return {
    ...written,
    author: author ?? null,
    language: language ?? null,
    description: description ?? null,
    publishedAt: Number.isNaN(day) ? null : new Date(day),
    note: noteOfCut(text),
  }
}

/** Lines without their common indentation, and without blank lines at both ends. */
function blockOf(lines: readonly string[]): string[] {
  const plain = dedented(lines)
  const from = plain.findIndex((line) => line !== "")
  return from === -1 ? [] : plain.slice(from, plain.findLastIndex((line) => line !== "") + 1)
}

class RstReader implements DirectiveReader {
  readonly #names: Names
  /** The kinds of underlines in the order of their first use: the position is the heading level. */
  readonly #levels: string[] = []
  /** Fields above the text, by name. */
  readonly fields = new Map<string, string>()
  #level = 0
  #below = 0
  #depth = 0
  #hasText = false

  constructor(names: Names) {
    this.#names = names
  }

  inline(text: string): string {
    return inlineHtml(text, this.#names)
  }

  below(heading: string, lines: readonly string[]): string {
    this.#below++
    const level = Math.min(6, this.#level + this.#below)
    const html = `<h${level}>${heading}</h${level}>${this.blocks(lines)}`
    this.#below--
    return html
  }

  blocks(lines: readonly string[]): string {
    if (this.#depth >= MAX_DEPTH) return `<p>${this.inline(lines.join(" "))}</p>`
    this.#depth++
    const html: string[] = []
    for (let at = 0; at < lines.length;) {
      if (lines[at] === "") {
        at++
        continue
      }
      const [block, end] = this.#block(lines, at)
      html.push(block)
      at = Math.max(end, at + 1)
    }
    this.#depth--
    return html.join("\n")
  }

  /** The HTML of the block that begins on a line, and the number of the line after the block. */
  #block(lines: readonly string[], at: number): [html: string, end: number] {
    const line = lines[at]!
    const indent = indentOf(line)
    if (indent > 0) {
      const end = indentedEnd(lines, at, indent)
      const html = this.blocks(blockOf(lines.slice(at, end)))
      // Many authors indent interactive sessions within their text; these are not quotations.
      return [line.startsWith(">>> ", indent) ? html : `<blockquote>${html}</blockquote>`, end]
    }
    if (EXPLICIT.test(line)) return this.#explicit(lines, at)
    const heading = this.#heading(lines, at)
    if (heading !== null) return heading
    if (line.startsWith("__ ")) return ["", at + 1]
    const table = gridTable(lines, at) ?? simpleTable(lines, at)
    if (table !== null) return [this.tableHtml(table.table), table.end]
    if (line.startsWith(">>> ")) {
      const end = blankAt(lines, at)
      return [codeHtml(lines.slice(at, end).join("\n"), "python"), end]
    }
    if (BULLET.test(line)) return this.#list(lines, at, BULLET, "ul")
    if (NUMBER.test(line) && isList(lines, at)) return this.#list(lines, at, NUMBER, "ol")
    if (FIELD.test(line)) return this.#field(lines, at)
    if (OPTION.test(line) && /^(?:-|\/)/.test(line)) return this.#option(lines, at)
    if (/^\| |^\|$/.test(line)) {
      const end = blankAt(lines, at)
      const text = lines.slice(at, end).map((one) => this.inline(one.replace(/^\| ?/, "").trim()))
      return [`<p>${text.join("<br>")}</p>`, end]
    }
    if (ADORNMENT.test(line) && line.length >= 4 && (lines[at + 1] ?? "") === "") return ["", at + 1]
    this.#hasText = true
    return this.#paragraph(lines, at)
  }

  #heading(lines: readonly string[], at: number): [string, number] | null {
    const line = lines[at]!
    const next = lines[at + 1] ?? ""
    const over =
      ADORNMENT.test(line) &&
      ADORNMENT.test(lines[at + 2] ?? "") &&
      line[0] === lines[at + 2]![0] &&
      next !== ""
    const isUnder =
      ADORNMENT.test(next) &&
      !ADORNMENT.test(line) &&
      (next.length >= Math.min(line.length, 4) || next.length >= 4)
    if ((!over && !isUnder) || this.#depth > 1) return null
    const style = over ? `${line[0]} ${line[0]}` : next[0]!
    if (!this.#levels.includes(style)) this.#levels.push(style)
    this.#level = Math.min(6, this.#levels.indexOf(style) + 1)
    const title = (over ? next : line).trim()
    return [`<h${this.#level}>${this.inline(title)}</h${this.#level}>`, at + (over ? 3 : 2)]
  }

  #paragraph(lines: readonly string[], from: number): [string, number] {
    let end = from + 1
    while (end < lines.length && lines[end] !== "" && indentOf(lines[end]!) === 0) end++
    const isTerm = end === from + 1 && end < lines.length && lines[end] !== ""
    if (isTerm && !lines[from]!.endsWith("::")) return this.#terms(lines, from)
    const text = lines.slice(from, end).join("\n")
    if (!text.endsWith("::")) return [`<p>${this.inline(text)}</p>`, end]
    const shown = text === "::" || /\s::$/.test(text) ? text.slice(0, -2).trim() : text.slice(0, -1)
    const paragraph = shown === "" ? "" : `<p>${this.inline(shown)}</p>`
    let start = end
    while (start < lines.length && lines[start] === "") start++
    const indent = start < lines.length ? indentOf(lines[start]!) : 0
    if (indent === 0) return [paragraph, end]
    const literalEnd = indentedEnd(lines, start, 1)
    return [`${paragraph}${codeHtml(blockOf(lines.slice(start, literalEnd)).join("\n"))}`, literalEnd]
  }

  /** Terms, each with its indented definition. */
  #terms(lines: readonly string[], from: number): [string, number] {
    const items: string[] = []
    let at = from
    while (
      at + 1 < lines.length &&
      lines[at] !== "" &&
      indentOf(lines[at]!) === 0 &&
      indentOf(lines[at + 1]!) > 0
    ) {
      if (EXPLICIT.test(lines[at]!) || BULLET.test(lines[at]!)) break
      const end = indentedEnd(lines, at + 1, 1)
      const term = lines[at]!.replace(/ : .*$/, "")
      items.push(`<dt>${this.inline(term)}</dt><dd>${this.blocks(blockOf(lines.slice(at + 1, end)))}</dd>`)
      at = end
      while (at < lines.length && lines[at] === "") at++
    }
    return [`<dl>${items.join("")}</dl>`, at]
  }

  #list(lines: readonly string[], from: number, mark: RegExp, tag: "ul" | "ol"): [string, number] {
    const items: string[] = []
    let at = from
    const kind = tag === "ul" ? lines[from]![0] : null
    while (at < lines.length) {
      const marked = mark.exec(lines[at]!)?.[0]
      if (marked === undefined || (kind !== null && lines[at]![0] !== kind)) break
      // Text that is indented less than the item's first words still belongs to it, because many authors write it that
      // way.
      const end = indentedEnd(lines, at + 1, 1)
      const rest = lines.slice(at + 1, end)
      const first = lines[at]!.slice(marked.length)
      items.push(`<li>${this.blocks([first, ...dedentedBy(rest, marked.length)])}</li>`)
      at = end
      while (at < lines.length && lines[at] === "") at++
    }
    return [`<${tag}>${items.join("")}</${tag}>`, at]
  }

  #field(lines: readonly string[], at: number): [string, number] {
    const [, name = "", first = ""] = FIELD.exec(lines[at]!)!
    const end = indentedEnd(lines, at + 1, 1)
    const text = [first, ...blockOf(lines.slice(at + 1, end))]
    const key = name.toLowerCase()
    if (!this.#hasText && this.#depth === 1) {
      if (NO_FIELDS.has(key)) return ["", end]
      this.fields.set(key === "authors" ? "author" : key, text.join(" ").trim())
    }
    // A field in the text, such as `:param str name: text` of a function.
    return [
      `<p><strong>${this.inline(name)}</strong>: ${this.inline(text[0]!)}</p>${this.blocks(text.slice(1))}`,
      end,
    ]
  }

  #option(lines: readonly string[], at: number): [string, number] {
    const [, option = "", first = ""] = OPTION.exec(lines[at]!)!
    const end = indentedEnd(lines, at + 1, 1)
    const text = [first, ...blockOf(lines.slice(at + 1, end))]
    return [`<dl><dt><code>${escapeHtml(option)}</code></dt><dd>${this.blocks(text)}</dd></dl>`, end]
  }

  /** A directive, a note, a target or a comment: everything indented below it is part of it. */
  #explicit(lines: readonly string[], at: number): [string, number] {
    const end = indentedEnd(lines, at + 1, 1)
    const line = lines[at]!
    const below = lines.slice(at + 1, end)
    const found = DIRECTIVE.exec(line)
    if (found !== null && !/^\.\.[ \t]+\|/.test(line)) {
      const [, domain, name = "", argument = ""] = found
      return [directiveHtml(directiveOf(domain, name, argument, below), this), end]
    }
    const note = /^\.\. \[([^\]\n]{1,60})\](?:\s+(.*)|$)/.exec(line)
    if (note !== null)
      return [
        `<p>${escapeHtml(`[${note[1]!.replace(/^#/, "")}]`)} ${this.inline([note[2] ?? "", ...blockOf(below)].join("\n"))}</p>`,
        end,
      ]
    return ["", end]
  }

  tableHtml({ rows, heads }: RstTable): string {
    const row = (cells: readonly (readonly string[])[], tag: "th" | "td") =>
      `<tr>${cells.map((lines) => `<${tag}>${this.blocks(blockOf(lines))}</${tag}>`).join("")}</tr>`
    const head = rows.slice(0, heads).map((cells) => row(cells, "th"))
    const body = rows.slice(heads).map((cells) => row(cells, "td"))
    return `<table><thead>${head.join("")}</thead><tbody>${body.join("")}</tbody></table>`
  }
}

function directiveOf(
  domain: string | undefined,
  name: string,
  argument: string,
  below: readonly string[],
): Directive {
  // The argument continues up to the options or the first blank line.
  const lines = below.length === 0 ? [] : dedentedBy(below, indentOf(below.find((line) => line !== "") ?? ""))
  const options = new Map<string, string>()
  const more: string[] = []
  let at = 0
  if (argument !== "")
    while (at < lines.length && lines[at] !== "" && !FIELD.test(lines[at]!)) more.push(lines[at++]!)
  for (; at < lines.length; at++) {
    const [, key, value = ""] = FIELD.exec(lines[at]!) ?? []
    if (key === undefined) break
    let whole = value
    while (at + 1 < lines.length && indentOf(lines[at + 1]!) > 0) whole += `\n${lines[++at]!.trim()}`
    options.set(key.toLowerCase(), whole.trim())
  }
  const isOfDomain = domain !== undefined
  return {
    name: name.toLowerCase(),
    isOfDomain,
    argument: [argument, ...more].join("\n").trim(),
    options,
    content: blockOf(lines.slice(at)),
  }
}

/** The line after the block of lines that are indented at least this far, including blank lines between them. */
function indentedEnd(lines: readonly string[], from: number, indent: number): number {
  let end = from
  for (let at = from; at < lines.length; at++) {
    if (lines[at] === "") continue
    if (indentOf(lines[at]!) < indent) break
    end = at + 1
  }
  return end
}

function blankAt(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && lines[at] !== "") at++
  return at
}

const dedentedBy = (lines: readonly string[], columns: number): string[] =>
  lines.map((line) => line.slice(Math.min(columns, indentOf(line))))

/** Whether a paragraph that starts like a list item really is one: `A. Smith wrote` over two lines is not. */
function isList(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? ""
  return next === "" || indentOf(next) > 0 || NUMBER.test(next)
}

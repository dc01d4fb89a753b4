import type { DocumentText } from "../../formats/to-extracted.ts"
import { codeHtml, escapeHtml, fromHtml, wordsOf } from "../markup/from-html.ts"
import { dedented, indentOf, linesOf, noteOfCut } from "../lines.ts"
import { orgInlineHtml } from "./org-inline.ts"

const MAX_DEPTH = 20
const MAX_DRAWER_LINES = 300
const HEADLINE =
  /^(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAIT(?:ING)?|HOLD|CANCELL?ED|PROJ|STRT|KILL|IDEA|SOMEDAY|IN-PROGRESS)(?=[ \t]|$)[ \t]*)?(?:\[#[A-Z0-9]\][ \t]*)?(.*?)(?:[ \t]+:[\p{L}\p{N}_@#%:]+:)?[ \t]*$/u
const KEYWORD = /^[ \t]*#\+([\w-]{1,40})(?:\[[^\]\n]{0,200}\])?:[ \t]*(.*)$/
const BLOCK = /^[ \t]*#\+begin_([\w-]{1,40})(?:[ \t]+(.*))?$/i
const DRAWER = /^[ \t]*:([\w-]{1,40}):[ \t]*$/
const ITEM = /^([ \t]*)(?:([-+])|(?:\d{1,6}|[A-Za-z])[.)]|(?<=[ \t])(\*))(?:[ \t]+(?:\[@\d+\][ \t]*)?(.*)|$)/
const PLANNING = /^[ \t]*(?:(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[ \t]*[[<])/
const FIXED = /^[ \t]*:(?:[ \t](.*)|)$/
const TABLE = /^[ \t]*\|/
const NOTE = /^\[fn:([\w-]{1,60})\][ \t]*(.*)$/
/** Blocks that contain code; `src` and `example` are Org's own. */
const CODE = new Set(["src", "example", "comment-code"])
const NO_TEXT = new Set(["comment", "export"])
/** Keywords whose text is shown to readers. */
const SHOWN = new Set(["caption"])

/**
 * Reads an outline in Org: headlines, lists, tables, code, links. Properties, planning and text for other programs are
 * left out; no code in it is run, and no file is included. Takes time linear in its length for a fixed depth of lists.
 */
export function readOrg(text: string, url: string): DocumentText {
  const lines = linesOf(text)
  const reader = new OrgReader()
  const written = fromHtml(reader.blocks(lines), url)
  const { fields } = reader
  const day = Date.parse(
    (fields.get("date") ?? "").replace(/^[<[]|[>\]]$/g, "").replace(/(?<=\d) \p{L}+\.?/u, ""),
  )
  return {
    ...written,
    title: wordsOf(orgInlineHtml(fields.get("title") ?? "")),
    author: fields.get("author") ?? null,
    description: fields.get("description") ?? fields.get("subtitle") ?? null,
    language: fields.get("language") ?? null,
    publishedAt: Number.isNaN(day) ? null : new Date(day),
    note: noteOfCut(text),
  }
}

class OrgReader {
  /** Values of `#+title:` and similar keywords, by name. */
  readonly fields = new Map<string, string>()
  #depth = 0
  /** Names of blocks that have no end from here on, so that the search for an end isn't repeated. */
  readonly #endless = new Set<string>()

  blocks(lines: readonly string[]): string {
    if (this.#depth >= MAX_DEPTH) return `<p>${orgInlineHtml(lines.join(" "))}</p>`
    this.#depth++
    const html: string[] = []
    for (let at = 0; at < lines.length;) {
      const [block, end] = lines[at] === "" ? ["", at + 1] : this.#block(lines, at)
      if (block !== "") html.push(block)
      at = Math.max(end, at + 1)
    }
    this.#depth--
    return html.join("\n")
  }

  /** The HTML of the block that begins on a line, and the number of the line after the block. */
  #block(lines: readonly string[], at: number): [html: string, end: number] {
    const line = lines[at]!
    const headline = this.#depth === 1 ? HEADLINE.exec(line) : null
    if (headline !== null) return this.#headline(lines, at, headline)
    const block = BLOCK.exec(line)
    if (block !== null) return this.#named(lines, at, block[1]!.toLowerCase(), block[2] ?? "")
    const keyword = KEYWORD.exec(line)
    if (keyword !== null) return [this.#keyword(keyword[1]!.toLowerCase(), keyword[2]!), at + 1]
    // Comments, lines for other programs, and planning dates are left out.
    if (/^[ \t]*#(?:[ \t]|$|\+)/.test(line) || PLANNING.test(line)) return ["", at + 1]
    if (DRAWER.test(line)) {
      const end = indexAfter(lines, at, (one) => /^[ \t]*:END:$/i.test(one), MAX_DRAWER_LINES)
      if (end !== -1) return ["", end + 1]
    }
    if (TABLE.test(line)) return table(lines, at)
    if (FIXED.test(line)) {
      const end = endOf(lines, at, (one) => FIXED.test(one))
      return [
        codeHtml(
          lines
            .slice(at, end)
            .map((one) => FIXED.exec(one)![1] ?? "")
            .join("\n"),
        ),
        end,
      ]
    }
    if (/^[ \t]*\\begin\{/.test(line)) {
      const end = endOf(lines, at, (one) => one !== "")
      return [`<p>$$${escapeHtml(lines.slice(at, end).join("\n"))}$$</p>`, end]
    }
    if (/^[ \t]*-{5,}$/.test(line)) return ["", at + 1]
    const note = NOTE.exec(line)
    if (note !== null) {
      const end = endOf(lines, at + 1, isPlain)
      return [`<p>[${note[1]}] ${orgInlineHtml([note[2], ...lines.slice(at + 1, end)].join("\n"))}</p>`, end]
    }
    if (ITEM.test(line)) return this.#list(lines, at)
    const end = endOf(lines, at + 1, isPlain)
    return [
      `<p>${orgInlineHtml(
        lines
          .slice(at, end)
          .map((one) => one.trim())
          .join("\n"),
      )}</p>`,
      end,
    ]
  }

  #headline(
    lines: readonly string[],
    at: number,
    [, stars = "*", title = ""]: RegExpExecArray,
  ): [string, number] {
    if (/^COMMENT(?:\s|$)/.test(title)) {
      const isNext = (line: string) => (/^\*+(?= )/.exec(line)?.[0].length ?? Infinity) <= stars.length
      const end = indexAfter(lines, at, isNext)
      return ["", end === -1 ? lines.length : end]
    }
    const level = Math.min(6, stars.length + 1)
    return [`<h${level}>${orgInlineHtml(title)}</h${level}>`, at + 1]
  }

  #keyword(name: string, value: string): string {
    const before = this.fields.get(name)
    if (value !== "") this.fields.set(name, before === undefined ? value : `${before} ${value}`)
    return SHOWN.has(name) && value !== "" ? `<p>${orgInlineHtml(value)}</p>` : ""
  }

  #named(lines: readonly string[], at: number, name: string, argument: string): [string, number] {
    const ending = `#+end_${name}`
    const isOver = (line: string) => line.trimStart().toLowerCase() === ending
    const end = this.#endless.has(name) ? -1 : indexAfter(lines, at, isOver)
    if (end === -1) {
      // Only valid for the whole text: inside another block, an end may be missing although one follows after that
      // block.
      if (this.#depth === 1) this.#endless.add(name)
      return ["", at + 1]
    }
    // Org puts a comma before lines of code that would otherwise be read as headlines.
    const inside = lines.slice(at + 1, end)
    const code = () => inside.map((line) => line.replace(/^([ ]*),(?=[*#,])/, "$1"))
    if (CODE.has(name))
      return [
        codeHtml(dedented(code()).join("\n"), name === "src" ? argument.split(/\s/, 1)[0] : ""),
        end + 1,
      ]
    if (NO_TEXT.has(name)) return ["", end + 1]
    if (name === "verse")
      return [`<p>${inside.map((line) => orgInlineHtml(line.trim())).join("<br>")}</p>`, end + 1]
    const html = this.blocks(inside)
    return [name === "quote" ? `<blockquote>${html}</blockquote>` : html, end + 1]
  }

  #list(lines: readonly string[], from: number): [string, number] {
    const items: string[] = []
    const column = indentOf(lines[from]!)
    const isOrdered = !/^[ \t]*[-+*]/.test(lines[from]!)
    let isTerms = false
    let at = from
    while (at < lines.length) {
      const item = ITEM.exec(lines[at]!)
      if (item === null || indentOf(lines[at]!) !== column) break
      const end = itemEnd(lines, at + 1, column)
      const first = (item[4] ?? "").replace(/^\[[ X-]\][ \t]*/i, "")
      const [, term, rest] = /^(.{1,200}?)[ \t]+::(?:[ \t]+(.*)|$)/.exec(first) ?? []
      const text = [rest ?? (term === undefined ? first : ""), ...dedented(lines.slice(at + 1, end))]
      isTerms ||= term !== undefined
      const inside = this.blocks(text)
      items.push(
        term === undefined ? `<li>${inside}</li>` : `<dt>${orgInlineHtml(term)}</dt><dd>${inside}</dd>`,
      )
      at = end
      // Two blank lines end a list.
      if (lines[at] === "" && lines[at + 1] !== "") at++
    }
    const tag = isTerms ? "dl" : isOrdered ? "ol" : "ul"
    return [`<${tag}>${items.join("")}</${tag}>`, at]
  }
}

/** Whether a line continues a paragraph. */
const isPlain = (line: string): boolean =>
  line !== "" &&
  !/^(?:\*+[ \t]|[ \t]*#(?:[ \t]|\+|$)|[ \t]*\||\[fn:[\w-]{1,60}\])/.test(line) &&
  !ITEM.test(line) &&
  !FIXED.test(line) &&
  !DRAWER.test(line)

function endOf(lines: readonly string[], from: number, isInside: (line: string) => boolean): number {
  let at = from
  while (at < lines.length && isInside(lines[at]!)) at++
  return at
}

/** The first line after the given one for which a condition is true, or -1. */
function indexAfter(
  lines: readonly string[],
  at: number,
  holds: (line: string) => boolean,
  most = Infinity,
): number {
  const end = Math.min(lines.length, at + most)
  for (let place = at + 1; place < end; place++) if (holds(lines[place]!)) return place
  return -1
}

/** The lines that belong to an item: those indented further, with single blank lines among them. */
function itemEnd(lines: readonly string[], from: number, column: number): number {
  let end = from
  for (let at = from; at < lines.length; at++) {
    if (lines[at] === "") {
      if (lines[at + 1] === "") break
      continue
    }
    if (indentOf(lines[at]!) <= column) break
    end = at + 1
  }
  return end
}

function table(lines: readonly string[], from: number): [html: string, end: number] {
  const end = endOf(lines, from, (line) => TABLE.test(line))
  const rows = lines.slice(from, end).map((line) => line.trim())
  const isRule = (row: string) => /^\|[-+|]+$/.test(row)
  // The rows above the first rule contain the column names.
  const rule = rows.findIndex(isRule)
  const heads = rule > 0 && rows.slice(rule + 1).some((row) => !isRule(row)) ? rule : 0
  const html = rows.flatMap((row, at) => {
    if (isRule(row) || /^\|(?:[ \t]*<[lcr]?\d*>[ \t]*\|?)+$/.test(row)) return []
    const tag = at < heads ? "th" : "td"
    const cells = row.replace(/^\||\|$/g, "").split("|")
    return [`<tr>${cells.map((cell) => `<${tag}>${orgInlineHtml(cell.trim())}</${tag}>`).join("")}</tr>`]
  })
  return [`<table>${html.join("")}</table>`, end]
}

import type { OfficeContentNode } from "officeparser"
import type { PageAnchor } from "#engine"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { formula, formulaText, settled } from "../../extract/markdown/formulas.ts"
import { escapeText, fenced, protectLineStarts } from "../../extract/markdown/markdown-escapes.ts"
import { markdownTable, MAX_COLUMNS, MAX_TABLE_CELLS } from "./table.ts"

export interface OfficeMarkdown {
  readonly markdown: string
  /** The slides and the lines where they begin; empty if there are none. */
  readonly anchors: readonly PageAnchor[]
  readonly links: readonly Link[]
  readonly note: string | null
}

/** The length limit for a document; text beyond it is left out, and the note says so. */
const MAX_CHARS = 5_000_000
const MAX_DEPTH = 50
const MAX_LINKS = 20_000

/** Writes the parser's tree as markdown: blocks separated by blank lines, with a heading for each slide and sheet. */
export function writeMarkdown(content: readonly OfficeContentNode[]): OfficeMarkdown {
  const writer = new Writer()
  writer.blocks(content, 0)
  return writer.end()
}

/** Style names used for code: `Source Code`, `HTML Preformatted`, `Verbatim Char`. */
const CODE_STYLE = /code|preformatted|verbatim|listing/i
const TYPEWRITER =
  /\bmono|mono\b|courier|consolas|menlo|monaco|typewriter|source ?code|fira ?code|lucida console/i
/** Commands that the library writes without a space before a one-letter argument. */
const COMMANDS =
  /\\(frac|sqrt|math(?:bf|bb|cal|frak|scr|sf|tt|rm)|hat|bar|vec|tilde|d?dot|overline|underline)(?=[a-z0-9])/gi

/** An equation in TeX, inline or on a line of its own; null for code. */
function mathOf(node: OfficeContentNode): string | null {
  const math = node.type === "code" ? node.metadata?.math : undefined
  if (math === undefined) return null
  const found = formula((node.text ?? "").replace(COMMANDS, "\\$1 "), math === "block")
  return found === null ? "" : formulaText(found)
}

type Text = Extract<OfficeContentNode, { type: "text" }>

const isCodeRun = (node: Text): boolean =>
  CODE_STYLE.test(node.metadata?.style ?? "") || TYPEWRITER.test(node.formatting?.font ?? "")

/** Whether a paragraph is a line of code: by its style, or because all of it is in a monospaced font. */
function isCode(node: Extract<OfficeContentNode, { type: "paragraph" }>): boolean {
  const runs = (node.children ?? []).filter((child) => child.type !== "break")
  if (runs.length === 0 || !runs.every((child) => child.type === "text" && child.notes === undefined))
    return false
  if (CODE_STYLE.test(node.metadata?.style ?? "")) return true
  const written = runs.filter(
    (child): child is Text => child.type === "text" && (child.text ?? "").trim() !== "",
  )
  return written.length > 0 && written.every(isCodeRun)
}

const rawText = (node: OfficeContentNode): string =>
  (node.children ?? []).map((child) => (child.type === "break" ? "\n" : (child.text ?? ""))).join("")

/** A code span, with the surrounding white space moved outside. */
function codeSpan(text: string): string {
  const code = text.replace(/[\s`]+/g, " ")
  return `${/^\s/.test(code) ? " " : ""}\`${code.trim()}\`${/\s$/.test(code) ? " " : ""}`
}

const TEXTUAL = new Set<OfficeContentNode["type"]>(["paragraph", "heading", "list"])

class Writer {
  readonly #blocks: string[] = []
  readonly #links = new Map<string, Link>()
  #chars = 0
  #cells = 0
  #note: string | null = null
  /** The slides, each with the number of blocks before it. */
  readonly #slides: { readonly before: number; readonly number: string }[] = []
  /** Whether the last block is a list that can be continued. */
  #wasList = false
  /** Lines of code not yet written. */
  #lines: string[] = []

  end(): OfficeMarkdown {
    this.#endCode()
    const markdown = this.#blocks.join("\n\n")
    return { markdown, anchors: this.#anchors(), links: [...this.#links.values()], note: this.#note }
  }

  /** The anchors of slides have no fragment: programs that show slides have no addresses for single slides. */
  #anchors(): PageAnchor[] {
    const numbers = new Map(this.#slides.map(({ before, number }) => [before, number]))
    let line = 0
    return this.#blocks.flatMap((block, at): PageAnchor[] => {
      const [number, start] = [numbers.get(at), line]
      line += block.split("\n").length + 1
      return number === undefined ? [] : [[start, "", number]]
    })
  }

  blocks(nodes: readonly OfficeContentNode[] | undefined, depth: number): void {
    for (const node of nodes ?? []) {
      if (depth > MAX_DEPTH) return
      if (this.#chars > MAX_CHARS) {
        this.#note = `only the first ${MAX_CHARS} characters were read`
        return
      }
      this.#block(node, depth)
    }
  }

  #block(node: OfficeContentNode, depth: number): void {
    if (node.type === "paragraph" && isCode(node)) {
      this.#lines.push(...rawText(node).split("\n"))
      return
    }
    this.#endCode()
    switch (node.type) {
      case "heading":
        this.#heading(node, node.metadata?.level ?? 1)
        break
      case "paragraph":
        this.#paragraph(node)
        break
      case "text":
        this.#add(protectLineStarts(this.#inline([node], true)))
        break
      case "list":
        this.#listItem(node, depth)
        return
      case "table":
        this.#table(node.children ?? [], depth)
        break
      case "slide":
        this.#slide(node, depth)
        break
      case "sheet":
        this.#add(`## ${escapeText(node.metadata?.sheetName ?? "").trim()}`, node.children?.length === 0)
        this.#table(node.children ?? [], depth)
        break
      case "code":
        this.#code(node)
        break
      case "image":
      case "chart":
      case "drawing":
      case "break":
      case "comment":
      case "header":
      case "footer":
      case "slideMaster":
        break
      default:
        this.blocks(node.children, depth + 1)
    }
    this.#notes(node, depth)
  }

  #add(block: string, isEmpty = block.trim() === ""): void {
    this.#push(settled(block), isEmpty)
  }

  #push(block: string, isEmpty: boolean): void {
    this.#wasList = false
    if (isEmpty) return
    this.#blocks.push(block)
    this.#chars += block.length
  }

  /** Writes adjacent paragraphs of code as one block. */
  #endCode(): void {
    const lines = this.#lines
    this.#lines = []
    if (lines.length > 0) this.#fenced(lines.join("\n"))
  }

  #heading(node: OfficeContentNode, level: number): void {
    const text = this.#inline(node.children ?? [], false)
      .replaceAll("\n", " ")
      .trim()
    this.#add(`${"#".repeat(Math.min(Math.max(level, 1), 6))} ${text}`, text === "")
  }

  #paragraph(node: Extract<OfficeContentNode, { type: "paragraph" }>): void {
    const text = protectLineStarts(this.#inline(node.children ?? [], true))
    const style = node.metadata?.style ?? ""
    // Word's own list styles add numbers and bullets without any mark in the paragraph.
    const list = /^List(Bullet|Number)\s?(\d)?$/i.exec(style)
    if (list) this.#item(text, Number(list[2] ?? 1) - 1, list[1]?.toLowerCase() === "number" ? "1." : "-")
    else if (/^(?:intense)?quote/i.test(style)) this.#add(text.replace(/^/gm, "> "), text.trim() === "")
    else this.#add(text)
    this.#inner(node.children)
  }

  /** Tables in text boxes and similar elements inside a paragraph. */
  #inner(children: readonly OfficeContentNode[] | undefined): void {
    for (const child of children ?? []) if (child.type === "table") this.#table(child.children ?? [], 1)
  }

  #listItem(node: Extract<OfficeContentNode, { type: "list" }>, depth: number): void {
    const { indentation = 0, listType = "unordered", itemIndex = 0 } = node.metadata ?? {}
    const text = protectLineStarts(this.#inline(node.children ?? [], true))
    this.#item(text, indentation, listType === "ordered" ? `${Math.max(0, itemIndex) + 1}.` : "-")
    this.#notes(node, depth)
  }

  #item(text: string, level: number, mark: string): void {
    if (text.trim() === "") return
    const indent = "   ".repeat(Math.min(Math.max(level, 0), 8))
    const item = `${indent}${mark} ${settled(text).trim().replace(/\n/g, `\n${indent}   `)}`
    const before = this.#wasList ? this.#blocks.pop() : undefined
    this.#blocks.push(before === undefined ? item : `${before}\n${item}`)
    this.#chars += item.length
    this.#wasList = true
  }

  #code(node: OfficeContentNode): void {
    const math = mathOf(node)
    if (math === null) this.#fenced(node.text ?? "")
    else this.#add(math)
  }

  #fenced(code: string): void {
    const text = code.replaceAll("\0", "").trimEnd()
    this.#push(fenced(text), text.trim() === "")
  }

  #slide(node: Extract<OfficeContentNode, { type: "slide" }>, depth: number): void {
    const children = node.children ?? []
    const number = node.metadata?.slideNumber
    if (number !== undefined) this.#slides.push({ before: this.#blocks.length, number: `${number}` })
    // The first heading of a slide is its title; other headings are parts of it.
    const title = children.find((child) => child.type === "heading")
    if (title) this.#heading(title, 2)
    else if (children.length > 0) this.#add(`## Slide ${number ?? ""}`.trimEnd())
    for (const child of children) {
      if (child === title) continue
      if (child.type === "heading") this.#heading(child, 3)
      else this.#block(child, depth + 1)
    }
  }

  /** Footnotes and the speaker's notes; footnotes are attached to the runs of text that they explain. */
  #notes(node: OfficeContentNode, depth: number): void {
    if (depth >= MAX_DEPTH) return
    for (const { notes } of [node, ...(TEXTUAL.has(node.type) ? (node.children ?? []) : [])])
      for (const note of notes ?? []) this.blocks(note.children, depth + 1)
  }

  #table(rows: readonly OfficeContentNode[], depth: number): void {
    const table: string[][] = []
    for (const row of rows) {
      if (row.type !== "row") continue
      const cells: string[] = []
      for (const cell of row.children ?? []) {
        const at = cell.type === "cell" ? (cell.metadata?.col ?? cells.length) : cells.length
        if (at >= MAX_COLUMNS || depth > MAX_DEPTH) continue
        while (cells.length < at) cells.push("")
        cells[at] = this.#cell(cell)
      }
      this.#cells += cells.filter((cell) => cell !== "").length
      if (this.#cells > MAX_TABLE_CELLS) {
        this.#note = `only the first ${MAX_TABLE_CELLS} cells were read`
        break
      }
      table.push(cells)
    }
    this.#add(markdownTable(table))
  }

  /** All text of a cell in one line, including tables inside it. */
  #cell(cell: OfficeContentNode): string {
    const parts: string[] = []
    const visit = (nodes: readonly OfficeContentNode[], depth: number) => {
      const inline = nodes.filter(({ type }) => type === "text" || type === "break")
      if (inline.length > 0) parts.push(this.#inline(inline, true))
      if (depth < 10) {
        for (const node of nodes) {
          if (node.type !== "text" && node.type !== "break" && node.children) visit(node.children, depth + 1)
        }
      }
    }
    visit(cell.children ?? [], 0)
    return parts
      .map((part) => part.replace(/\s+/g, " ").trim())
      .filter((part) => part !== "")
      .join(" ")
  }

  /** Runs of text as inline markdown; adjacent runs with the same formatting are merged. */
  #inline(nodes: readonly OfficeContentNode[], emphasised: boolean): string {
    let out = ""
    let run = { text: "", mark: "", link: "" }
    const flush = () => {
      out += this.#run(run.text, run.mark, run.link)
      run = { text: "", mark: "", link: "" }
    }
    for (const node of nodes) {
      if (node.type === "break") {
        flush()
        if (node.metadata?.breakType === "textWrapping" || node.metadata?.breakType === "carriageReturn")
          out = `${out.trimEnd()}\n`
        continue
      }
      if (node.type === "code") {
        flush()
        out += mathOf(node) ?? codeSpan(node.text ?? "")
        continue
      }
      if (node.type === "text" && emphasised && isCodeRun(node) && (node.text ?? "").trim() !== "") {
        flush()
        out += codeSpan(node.text ?? "")
        continue
      }
      if (node.type !== "text") {
        if (node.type !== "table" && node.children) out += this.#inline(node.children, emphasised)
        continue
      }
      const { bold = false, italic = false } = node.formatting ?? {}
      const mark = emphasised ? `${bold ? "**" : ""}${italic ? "*" : ""}` : ""
      const link = node.metadata?.linkType === "internal" ? "" : (node.metadata?.link ?? "")
      if (mark !== run.mark || link !== run.link) {
        flush()
        run = { text: "", mark, link }
      }
      run.text += node.text ?? ""
    }
    flush()
    return out.replace(/[ \t]+$/gm, "").trim()
  }

  #run(text: string, mark: string, link: string): string {
    if (text.trim() === "") return text === "" ? "" : " "
    const [, before = "", core = "", after = ""] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? []
    const closing = mark === "***" ? "***" : mark
    const words = `${mark}${escapeText(core)}${closing}`
    const address = link === "" ? null : toPageUrl(link)
    if (address !== null && this.#links.size < MAX_LINKS && !this.#links.get(address)?.text) {
      const label = core.replace(/\s+/g, " ")
      this.#links.set(address, { url: address, text: label, nofollow: false })
    }
    const target = link.replace(/[\s<>]/g, (char) => encodeURIComponent(char))
    const isLink = address !== null || /^mailto:/i.test(link)
    return `${before && " "}${isLink ? `[${words}](${/[()]/.test(target) ? `<${target}>` : target})` : words}${after && " "}`
  }
}

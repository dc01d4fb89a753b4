import { escapeText, protectLineStarts } from "./markdown-escapes.ts"
import { type AnchoredMarkdown, markOf, withoutMarks } from "./anchor-marks.ts"
import { isEditLink, isFragmentLink, isPermalink } from "../html/anchors.ts"
import { formulaOf, formulasInText, formulaText, isFormulaScript, settled } from "./formulas.ts"
import { headingAnchors } from "../html/heading-anchors.ts"
import { codeBlock, isCodeLines, isCodeTable, NOT_WRITTEN } from "./code.ts"
import { codeSpan, InlineText, STRONG, trimEmphasis, withoutStuckMarks, wrapped } from "./inline.ts"
import { inColumns, isLayoutTable, isLikeOthers, type Place, tableRows } from "./tables.ts"
import { imageAddress, imageDescription, isTinyImage } from "../html/image-elements.ts"
import { closest, collapse, type Element, firstElement, isBlockTag, textOf } from "../html/tree.ts"

export interface MarkdownOptions {
  /** The base address against which the document's other addresses are resolved. */
  readonly baseUrl: string
  /** Elements to leave out, with everything below them. */
  readonly skipped: ReadonlySet<Element>
  /** Boxes beside the text, written as quotations, so that their titles are not headings of the text after them. */
  readonly boxes?: ReadonlySet<Element>
  /** Captions that are left out of the text, by their image. */
  readonly captions?: ReadonlyMap<Element, string>
  /** Whether a script of the page typesets TeX in its text. */
  readonly setsTex?: () => boolean
  /** Length of the document: it limits how much markdown adds to its text. */
  readonly sourceChars: number
}

/**
 * How much markdown may add to a document's text, per character of the document and as a constant: the marks of nested
 * quotes and lists on every line, addresses made absolute, captions, and empty cells. Ordinary pages stay below 1.
 * Beyond that limit, quotes and lists are written as paragraphs, and links as plain text.
 */
const ADDED_PER_CHAR = 4
const ADDED_AT_LEAST = 200_000

/** Writes an element's content as GitHub-flavoured markdown (https://github.github.com/gfm/). */
export const toMarkdown = (root: Element, options: MarkdownOptions): string =>
  write(root, options, new Map()).markdown

/**
 * Like {@link toMarkdown}, with the lines of headings that have an address.
 * @param document the tree that contains `root`: a heading's name may be before the main content
 */
export const toAnchoredMarkdown = (
  root: Element,
  options: MarkdownOptions,
  document: Element,
): AnchoredMarkdown => write(root, options, headingAnchors(document))

function write(
  root: Element,
  options: MarkdownOptions,
  anchors: ReadonlyMap<Element, string>,
): AnchoredMarkdown {
  const writer = new Writer(options, anchors)
  const blocks = isBlockTag(root.tag) && root.tag !== "body" ? writer.block(root) : writer.children(root)
  return withoutMarks(blocks.join("\n\n"), writer.fragments)
}

const EMPHASIS = new Set(["i", "em", "cite", "dfn", "var"])
const CODE = new Set(["code", "kbd", "samp", "tt"])
const EMPTY_CELL = " | "
/** Maximum length of text that is repeated in each row its cell spans. Longer text is prose and is written only once. */
const MAX_GROUP_CHARS = 60
const DELETED = new Set(["del", "s", "strike"])

/** A summary longer than this is a paragraph, not a heading. */
const MAX_HEAD_CHARS = 200

class Writer {
  readonly #options: MarkdownOptions
  /** Set inside an `<a>` around blocks: the first line of text written becomes the link. */
  #pendingLink: string | null = null
  #inHeading = false
  /** Level of the last heading. */
  #level = 1
  /** The number of open list items. */
  #items = 0
  #bold = 0
  #italic = 0
  #linked = 0
  #setsTex: boolean | null = null
  /** The last text written, in its original form. */
  #lastText = ""
  /** The number of the last reference to a note. */
  #note = 0
  /** The number of characters that may still be added. */
  #room: number

  readonly #anchors: ReadonlyMap<Element, string>
  /** The fragments of the headings that were written, by the number of their mark. */
  readonly fragments: string[] = []

  constructor(options: MarkdownOptions, anchors: ReadonlyMap<Element, string>) {
    this.#options = options
    this.#anchors = anchors
    this.#room = options.sourceChars * ADDED_PER_CHAR + ADDED_AT_LEAST
  }

  /** Uses up room for this many more characters. Returns false if there is not enough. */
  #takes(chars: number): boolean {
    if (chars > this.#room) return false
    this.#room -= chars
    return true
  }

  /** Writes the blocks with the prefix before each line. */
  #prefixed(blocks: readonly string[], prefix: string): readonly string[] {
    const lines = blocks.reduce((sum, block) => sum + linesOf(block) + 1, 0)
    return this.#takes(lines * prefix.length) ? prefixed(blocks, prefix) : blocks
  }

  /** The blocks of a container, in order. */
  children(container: Element): string[] {
    const blocks: string[] = []
    const inline = new InlineText()
    const flush = () => {
      const paragraph = this.#paragraph(inline.take())
      if (paragraph !== "") blocks.push(paragraph)
    }
    for (const child of container.children) {
      if (typeof child === "string") this.#addText(inline, child)
      else if (this.#isSkipped(child)) continue
      else if (isBlockTag(child.tag) || child.containsBlock || child.asBlock) {
        flush()
        // Not push(...blocks): a flat document can have more blocks than a call can have arguments. The panel's heading
        // is written first, because it sets the level of the headings inside.
        const head = child.head === null ? [] : this.#panelHead(child.head)
        const own = this.block(child)
        if (own.length > 0) for (const block of head) blocks.push(block)
        for (const block of this.#options.boxes?.has(child) ? this.#prefixed(own, "> ") : own)
          blocks.push(apartFrom(blocks.at(-1), block))
      } else {
        const formula = formulaOf(child)
        if (formula?.isDisplay === true) {
          flush()
          blocks.push(settled(formulaText(formula)))
        } else inline.add(formula === null ? this.#inlineText(child) : formulaText(formula))
      }
    }
    flush()
    return blocks
  }

  block(element: Element): readonly string[] {
    switch (element.tag) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        return this.#heading(element, Number(element.tag[1]))
      case "hr":
        return ["---"]
      case "pre":
      case "listing":
        return codeBlock(element)
      case "blockquote":
        return this.#prefixed(this.children(element), "> ")
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#list(element)
      case "dl":
        return this.#definitions(element)
      case "table":
        return this.#table(element)
      case "li":
        return this.#item(element, "- ")
      case "summary":
        return element.containsBlock ? this.children(element) : this.#panelHead(element)
      case "a":
        return isPermalink(element) ? [] : this.#linkedBlocks(element)
      case "figcaption":
      case "caption":
        return this.children(element)
      default:
        if (element.get("role") === "heading") {
          const level = Number(element.get("aria-level") ?? 2)
          return this.#heading(element, level >= 1 && level <= 6 ? level : 2)
        }
        if (element.tag === "div" && isCodeLines(element)) return codeBlock(element)
        return this.children(element)
    }
  }

  #isSkipped(element: Element): boolean {
    if (this.#inHeading && isEditLink(element)) return true
    return (
      (NOT_WRITTEN.has(element.tag) && !element.asBlock && !isFormulaScript(element)) ||
      this.#options.skipped.has(element)
    )
  }

  #paragraph(inline: string): string {
    let text = inline
      .replace(/[ \t]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .trim()
    if (text === "") return ""
    text = settled(withoutStuckMarks(text))
    text = protectLineStarts(text.replace(/\n{2,}/g, "\n").replaceAll("\n", "  \n"))
    if (this.#pendingLink !== null && !this.#inHeading && /[\p{L}\p{N}]/u.test(text)) {
      const link = this.#pendingLink
      this.#pendingLink = null
      return /\]\(|\n/.test(text) ? text : `[${text}](${link})`
    }
    return text
  }

  #heading(element: Element, level: number): string[] {
    const link = this.#pendingLink
    this.#pendingLink = null
    this.#inHeading = true
    this.#level = level
    this.#bold++
    let text = settled(withoutStuckMarks(this.#inlineChildren(element).replace(/\s+/g, " ").trim()))
    this.#bold--
    this.#inHeading = false
    if (text === "") {
      this.#pendingLink = link
      return []
    }
    if (link !== null && !text.includes("](")) text = `[${text}](${link})`
    const anchor = this.#anchors.get(element)
    const mark = anchor === undefined ? "" : markOf(this.fragments.push(anchor) - 1)
    return [`${"#".repeat(level)} ${mark}${text.replace(/ (#+)$/, " \\$1")}`]
  }

  /** Writes a heading one level below the last one, or bold text in a list, which can't contain headings. */
  #panelHead(control: Element): string[] {
    const level = this.#level
    if (this.#items === 0 && textOf(control, MAX_HEAD_CHARS + 1).length <= MAX_HEAD_CHARS) {
      const written = this.#heading(control, Math.min(6, level + 1))
      this.#level = level
      return written
    }
    const text = this.#paragraph(this.#inlineChildren(control))
    return text === "" ? [] : [this.#items === 0 ? text : `**${trimEmphasis(text)}**`]
  }

  #linkedBlocks(element: Element): string[] {
    const href = this.#address(element.get("href"))
    if (href === null || this.#linked > 0) return this.children(element)
    const before = this.#pendingLink
    this.#pendingLink = href
    this.#linked++
    const blocks = this.children(element)
    this.#linked--
    this.#pendingLink = before
    return blocks
  }

  #list(element: Element): string[] {
    const ordered = element.tag === "ol"
    const start = Number(element.get("start") ?? 1)
    let number = Number.isSafeInteger(start) && start >= 0 ? start : 1
    const items: string[] = []
    let loose = false
    const empty: string[] = []
    for (const child of element.children) {
      if (typeof child === "string") {
        const text = this.#paragraph(escapeText(child))
        if (text !== "") items.push(`- ${text}`)
        continue
      }
      if (this.#isSkipped(child)) continue
      const isList = child.tag === "ul" || child.tag === "ol"
      const written = isList
        ? this.#prefixed(this.#list(child), "  ")
        : this.#item(child, ordered ? `${number}. ` : "- ")
      if (written.length === 0) {
        if (ordered && child.tag === "li" && this.#takes(EMPTY_CELL.length)) empty.push(`${number++}.`)
        continue
      }
      items.push(...empty.splice(0))
      if (!isList) number++
      for (const item of written) {
        if (item.includes("\n\n")) loose = true
        items.push(item)
      }
    }
    return items.length === 0 ? [] : [items.join(loose ? "\n\n" : "\n")]
  }

  /** Writes one list item; nested blocks are indented to the marker's width, as CommonMark requires. */
  #item(element: Element, marker: string): readonly string[] {
    this.#items++
    const blocks =
      element.tag === "li" || !isBlockTag(element.tag) ? this.children(element) : this.block(element)
    this.#items--
    if (blocks.length === 0) return []
    const lines = blocks.reduce((sum, block) => sum + linesOf(block) + 1, 0)
    if (!this.#takes(lines * marker.length)) return blocks
    const [first, ...rest] = blocks[0] === "---" ? ["***", ...blocks.slice(1)] : blocks
    const indent = " ".repeat(marker.length)
    let text = first!
    for (const block of rest) text += (isListText(block) && !text.includes("\n\n") ? "\n" : "\n\n") + block
    return [marker + text.replace(/\n(?=[^\n])/g, `\n${indent}`)]
  }

  #definitions(element: Element): string[] {
    const blocks: string[] = []
    const visit = (parent: Element): void => {
      for (const child of parent.children) {
        if (typeof child === "string" || this.#isSkipped(child)) continue
        if (child.tag === "dt") {
          this.#bold++
          const inner = this.children(child)
          this.#bold--
          for (const block of inner)
            blocks.push(/^(#|[-*] |```|\|)|\n/.test(block) ? block : `**${trimEmphasis(block)}**`)
        } else if (child.tag === "dd") for (const block of this.#item(child, ": ")) blocks.push(block)
        else if (child.tag === "div") visit(child)
        else for (const block of this.block(child)) blocks.push(block)
      }
    }
    visit(element)
    return blocks
  }

  #table(element: Element): string[] {
    const rows = tableRows(element, (node) => this.#isSkipped(node))
    const width = Math.max(0, ...rows.slice(0, 2000).map((row) => row.length))
    if (width < 2 || isLayoutTable(element, rows)) {
      const blocks: string[] = []
      for (const child of element.children)
        if (typeof child !== "string" && child.tag === "caption" && !this.#isSkipped(child))
          for (const block of this.children(child)) blocks.push(block)
      for (const row of rows)
        for (const cell of row) for (const block of this.children(cell)) blocks.push(block)
      return blocks
    }
    if (isCodeTable(element, rows)) return codeBlock(element)
    const blocks: string[] = []
    const lines: string[] = []
    for (const child of element.children)
      if (typeof child !== "string" && child.tag === "caption" && !this.#isSkipped(child))
        for (const block of this.children(child)) blocks.push(block)
    const grid = inColumns(rows)
    const columns = Math.max(width, ...grid.slice(0, 2000).map((row) => row.length))
    const groups = new Map<Element, string>()
    for (const [at, places] of grid.entries()) {
      const cells = places.map((place) => this.#placed(place, groups))
      if (cells.every((cell) => cell === "")) continue
      while (cells.length < columns && cells.length < 100 && this.#takes(EMPTY_CELL.length)) cells.push("")
      const rule = `|${" --- |".repeat(Math.min(cells.length, 1000))}`
      // A markdown table always has a header row: it is empty if the first row is data.
      if (lines.length === 0 && isLikeOthers(rows, rows[at]!)) lines.push(rule.replaceAll("---", ""), rule)
      lines.push(`| ${cells.join(EMPTY_CELL)} |`)
      if (lines.length === 1) lines.push(rule)
    }
    if (lines.length > 0) blocks.push(lines.join("\n"))
    return blocks
  }

  /** @param groups texts of cells that span rows; if short, such a text names a group, is added here and is repeated in each of its rows */
  #placed({ cell, isRepeated }: Place, groups: Map<Element, string>): string {
    if (cell === null) return ""
    if (isRepeated) {
      const group = groups.get(cell) ?? ""
      return this.#takes(group.length) ? group : ""
    }
    const text = this.#cell(cell)
    if (cell.has("rowspan") && text.length <= MAX_GROUP_CHARS) groups.set(cell, text)
    return text
  }

  #cell(cell: Element): string {
    const text = cell.containsBlock
      ? this.children(cell)
          .map((block) => block.replace(/^(?:#{1,6} |> |[-*] )/gm, "").replace(/^```.*$/gm, ""))
          .join(" ")
      : this.#inlineChildren(cell)
    return settled(withoutStuckMarks(text.replace(/\s+/g, " ").trim())).replace(/(?<!\\)\|/g, "\\|")
  }

  #addText(inline: InlineText, text: string): void {
    this.#lastText = text
    const parts = formulasInText(text)
    // Checked last, because it searches the whole document, which takes a tenth of the reading time, and few texts
    // contain such delimiters.
    const isSet = parts !== null && (this.#setsTex ??= this.#options.setsTex?.() ?? false)
    for (const part of isSet ? parts : [text])
      if (typeof part === "string") inline.addText(escapeText(part))
      else inline.add(formulaText(part))
  }

  #inlineChildren(element: Element): string {
    const text = new InlineText()
    for (const child of element.children) {
      if (typeof child === "string") this.#addText(text, child)
      else if (this.#isSkipped(child)) continue
      else if (isBlockTag(child.tag)) text.addText(` ${this.#inline(child)} `)
      else text.add(this.#inline(child))
    }
    return text.take()
  }

  #inline(element: Element): string {
    const formula = formulaOf(element)
    return formula === null ? this.#inlineText(element) : formulaText(formula)
  }

  #inlineText(element: Element): string {
    const { tag } = element
    if (tag === "br") return "\n"
    if (tag === "wbr") return ""
    if (tag === "img") return this.#image(element)
    if (tag === "a") return this.#link(element)
    if (CODE.has(tag)) return codeSpan(collapse(textOf(element)))
    if (STRONG.has(tag)) {
      if (this.#bold > 0) return this.#inlineChildren(element)
      this.#bold++
      const inner = this.#inlineChildren(element)
      this.#bold--
      return wrapped(inner, "**")
    }
    if (EMPHASIS.has(tag)) {
      if (this.#italic > 0) return this.#inlineChildren(element)
      this.#italic++
      const inner = this.#inlineChildren(element)
      this.#italic--
      return wrapped(inner, "*")
    }
    if (tag === "sup" && this.#isReference(element)) return referenceMark(this.#inlineChildren(element))
    if (DELETED.has(tag)) return wrapped(this.#inlineChildren(element), "~~")
    if (tag === "q") return `"${this.#inlineChildren(element)}"`
    return this.#inlineChildren(element)
  }

  /**
   * Whether a superscript after a word refers to a footnote: it links to a place on the page, or is the next number.
   * Brackets separate it from the word.
   */
  #isReference(element: Element): boolean {
    if (!AFTER_WORD.test(this.#lastText)) return false
    const text = textOf(element, MAX_MARK_CHARS + 1)
    if (text.length > MAX_MARK_CHARS || !MARK_OF_NOTE.test(text)) return false
    const isNext = Number(text) === 1 || Number(text) === this.#note + 1
    const isLink = closest(element, isFragmentLink) !== null || firstElement(element, isFragmentLink) !== null
    if (!isLink && !isNext) return false
    if (isNext) this.#note = Number(text)
    return true
  }

  #link(element: Element): string {
    if (isPermalink(element)) return ""
    const href = this.#linked > 0 ? null : this.#address(element.get("href"))
    if (href === null) return this.#inlineChildren(element)
    this.#linked++
    const inner = this.#inlineChildren(element)
    this.#linked--
    const text = inner.replace(/\s+/g, " ").trim()
    if (text === "") return inner
    return `${/^\s/.test(inner) ? " " : ""}[${text}](${href})${/\s$/.test(inner) ? " " : ""}`
  }

  #image(element: Element): string {
    const src = imageAddress(element, this.#options.baseUrl)
    if (src === null || isTinyImage(element)) return ""
    // Markdown parsers look for links in a description too.
    const alt = (imageDescription(element, this.#options.captions) ?? "").replace(
      /[[\]\\`*_<]|(?<=\])\(/g,
      "\\$&",
    )
    const image = `![${alt}](${destination(src)})`
    return this.#takes(image.length) ? image : ""
  }

  #address(href: string | null): string | null {
    if (href === null) return null
    const url = URL.parse(href.trim(), this.#options.baseUrl)
    if (!url || !/^(https?|mailto|tel):$/.test(url.protocol)) return null
    const address = destination(url.href)
    return this.#takes(address.length) ? address : null
  }
}

/** Matches a word of at least three letters or the end of a sentence. Shorter names are units and variables, which can have exponents. */
const AFTER_WORD = /(?:\p{L}{3}|[.,;:!?\]"”’»])$/u
const MAX_MARK_CHARS = 3
const MARK_OF_NOTE = /^(?:\d+|[a-z]|[*†‡§¶]+)$/u

const referenceMark = (inner: string): string =>
  /^\[[^[\]]*\]\(/.test(inner) ? `[\\[${inner.slice(1).replace("]", "\\]]")}` : `\\[${inner}\\]`

function linesOf(block: string): number {
  let lines = 1
  for (let at = block.indexOf("\n"); at >= 0; at = block.indexOf("\n", at + 1)) lines += 1
  return lines
}

/** Uses a different marker for a list right after another of its kind, so that the two stay separate (CommonMark §5.3). */
function apartFrom(before: string | undefined, block: string): string {
  const sign = LIST_SIGN.exec(block)
  if (sign === null || before === undefined || LIST_SIGN.exec(before)?.[1] !== sign[1]) return block
  return sign[1] === "-" ? block.replace(/^-(?= )/gm, "*") : block.replace(/^(\d{1,9})\.(?= |$)/gm, "$1)")
}

const LIST_SIGN = /^(?:\d{1,9})?([-.])(?= )/

function isListText(block: string): boolean {
  return /^(?:[-*]|\d+[.)]) /.test(block)
}

function prefixed(blocks: readonly string[], prefix: string): string[] {
  if (blocks.length === 0) return []
  const blank = `\n${prefix.trimEnd()}\n`
  const lines = blocks.join("\n\n").replaceAll("\n", `\n${prefix}`).replaceAll(`\n${prefix}\n`, blank)
  return [prefix + lines]
}

/** Puts angle brackets around an address whose characters would end the destination early (CommonMark §6.3). */
function destination(url: string): string {
  return url.replace(/[()<>\s]/g, (char) =>
    char === "(" ? "%28" : char === ")" ? "%29" : encodeURIComponent(char),
  )
}

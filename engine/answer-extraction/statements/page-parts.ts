import type { Hit } from "../../engine.ts"
import { type Block, blocksOf } from "../../text/markdown/markdown-blocks.ts"
import { isBoldLine, lineKey, type PageMarks } from "./page-marks.ts"
import { splitSentences } from "./sentences.ts"

/** The input: the page's title, its text, and which parts of it the search found best. */
export type StatedIn = Pick<Hit, "title" | "markdown" | "passages" | "language">

/** A block of a page other than a heading, and the texts it depends on, word for word from the page. */
export interface Part {
  readonly block: Block
  /** The block's lines of markdown; empty when there is none. */
  readonly raw: readonly string[]
  /** The headings above the block, outermost first; the page title comes first. */
  readonly headings: readonly string[]
  /** The term that the block defines or describes. */
  readonly term: string | null
  /** The text before the list that the block belongs to, such as "These were:". */
  readonly announcement: string | null
  /** The code or list items that follow a text ending in a colon; empty for all other texts. */
  readonly announces: readonly Block[]
  /** An id shared by all blocks under one term, otherwise unique to this block. */
  readonly entry: string
}

const ITEM = /^(?:-|\d{1,9}[.)]) /
export const isItem = (text: string): boolean => ITEM.test(text)
/** The marker that begins the definition of a term. */
export const DEFINITION = /^: /
export const withoutMarker = (line: string): string => line.replace(/^(?:[-:]|\d{1,9}[.)])\s+/, "")
const QUOTED = /^\s*>/
const CAPTION = /^(?:table|figure|fig\.?|listing|example)\s+\d/i
const ANNOUNCING = /[:：]\s*$/
/** Maximum number of list items examined. */
const MAX_ITEMS = 20
/** Maximum length of a term or of the text that introduces a list. */
const MAX_LEAD_CHARS = 240
/** Number of characters of a block that identify the passage containing it. */
const KEY_CHARS = 60

/** The parts of a page in order; if it has no text, the parts of its passages. */
export function partsOf({ title, markdown, passages, language }: StatedIn, marks: PageMarks): Part[] {
  if (markdown === "") {
    return passages.map(({ text, headings }, at) => ({
      entry: `${at}`,
      block: { kind: "text", line: 0, text },
      raw: [],
      headings: [title, ...headings],
      term: null,
      announcement: null,
      announces: [],
    }))
  }
  const lines = markdown.split(/\r\n?|\n/)
  const blocks = blocksOf(markdown)
  const found: Part[] = []
  const path: { depth: number; text: string }[] = []
  /** A bold line that serves as a heading. */
  let lead: string | null = null
  let term: string | null = null
  let terms = 0
  let announcement: string | null = null
  /** Whether the bold line is the heading of a quotation, such as a box next to the text, or only of the table below it. */
  let isQuoted = false
  let isCaption = false
  for (const [at, block] of blocks.entries()) {
    const next = blocks[at + 1]
    if (isQuoted && !QUOTED.test(lines[block.line] ?? "")) {
      lead = null
      isQuoted = false
    }
    if (block.kind === "heading") {
      while (path.length > 0 && path.at(-1)!.depth >= block.depth) path.pop()
      path.push(block)
      lead = term = announcement = null
      continue
    }
    if (block.kind === "text" && isBoldLine(marks, block.text)) {
      const text = lineKey(block.text.replace(ITEM, ""))
      const defined = next?.kind === "text" && DEFINITION.test(next.text)
      if (defined) {
        term = text
        terms += 1
      } else [lead, term] = [text, null]
      isQuoted = QUOTED.test(lines[block.line] ?? "")
      isCaption = CAPTION.test(text)
      announcement = null
      continue
    }
    const isIndented = /^\s/.test(lines[block.line] ?? "")
    const isOfList = isItem(block.text)
    if (!isIndented && !DEFINITION.test(block.text)) term = null
    if (!isOfList && !isIndented) announcement = null
    const headings = [title, ...path.map(({ text }) => text), ...(lead === null ? [] : [lead])]
    const end = next?.line ?? lines.length
    found.push({
      block,
      raw: lines.slice(block.line, end),
      headings,
      term,
      announcement: isOfList ? announcement : null,
      announces: announcedBy(blocks, at),
      entry: term === null ? `${at}` : `term ${terms}`,
    })
    if (isCaption) lead = null
    if (block.kind === "text" && !isOfList) announcement = announcementOf(block.text, language)
  }
  return found
}

/** Finds the rank of a block's passage among the page's best, from 0; infinite if none of them contains the block. */
export function passageRanks({ passages }: Pick<StatedIn, "passages">): (block: Block) => number {
  const texts = passages.map(({ text }) => lineKey(text))
  return ({ text }) => {
    const key = lineKey(text.replace(DEFINITION, "")).slice(0, KEY_CHARS)
    const found = texts.findIndex((passage) => passage.includes(key))
    return found === -1 ? Number.POSITIVE_INFINITY : found
  }
}

/** The last sentence of a paragraph, if something must follow it; otherwise `null`. */
function announcementOf(text: string, language: string | null): string | null {
  const last = lineKey(text.replace(DEFINITION, "").split("\n").at(-1)!)
  const sentence = splitSentences(last, language).at(-1) ?? ""
  return sentence.length <= MAX_LEAD_CHARS && /[\p{L}\p{N}:：)]$/u.test(sentence) ? sentence : null
}

function announcedBy(blocks: readonly Block[], at: number): Block[] {
  const { kind, text } = blocks[at]!
  if (kind !== "text" || !ANNOUNCING.test(text)) return []
  const next = blocks[at + 1]
  if (next?.kind === "code") return [next]
  const items: Block[] = []
  for (let i = at + 1; i < blocks.length && items.length < MAX_ITEMS; i++) {
    const block = blocks[i]!
    if (block.kind !== "text" || !isItem(block.text)) break
    items.push(block)
  }
  return items
}

import { type Token, type Tokens, lexer } from "marked"
import { MAX_PASSAGE_CHARS, type Passage } from "./page.ts"

/** A section shorter than this joins the one after it instead of standing alone. */
const SMALL_SECTION_CHARS = 200

interface Section {
  readonly headings: readonly string[]
  /** Plain text of each block, in order. */
  readonly blocks: string[]
}

/**
 * Cuts a page's main content into passages of at most {@link MAX_PASSAGE_CHARS} characters of plain text.
 *
 * Cuts fall between sections, else between blocks, lines, sentences, words; inside a word only when the word
 * alone is too long. Short neighbouring sections share a passage: it carries the headings they have in
 * common, and the rest of their headings stand in its text. Every word of the page is in the text or the
 * headings of exactly one stretch, in order; markdown's marks and link targets are dropped.
 */
export function toPassages(markdown: string): Passage[] {
  const passages: Passage[] = []
  let open: Section | null = null
  for (const section of sectionsOf(markdown)) {
    const joined: Section | null = open && join(open, section)
    if (joined) {
      open = joined
      continue
    }
    if (open) passages.push(...cut(open))
    open = section
  }
  if (open) passages.push(...cut(open))
  return passages
}

/** The text that is embedded for a passage: where it stands, then what it says. */
export function embeddingText(title: string, passage: Passage): string {
  return [title, ...passage.headings, passage.text].filter((part) => part !== "").join("\n")
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  const path: { depth: number; text: string }[] = []
  let section: Section = { headings: [], blocks: [] }
  for (const token of lexer(markdown)) {
    if (token.type !== "heading") {
      section.blocks.push(...blocksOf(token))
      continue
    }
    if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
    const { depth, tokens } = token as Tokens.Heading
    while (path.length > 0 && path.at(-1)!.depth >= depth) path.pop()
    path.push({ depth, text: squeeze(inline(tokens)) })
    section = { headings: path.map((one) => one.text).filter((text) => text !== ""), blocks: [] }
  }
  if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
  return sections
}

/** Both sections under the headings they share, or null when they are better apart. */
function join(first: Section, second: Section): Section | null {
  const shared = sharedPath(first.headings, second.headings)
  const blocks = [
    ...first.headings.slice(shared.length),
    ...first.blocks,
    ...second.headings.slice(shared.length),
    ...second.blocks,
  ]
  const small = length(first.blocks) < SMALL_SECTION_CHARS
  return small && length(blocks) <= MAX_PASSAGE_CHARS ? { headings: shared, blocks } : null
}

function sharedPath(a: readonly string[], b: readonly string[]): string[] {
  const end = a.findIndex((heading, i) => heading !== b[i])
  return a.slice(0, end === -1 ? a.length : end)
}

function length(blocks: readonly string[]): number {
  return blocks.reduce((sum, block) => sum + block.length + 1, 0)
}

function cut({ headings, blocks }: Section): Passage[] {
  const texts = pack(blocks, "\n", splitLines)
  // A heading with nothing under it is still found: by itself.
  if (texts.length === 0) return headings.length > 0 ? headingOnly(headings) : []
  return texts.map((text) => ({ text, headings }))
}

function headingOnly(headings: readonly string[]): Passage[] {
  const texts = pack(headings.slice(-1), "\n", splitWords)
  return texts.map((text) => ({ text, headings: headings.slice(0, -1) }))
}

/** Fills passages with whole pieces; a piece too long by itself is split and its parts packed likewise. */
function pack(pieces: readonly string[], glue: string, split: (piece: string) => string[]): string[] {
  const full: string[] = []
  let filling = ""
  for (const piece of pieces) {
    const together = filling === "" ? piece : filling + glue + piece
    if (together.length <= MAX_PASSAGE_CHARS) {
      filling = together
      continue
    }
    if (filling !== "") full.push(filling)
    const parts = piece.length <= MAX_PASSAGE_CHARS ? [piece] : split(piece)
    full.push(...parts.slice(0, -1))
    filling = parts.at(-1) ?? ""
  }
  if (filling !== "") full.push(filling)
  return full
}

function splitLines(block: string): string[] {
  return pack(block.split("\n"), "\n", splitSentences)
}

function splitSentences(line: string): string[] {
  return pack(line.split(/(?<=[.!?…]["'”’)\]]?)\s+|(?<=[。！？])/u), " ", splitWords)
}

function splitWords(sentence: string): string[] {
  return pack(sentence.split(/\s+/), " ", splitCharacters)
}

/** Cuts between characters (code points), never within one. */
function splitCharacters(word: string): string[] {
  const parts: string[] = []
  let start = 0
  while (word.length - start > MAX_PASSAGE_CHARS) {
    let end = start + MAX_PASSAGE_CHARS
    if (/[\uD800-\uDBFF]/.test(word[end - 1]!)) end--
    parts.push(word.slice(start, end))
    start = end
  }
  parts.push(word.slice(start))
  return parts
}

function blocksOf(token: Token, mark = ""): string[] {
  switch (token.type) {
    case "space":
    case "hr":
    case "def":
      return []
    case "code":
      return filled(tidy((token as Tokens.Code).text))
    case "list":
      return listBlocks(token as Tokens.List)
    case "table":
      return filled(tableText(token as Tokens.Table))
    case "blockquote":
      return ((token as Tokens.Blockquote).tokens ?? []).flatMap((child) => blocksOf(child))
    case "html":
      return filled(squeezeLines(withoutTags((token as Tokens.HTML).text)))
    default:
      return filled(
        mark + squeezeLines("tokens" in token && token.tokens ? inline(token.tokens) : plain(token)),
      )
  }
}

function listBlocks(list: Tokens.List): string[] {
  return list.items.flatMap((item, i) => {
    const mark = list.ordered ? `${Number(list.start || 1) + i}. ` : "- "
    const blocks = item.tokens.flatMap((child) => blocksOf(child))
    return blocks.map((block, at) => (at === 0 ? mark + block : block))
  })
}

function tableText(table: Tokens.Table): string {
  const row = (cells: Tokens.TableCell[]) => cells.map((cell) => squeeze(inline(cell.tokens))).join(" | ")
  return [row(table.header), ...table.rows.map(row)].join("\n")
}

function inline(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? inline(token.tokens) : plain(token)))
    .join("")
}

function plain(token: Token): string {
  if (token.type === "br") return "\n"
  if (token.type === "html") return withoutTags(token.raw)
  if (token.type === "codespan") return token.text as string
  return decodeEntities("text" in token ? (token.text as string) : token.raw)
}

const filled = (text: string) => (text.trim() === "" ? [] : [text])
const squeeze = (text: string) => text.replace(/\s+/g, " ").trim()
const squeezeLines = (text: string) => text.split("\n").map(squeeze).filter(Boolean).join("\n")
/** Code keeps its lines and indentation. */
const tidy = (code: string) =>
  code
    .replaceAll("\t", "  ")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{2,}/g, "\n")

/** Text such as `Vec<T>` is no tag of HTML and stays. */
function withoutTags(html: string): string {
  const tags =
    /<\/?(?:a|abbr|b|blockquote|br|button|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|input|ins|kbd|li|mark|ol|p|picture|pre|q|s|section|small|source|span|strong|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|u|ul|var|video)(?:\s[^<>]*)?\/?>|<!--.*?-->/gis
  return decodeEntities(html.replace(tags, " "))
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (all, dec, hex, name) => {
      if (name) return ENTITIES[(name as string).toLowerCase()] ?? all
      const code = dec ? Number(dec) : Number.parseInt(hex as string, 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
    },
  )
}

import { blocksOf } from "./markdown-blocks.ts"
import { offLoop } from "#base/process/off-loop.ts"
import { MAX_PASSAGE_CHARS, type Passage } from "../page/passage.ts"

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
 * common, and the rest of their headings stand in its text. A heading that would fill a passage by itself is text: each
 * passage below it would repeat it. Every word of the page is in the text or the
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

/** {@link toPassages} for an event loop. */
export const cutIntoPassages = offLoop(import.meta.url, toPassages)

/** The text that is embedded for a passage: where it stands, then what it says. */
export function embeddingText(title: string, passage: Passage): string {
  return [title, ...passage.headings, passage.text].filter((part) => part !== "").join("\n")
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  const path: { depth: number; text: string }[] = []
  let section: Section = { headings: [], blocks: [] }
  for (const block of blocksOf(markdown)) {
    if (block.kind !== "heading" || block.text.length > MAX_PASSAGE_CHARS) {
      section.blocks.push(block.text)
      continue
    }
    if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
    while (path.length > 0 && path.at(-1)!.depth >= block.depth) path.pop()
    if (block.text !== "") path.push(block)
    section = { headings: path.map((one) => one.text), blocks: [] }
  }
  if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
  return sections
}

/** Both sections under the headings they share, or null when they are better apart. */
function join(first: Section, second: Section): Section | null {
  const shared = sharedPath(first.headings, second.headings)
  if (first.blocks.length === 0 && shared.length === first.headings.length) return second
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

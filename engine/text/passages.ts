import { type Block, blocksOf, rowText } from "./markdown/markdown-blocks.ts"
import { CELL_END, type Line, type Part, shownLength, showLines, withBars } from "./shown-lines.ts"
import { offLoop } from "#base/process/threads/off-loop.ts"
import type { PageAnchor } from "../index/page/page.ts"
import { MAX_PASSAGE_CHARS, MAX_SHOWN_CHARS, type Passage } from "../index/page/passage.ts"
import { joinedPlaces, pagesIn, type Place, type Places, placesAt, placesOfParts } from "./passage-places.ts"
import { LETTERS_PER_CHARACTER, eastAsianIn } from "#base/text/east-asian.ts"

/** A section shorter than this joins the one after it instead of standing alone. */
const SMALL_SECTION_CHARS = 200

/**
 * The last passage of a section or a long line is filled up to this length, because the vector of a few words is close
 * to every question. nDCG@10 of Chinese, Arabic and Turkish questions about English pages by vectors alone (XQuAD,
 * even-numbered questions, multilingual-e5-small), and for how many of 595 questions the most frequent page ranks
 * first:
 *
 * no filling    0.734 0.716 0.814    146 191 106 this          0.787 0.781 0.858     39  25  11 200           0.787
 * 0.786 0.859     42  25  11
 */
const LEAST_CHARS = 100
/** Ends of sentences in every script; East Asian sentences follow each other without a blank. */
const SENTENCE_END = /(?<=[\p{Sentence_Terminal}…]["'”’)\]]?)\s+|(?<=[。！？])/u

/** Maximum number of characters that are added when a passage is shown: for each line of code or table row, and once for column names. */
const MARKS_OF_LINE = 10
const MARKS_OF_PASSAGE = 240

interface Section {
  readonly headings: readonly string[]
  /** For several joined sections: all headings above the last one. Headings that the last doesn't share with the first are in the text. */
  readonly openHeadings?: readonly string[]
  /** The lines of each block, in order. */
  readonly blocks: readonly Piece[]
  /** The place of the section's heading, or of the nearest heading above it that has one. */
  readonly place: Place | null
  /** For several joined sections: the heading of the first, if it is in the text. */
  readonly beginsUnder?: string | undefined
}

/** A stretch of text, with its places. */
interface Piece {
  readonly lines: readonly Line[]
  readonly places: Places
  /** Number of characters in the text. */
  readonly chars: number
  /** The text's width, as counted by {@link widthOf}. */
  readonly width: number
}

/**
 * Cuts a page's main content into passages of at most {@link MAX_PASSAGE_CHARS} characters of plain text, or a third as
 * many of Chinese, Japanese and Korean: so a passage carries about the same amount in every language, some 100 tokens
 * of a model. With as many characters as in English, nDCG@10 of Chinese questions by vectors alone was 0.70 instead of
 * 0.82.
 *
 * Passages are cut between sections, or if necessary between blocks, lines, sentences or words; inside a word only if
 * the word alone is too long. The length as shown counts too: the fences of code, and the column names above the rows
 * of a table that begins in an earlier passage. Short neighbouring sections share a passage, which carries the headings
 * they have in common, with the rest of their headings in its text. A heading that would fill a passage on its own
 * becomes text, because each passage below it would repeat it. Every word of the page is in the text or the headings of
 * exactly one passage, in order; markdown's marks and link targets are dropped. Anchors don't affect the cuts.
 *
 * @param anchors as in `Page`
 */
export const toPassages = (markdown: string, anchors: readonly PageAnchor[] = []): Passage[] =>
  passagesOfBlocks(blocksOf(markdown, linesWith(anchors)), anchors)

/** The lines that anchors are on: {@link passagesOfBlocks} needs them marked. */
export const linesWith = (anchors: readonly PageAnchor[] = []): Set<number> =>
  new Set(anchors.map(([line]) => line))

/** {@link toPassages} for markdown that is already in blocks. */
export function passagesOfBlocks(blocks: readonly Block[], anchors: readonly PageAnchor[] = []): Passage[] {
  const passages: Passage[] = []
  let open: Section | null = null
  const places = new Map(
    anchors.map(([line, fragment, page = null]): [number, Place] => [line, { fragment, page }]),
  )
  for (const section of sectionsOf(blocks, places)) {
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

/** {@link toPassages} without blocking the event loop. */
export const cutIntoPassages = offLoop(import.meta.url, toPassages)

/** The text that is embedded for a passage: its headings, then its content. */
export function embeddingText(title: string, passage: Passage): string {
  return [title, ...passage.headings, passage.text].filter((part) => part !== "").join("\n")
}

function sectionsOf(blocks: readonly Block[], places: ReadonlyMap<number, Place>): Section[] {
  const sections: Section[] = []
  const path: { depth: number; text: string; place: Place | null }[] = []
  let section: Section & { readonly blocks: Piece[] } = { headings: [], blocks: [], place: null }
  let last: Place | null = null
  for (const block of blocks) {
    const own = places.get(block.line) ?? null
    if (block.kind !== "heading" || block.text.length > MAX_PASSAGE_CHARS) {
      const first = own ?? last ?? section.place
      const within = block.kind === "text" ? (block.marked ?? []) : []
      const all: Places = [
        ...placesAt(first),
        ...within.map(([line, at]) => [at, places.get(line)!] as const),
      ]
      last = all.at(-1)?.[1] ?? null
      section.blocks.push(pieceOf(linesOf(block), all))
      continue
    }
    last = null
    if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
    while (path.length > 0 && path.at(-1)!.depth >= block.depth) path.pop()
    if (block.text !== "") path.push({ depth: block.depth, text: block.text, place: own })
    const place = path.findLast((one) => one.place !== null)?.place ?? null
    section = { headings: path.map((one) => one.text), blocks: [], place }
  }
  if (section.headings.length > 0 || section.blocks.length > 0) sections.push(section)
  return sections
}

/** Both sections under their shared headings, or null if they are better kept apart. */
function join(first: Section, second: Section): Section | null {
  const shared = sharedPath(first.headings, second.headings)
  if (first.blocks.length === 0 && shared.length === first.headings.length) return second
  const said = sharedPath(first.openHeadings ?? first.headings, second.headings)
  const blocks = [...piecesOf(first, shared.length), ...piecesOf(second, said.length)]
  const small = length(first.blocks) < SMALL_SECTION_CHARS
  if (!small || !fitTogether(blocks)) return null
  // Text above all headings has no address of its own, so it uses that of the first heading.
  const hasPlace = first.headings.length > 0 || first.blocks.some(({ places }) => places.length > 0)
  const named = hasPlace ? first : second
  const inText = shared.length < named.headings.length ? named.headings.at(-1) : undefined
  const beginsUnder = first.beginsUnder ?? inText
  return { headings: shared, openHeadings: second.headings, blocks, place: named.place, beginsUnder }
}

/** The headings of a section from a given depth on, and its text. */
const piecesOf = ({ headings, blocks, place }: Section, depth: number): Piece[] => [
  ...headings.slice(depth).map((text) => pieceOf([{ text }], placesAt(place))),
  ...blocks,
]

function sharedPath(a: readonly string[], b: readonly string[]): string[] {
  const end = a.findIndex((heading, i) => heading !== b[i])
  return a.slice(0, end === -1 ? a.length : end)
}

function length(blocks: readonly Piece[]): number {
  return blocks.reduce((sum, { width }) => sum + width + 1, 0)
}

const fitTogether = (blocks: readonly Piece[]): boolean =>
  length(blocks) <= MAX_PASSAGE_CHARS && shownLength(blocks.flatMap(({ lines }) => lines)) <= MAX_SHOWN_CHARS

function linesOf(block: Block): Line[] {
  const line = (text: string, of: Part["of"], at: number): Line => ({
    text,
    part: { of, at, cell: 0, isCut: false },
  })
  if (block.kind === "text" && block.table) {
    const { table } = block
    return table.rows.map((cells, at) => line(rowText(cells, CELL_END), table, at))
  }
  if (block.kind === "code" && block.code) {
    const { code } = block
    const written = code.lines.flatMap((one, at) => (one === "" ? [] : [at]))
    return block.text.split("\n").map((text, i) => line(text, code, written[i]!))
  }
  const depth = block.kind === "text" ? block.depth : undefined
  return block.text.split("\n").map((text, i) => ({ text, ...(i === 0 && depth && { depth }) }))
}

function cut({ headings, blocks, place, beginsUnder }: Section): Passage[] {
  const pieces = pack(blocks, together, splitLines)
  // A heading without text under it becomes a passage, so that it can be found.
  if (pieces.length === 0) return headings.length > 0 ? headingOnly(headings, place) : []
  return pieces.map((piece, at) => passageOf(piece, headings, at === 0 ? beginsUnder : undefined))
}

function headingOnly(headings: readonly string[], place: Place | null): Passage[] {
  const [last] = headings.slice(-1)
  const pieces = pack([pieceOf([{ text: last! }], placesAt(place))], together, splitLines)
  return pieces.map((piece) => passageOf(piece, headings.slice(0, -1), last))
}

function passageOf(piece: Piece, headings: readonly string[], beginsUnder?: string): Passage {
  const { lines, places } = piece
  const text = withBars(textOf(piece))
  const shown = showLines(lines)
  const anchor = places[0]?.[1].fragment ?? ""
  const pages = pagesIn(places)
  return {
    text,
    headings,
    ...(shown !== text && { shown }),
    ...(anchor !== "" && { anchor }),
    ...pages,
    ...((anchor !== "" || pages.page !== undefined) && beginsUnder !== undefined && { beginsUnder }),
  }
}

function pieceOf(lines: readonly Line[], places: Places): Piece {
  let [chars, width] = [lines.length - 1, lines.length - 1]
  for (const { text } of lines) {
    chars += text.length
    width += widthOf(text)
  }
  return { lines, places, chars, width }
}

const textOf = ({ lines }: Piece): string => lines.map(({ text }) => text).join("\n")

function fits(piece: Piece): boolean {
  if (piece.width > MAX_PASSAGE_CHARS) return false
  const estimate = piece.chars + piece.lines.length * MARKS_OF_LINE + MARKS_OF_PASSAGE
  return estimate <= MAX_SHOWN_CHARS || shownLength(piece.lines) <= MAX_SHOWN_CHARS
}

/**
 * Fills passages with whole pieces; splits a piece that is too long and packs its parts in the same way. The last
 * passage takes pieces from the one before until it is long enough.
 */
function pack(pieces: readonly Piece[], join: Join, split: (piece: Piece) => Piece[]): Piece[] {
  const full: Filled[] = []
  let filling: Filled | null = null
  const begin = (piece: Piece): Filled => ({ pieces: [piece], whole: piece })
  const add = ({ pieces, whole }: Filled, piece: Piece): Filled => ({
    pieces: [...pieces, piece],
    whole: join(whole, piece),
  })
  for (const piece of pieces) {
    const joined: Filled = filling === null ? begin(piece) : add(filling, piece)
    if (fits(joined.whole)) {
      filling = joined
      continue
    }
    if (filling !== null) full.push(filling)
    const parts = (fits(piece) ? [piece] : split(piece)).map(begin)
    full.push(...parts.slice(0, -1))
    filling = parts.at(-1) ?? null
  }
  if (filling !== null) full.push(filling)
  return balanced(full, join)
}

/** The pieces of a passage, and its whole text. */
interface Filled {
  readonly pieces: readonly Piece[]
  readonly whole: Piece
}

function balanced(full: readonly Filled[], join: Join): Piece[] {
  const wholes = full.map(({ whole }) => whole)
  const last = full.at(-1)
  let before = full.at(-2)
  if (before === undefined || last === undefined) return wholes
  let end = last.whole
  while (before.pieces.length > 1 && end.width < LEAST_CHARS) {
    const pieces = before.pieces.slice(0, -1)
    const whole: Piece = pieces.reduce(join)
    const more: Piece = join(before.pieces.at(-1)!, end)
    if (!fits(more) || whole.width < more.width) break
    before = { pieces, whole }
    end = more
  }
  return [...wholes.slice(0, -2), before.whole, end]
}

type Join = (first: Piece, second: Piece) => Piece

/** Joins pieces as lines. */
const together: Join = (first, second) => ({
  lines: [...first.lines, ...second.lines],
  places: joinedPlaces(first.places, first.chars + 1, second.places),
  ...joinedSize(first, second),
})

/** The size of two pieces with one character between them. */
const joinedSize = (first: Piece, second: Piece): Pick<Piece, "chars" | "width"> => ({
  chars: first.chars + 1 + second.chars,
  width: first.width + 1 + second.width,
})

/** Joins two parts of one line. */
function alongside(one: Piece, other: Piece): Piece {
  const [[first], [second]] = [one.lines, other.lines]
  const text = `${first!.text} ${second!.text}`
  return {
    lines: [{ ...first!, text }],
    places: joinedPlaces(one.places, one.chars + 1, other.places),
    ...joinedSize(one, other),
  }
}

function splitLines({ lines, places }: Piece): Piece[] {
  let at = 0
  const parts = lines.map(({ text }) => {
    const from = at
    at += text.length + 1
    return { from, to: from + text.length }
  })
  const placed = placesOfParts(places, parts)
  const pieces = lines.map((line, i) => pieceOf([line], placed[i]!))
  return pieces.length === 1 ? splitSentences(pieces[0]!) : pack(pieces, together, splitSentences)
}

const splitSentences = (line: Piece): Piece[] => pack(partsOf(line, SENTENCE_END), alongside, splitWords)

const splitWords = (sentence: Piece): Piece[] => pack(partsOf(sentence, /\s+/), alongside, splitCharacters)

/** Splits a line; each part keeps the cell of its row in which it begins. */
function partsOf({ lines: [line], places }: Piece, between: RegExp): Piece[] {
  return partsAs(line!, line!.text.split(between), places)
}

function partsAs({ text: whole, part }: Line, texts: readonly string[], places: Places): Piece[] {
  let cell = part?.cell ?? 0
  let at = 0
  const parts = texts.map((text) => {
    const from = whole.indexOf(text, at)
    at = from + text.length
    return { from, to: at }
  })
  const placed = placesOfParts(places, parts)
  return texts.map((text, i) => {
    const line: Line = { text, ...(part && { part: { ...part, cell, isCut: true } }) }
    cell += text.split(CELL_END).length - 1
    return pieceOf([line], placed[i]!)
  })
}

/** Cuts between characters (code points), never within one. */
function splitCharacters({ lines: [line], places }: Piece): Piece[] {
  const parts: string[] = []
  let part = ""
  let width = 0
  for (const character of line!.text) {
    const more = widthOf(character)
    if (width + more > MAX_SHOWN_CHARS) {
      parts.push(part)
      part = ""
      width = 0
    }
    part += character
    width += more
  }
  parts.push(part)
  return partsAs(line!, parts, places)
}

/** Width in letters: an East Asian character counts as several. */
function widthOf(text: string): number {
  return text.length + (LETTERS_PER_CHARACTER - 1) * eastAsianIn(text)
}

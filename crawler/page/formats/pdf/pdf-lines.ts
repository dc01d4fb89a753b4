import { type Frame, type FramedItem, type PdfView, UNSPACED } from "./pdf-frames.ts"

/** The place of a link on a page. */
export interface PdfLinkArea {
  readonly address: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** The text at that place, filled in by {@link linesOf}. */
  text: string
}

/** A piece of a line with at most one address. */
export interface PdfPiece {
  text: string
  readonly address: string | null
}

/** Text on one baseline, without wide gaps. */
export interface PdfLine {
  text: string
  readonly pieces: PdfPiece[]
  readonly left: number
  right: number
  readonly y: number
  /** The font size of most of the line's characters. */
  size: number
  isMonospace: boolean
  /** Whether the previous line is on the same baseline, to the left of a wide gap: a table, or columns. */
  readonly isBeside: boolean
}

/** A gap of at least this multiple of the font size is wider than a space between words. */
const WIDE_GAP = 1.6
/** Characters closer than this share of the font size belong to one word. */
const WORD_GAP = 0.16

/** The lines of a page in reading order. Text in a different direction from most of the page, such as axis labels, comes last. */
export function linesOf(
  items: readonly FramedItem[],
  { width, height }: Pick<PdfView, "width" | "height">,
  links: readonly PdfLinkArea[],
): PdfLine[] {
  const frames = Map.groupBy(items, ({ frame }) => frame)
  const chars = (frame: Frame) => frames.get(frame)!.reduce((sum, { text }) => sum + text.length, 0)
  const order = [...frames.keys()].sort((a, b) => chars(b) - chars(a))
  return order.flatMap((frame, at) => {
    const parts = withoutRepeats(frames.get(frame)!)
    const lines =
      frame === "right"
        ? joinItems(links.length === 0 ? parts : parts.flatMap((item) => splitAtLinks(item, links)), links)
        : joinItems(parts, [])
    const ordered = inColumns(lines, frame === "right" || frame === "left" ? width : height)
    return at === 0 ? ordered : ordered.map((line) => ({ ...line, y: line.y + at * (width + height) }))
  })
}

/** How many runs back a repeated run can be: programs draw shadows and outlines after each line or each paragraph. */
const MAX_REPEATED = 200
/** The maximum distance, in points, between drawings of the same run. */
const SHIFTED = 1

/** The runs without repetitions at the same place, which programs draw for a shadow, an outline or bold letters. */
function withoutRepeats(items: readonly FramedItem[]): FramedItem[] {
  const last = new Map<string, { at: number; item: FramedItem }>()
  return items.filter((item, at) => {
    const before = last.get(item.text)
    const isRepeated =
      before !== undefined &&
      at - before.at <= MAX_REPEATED &&
      item.text.trim() !== "" &&
      Math.abs(before.item.x - item.x) <= SHIFTED &&
      Math.abs(before.item.y - item.y) <= SHIFTED
    if (!isRepeated) last.set(item.text, { at, item })
    return !isRepeated
  })
}

/** Splits a run that is only partly a link, at the words where the link begins and ends. */
function splitAtLinks(item: FramedItem, links: readonly PdfLinkArea[]): FramedItem[] {
  const { text, x, width } = item
  const middle = item.y - item.size * 0.3
  const cuts = new Set<number>()
  for (const { left, right, top, bottom } of links) {
    if (middle < top - 1 || middle > bottom + 1 || right <= x || left >= x + width) continue
    for (const edge of [left, right]) {
      const at = Math.round(((edge - x) / width) * text.length)
      const cut = nearestWordStart(text, at)
      if (cut > 0 && cut < text.length) cuts.add(cut)
    }
  }
  if (cuts.size === 0) return [item]
  const bounds = [0, ...[...cuts].sort((a, b) => a - b), text.length]
  return bounds.slice(1).map((end, index) => {
    const start = bounds[index]!
    const share = width / text.length
    return { ...item, text: text.slice(start, end), x: x + start * share, width: (end - start) * share }
  })
}

/** How far from its calculated place a word can begin, because characters differ in width. */
const CUT_SLACK = 4

function nearestWordStart(text: string, at: number): number {
  for (let off = 0; off <= CUT_SLACK; off += 1) {
    for (const index of [at - off, at + off]) {
      if (index <= 0 || index >= text.length) return Math.max(0, Math.min(index, text.length))
      if (/\s/.test(text[index - 1]!)) return index
    }
  }
  return at
}

function joinItems(items: readonly FramedItem[], links: readonly PdfLinkArea[]): PdfLine[] {
  const lines: PdfLine[] = []
  /** The number of characters in the last line, by font size. */
  let sizes = new Map<number, number>()
  let isSpaceDue = false
  const close = () => {
    const line = lines.at(-1)
    if (line === undefined) return
    line.size = mostCommon(sizes)
    for (const piece of line.pieces) piece.text = withAccents(piece.text)
    line.text = line.pieces.map(({ text }) => text).join("")
    sizes = new Map()
  }
  for (const item of items) {
    const text = clean(item.text)
    if (text.trim() === "") {
      if (text !== "") isSpaceDue = true
      continue
    }
    const line = lines.at(-1)
    const unit = Math.max(line?.size ?? 0, item.size)
    const gap = line === undefined ? 0 : item.x - line.right
    const isSameLine =
      line !== undefined && Math.abs(item.y - line.y) < unit * 0.55 && item.x > line.left - unit * 0.5
    const address = addressAt(links, item, text)
    if (isSameLine && gap < unit * WIDE_GAP && gap > -unit * 2) {
      const isApart = (isSpaceDue || gap > unit * WORD_GAP) && !/\s$/.test(line.pieces.at(-1)?.text ?? "")
      append(line, isApart ? ` ${text}` : text, address)
      line.right = Math.max(line.right, item.x + item.width)
      line.size = Math.max(line.size, item.size)
      line.isMonospace &&= item.isMonospace || SQUARE.test(text)
    } else {
      close()
      lines.push({
        text: "",
        pieces: [{ text, address }],
        left: item.x,
        right: item.x + item.width,
        y: item.y,
        size: item.size,
        isMonospace: item.isMonospace && !SQUARE.test(text),
        isBeside: isSameLine && gap >= unit * WIDE_GAP,
      })
    }
    isSpaceDue = /\s$/.test(text)
    const size = Math.round(item.size * 2) / 2
    sizes.set(size, (sizes.get(size) ?? 0) + text.length)
  }
  close()
  return lines
}

function append(line: PdfLine, text: string, address: string | null): void {
  const last = line.pieces.at(-1)
  if (last !== undefined && last.address === address) last.text += text
  else line.pieces.push({ text, address })
}

function addressAt(links: readonly PdfLinkArea[], item: FramedItem, text: string): string | null {
  if (links.length === 0) return null
  const x = item.x + item.width / 2
  const y = item.y - item.size * 0.3
  const area = links.find(
    ({ left, right, top, bottom }) => x >= left && x <= right && y >= top - 1 && y <= bottom + 1,
  )
  if (area === undefined) return null
  area.text += area.text === "" ? text : ` ${text}`
  return area.address
}

const ACCENTS: Readonly<Record<string, string>> = {
  "¨": "\u0308",
  ˆ: "\u0302",
  "˜": "\u0303",
  ˇ: "\u030C",
  "˚": "\u030A",
}

/** Combines free-standing accents, as in old TeX output, with the letter after them. */
function withAccents(text: string): string {
  return text.replace(/([¨ˆ˜ˇ˚])(\p{L})/gu, (_, accent: string, letter: string) =>
    `${letter}${ACCENTS[accent]}`.normalize("NFC"),
  )
}

/** Letters that have the same width in every font. */
const SQUARE = new RegExp(`${UNSPACED.source}|\\p{Script=Hangul}`, "u")

// Replaces ligatures and marks of vertical text with plain characters. Control characters and private-use letters have
// a meaning only in their font.
function clean(text: string): string {
  return text
    .replace(/[\uFB00-\uFB06\uFE10-\uFE19\uFE30-\uFE48]/g, (form) => form.normalize("NFKC"))
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Co}\uFFFD]+/gu, "")
}

function mostCommon(counts: ReadonlyMap<number, number>): number {
  let best = 0
  let most = -1
  for (const [value, count] of counts) {
    if (count > most) {
      best = value
      most = count
    }
  }
  return best
}

/** Lines of prose are longer than this; text in tables is shorter. */
const PROSE_CHARS = 22
/** The minimum number of rows in which two columns must both have a line to be recognised as columns. */
const MIN_ROWS = 5

/**
 * Most programs write one column after the other. If a file alternates between two columns, its lines are sorted:
 * between one line that spans both columns and the next, the lines left of the gutter come first, then those right of
 * it.
 */
function inColumns(lines: PdfLine[], pageWidth: number): PdfLine[] {
  const gutter = findGutter(lines, pageWidth)
  if (gutter === null) return lines
  const sorted: PdfLine[] = []
  let left: PdfLine[] = []
  let right: PdfLine[] = []
  const flush = () => {
    sorted.push(...left, ...right)
    left = []
    right = []
  }
  for (const line of lines) {
    const alone = { ...line, isBeside: false }
    if (line.right <= gutter) left.push(alone)
    else if (line.left >= gutter) right.push(alone)
    else {
      flush()
      sorted.push(line)
    }
  }
  flush()
  return sorted
}

function findGutter(lines: readonly PdfLine[], pageWidth: number): number | null {
  const pairs: [PdfLine, PdfLine][] = []
  for (let at = 1; at < lines.length; at += 1) {
    const line = lines[at]!
    const before = lines[at - 1]!
    const isAlone = !before.isBeside && lines[at + 1]?.isBeside !== true
    if (line.isBeside && isAlone && line.text.length >= PROSE_CHARS && before.text.length >= PROSE_CHARS)
      pairs.push([before, line])
  }
  if (pairs.length < MIN_ROWS) return null
  const from = pairs.reduce((right, [before]) => Math.max(right, before.right), 0)
  const to = pairs.reduce((left, [, line]) => Math.min(left, line.left), Infinity)
  const middle = (from + to) / 2
  return to > from && middle > pageWidth * 0.25 && middle < pageWidth * 0.75 ? middle : null
}

import { OPS } from "unpdf/pdfjs"
import { colorOf, contrastOf } from "../../extract/seen/colors.ts"

/** A text that a page's program draws and that nobody sees. Lengths in points of the page's own space. */
export interface UnseenText {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly y: number
  readonly size: number
}

/** What a page's program does, one entry for each operator. */
export interface Operators {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

type Matrix = readonly [number, number, number, number, number, number]
type Box = readonly [left: number, bottom: number, right: number, top: number]

interface Graphics {
  readonly matrix: Matrix
  /** Of what is filled, as #rrggbb; null for patterns. */
  readonly fill: string | null
  /** Of what is drawn along its edge, likewise. */
  readonly stroke: string | null
  readonly alpha: number
  /** Whether what is painted is mixed with what is below, as a marker's ink is. */
  readonly isBlended: boolean
  readonly clip: Box
  readonly mode: number
  readonly size: number
  readonly spacing: number
  readonly stretch: number
  readonly leading: number
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]
const START: Graphics = {
  matrix: IDENTITY,
  fill: "#000000",
  stroke: "#000000",
  alpha: 1,
  isBlended: false,
  clip: [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ],
  mode: 0,
  size: 0,
  spacing: 0,
  stretch: 1,
  leading: 0,
}
/** Text of a scanned page is drawn unseen over its picture, for readers to find and copy: the picture covers this share. */
const SCAN_SHARE = 0.5
/** Operators of one page that are looked at. */
const MAX_OPERATORS = 500_000
const MAX_PAINTED = 5000
const MAX_DEPTH = 200
/** Whiter than this in each of its parts is white. */
const WHITE = 0xf4
const LEAST_ALPHA = 0.05

/** Whether a layer (optional content) is on show, by what the page's program names it with. */
export type IsLayerShown = (layer: unknown) => boolean

/**
 * Texts of a page that are drawn without ink (ISO 32000-1 §9.3.6, modes 3 and 7), wholly transparent, without width, in the colour
 * of what was painted before, cut off, covered by a box that is painted later, or on a layer that is not shown. Where a picture covers most of the page, text without ink is what was read from it, and stays.
 */
export function unseenTexts(
  { fnArray, argsArray }: Operators,
  pageBox: Box,
  isLayerShown: IsLayerShown = () => true,
): UnseenText[] {
  const found: Drawn[] = []
  const shown: Drawn[] = []
  const painted: Painted[] = []
  /** Of marked contents that are open, whether each is on show. */
  const marked: boolean[] = []
  let isCutting = false
  const stack: Graphics[] = []
  let now = START
  let line: Matrix = IDENTITY
  let text: Matrix = IDENTITY
  let hasPicture = false
  const paint = (box: Box, color: string | null) => {
    if (painted.length < MAX_PAINTED) painted.push({ box: cut(box, now.clip), color })
  }
  const picture = () => {
    const box = boxOf(now.matrix, [0, 0, 1, 1])
    paint(box, null)
    hasPicture ||= areaOf(cut(box, pageBox)) >= areaOf(pageBox) * SCAN_SHARE
  }
  const move = (x: number, y: number) => {
    line = times([1, 0, 0, 1, x, y], line)
    text = line
  }
  const end = Math.min(fnArray.length, MAX_OPERATORS)
  for (let at = 0; at < end; at++) {
    const given = argsArray[at] as readonly unknown[] | null
    const number = (i: number) => Number(given?.[i] ?? 0)
    switch (fnArray[at]) {
      case OPS.save:
        if (stack.length < MAX_DEPTH) stack.push(now)
        break
      case OPS.restore:
        now = stack.pop() ?? START
        break
      case OPS.transform:
        now = { ...now, matrix: times(matrixOf(given), now.matrix) }
        // Pictures are not unpacked: nothing is left of one but its place.
        if (fnArray[at - 1] === OPS.save && fnArray[at + 1] === OPS.restore) picture()
        break
      case OPS.paintFormXObjectBegin: {
        if (stack.length < MAX_DEPTH) stack.push(now)
        const [matrix] = given ?? []
        if (Array.isArray(matrix)) now = { ...now, matrix: times(matrixOf(matrix), now.matrix) }
        break
      }
      case OPS.paintFormXObjectEnd:
        now = stack.pop() ?? START
        break
      case OPS.setFillRGBColor:
        now = { ...now, fill: typeof given?.[0] === "string" ? given[0] : null }
        break
      case OPS.setStrokeRGBColor:
        now = { ...now, stroke: typeof given?.[0] === "string" ? given[0] : null }
        break
      case OPS.setStrokeColorN:
      case OPS.setStrokeTransparent:
        now = { ...now, stroke: null }
        break
      case OPS.setFillColorN:
      case OPS.setFillTransparent:
        now = { ...now, fill: null }
        break
      case OPS.setGState:
        for (const [key, value] of (given?.[0] ?? []) as [string, unknown][])
          if (key === "ca") now = { ...now, alpha: Number(value) }
          else if (key === "BM") now = { ...now, isBlended: value !== "source-over" && value !== "Normal" }
          else if (key === "Font" && Array.isArray(value)) now = { ...now, size: Number(value[1]) }
        break
      case OPS.setTextRenderingMode:
        now = { ...now, mode: number(0) }
        break
      case OPS.setFont:
        now = { ...now, size: number(1) }
        break
      case OPS.setCharSpacing:
        now = { ...now, spacing: number(0) }
        break
      case OPS.setHScale:
        now = { ...now, stretch: number(0) / 100 }
        break
      case OPS.setLeading:
        now = { ...now, leading: number(0) }
        break
      case OPS.beginText:
        line = IDENTITY
        text = IDENTITY
        break
      case OPS.setTextMatrix:
        line = matrixOf(
          Array.isArray(given?.[0]) || ArrayBuffer.isView(given?.[0]) ? (given[0] as number[]) : given,
        )
        text = line
        break
      case OPS.moveText:
        move(number(0), number(1))
        break
      case OPS.setLeadingMoveText:
        now = { ...now, leading: -number(1) }
        move(number(0), number(1))
        break
      case OPS.nextLine:
        move(0, -now.leading)
        break
      case OPS.showText: {
        const { said, width } = glyphsOf(given?.[0], now)
        const from = times(text, now.matrix)
        text = times([1, 0, 0, 1, width, 0], text)
        const to = times(text, now.matrix)
        const size = Math.abs(now.size) * Math.hypot(from[2], from[3])
        const isInkless = now.mode === 3 || now.mode === 7
        const middle = [(from[4] + to[4]) / 2, from[5] + size / 4] as const
        const ground = painted.findLast(({ box }) => holds(box, ...middle))
        // Letters may be filled, drawn along their edge, or both (modes 0, 1 and 2).
        const inks = now.mode === 1 ? [now.stroke] : now.mode === 2 ? [now.fill, now.stroke] : [now.fill]
        const isGround = inks.every((ink) =>
          ground === undefined ? isNearWhite(ink) : isOneColor(ink, ground.color),
        )
        const isUnseen =
          isInkless ||
          now.alpha < LEAST_ALPHA ||
          isGround ||
          Math.abs(now.stretch) < LEAST_STRETCH ||
          marked.includes(false) ||
          !meets([Math.min(from[4], to[4]), from[5], Math.max(from[4], to[4]), from[5] + size / 2], now.clip)
        if (said.trim() !== "") {
          const list = isUnseen ? found : shown
          list.push({
            text: said,
            left: Math.min(from[4], to[4]),
            right: Math.max(from[4], to[4]),
            y: from[5],
            size,
            isInkless,
          })
        }
        break
      }
      case OPS.clip:
      case OPS.eoClip:
        isCutting = true
        break
      case OPS.constructPath: {
        const [painter, paths, bounds] = given ?? []
        const [left = 0, bottom = 0, right = 0, top = 0] = Object.values(
          (bounds ?? {}) as Record<string, number>,
        )
        const box = boxOf(now.matrix, [left, bottom, right, top])
        if (FILLS.has(Number(painter))) {
          const isBox = isRectangle(paths, [left, bottom, right, top]) && isUpright(now.matrix)
          const isOpaque = isBox && now.alpha > MOST_ALPHA && !now.isBlended && now.fill !== null
          if (isOpaque) {
            const cover = cut(box, now.clip)
            for (let n = shown.length - 1, steps = 0; n >= 0 && steps < MAX_COVERED; n--, steps++)
              if (covers(cover, shown[n]!)) found.push(...shown.splice(n, 1))
          }
          if (isOpaque || !isNearWhite(now.fill)) paint(box, isOpaque ? now.fill : null)
        }
        if (isCutting) now = { ...now, clip: cut(now.clip, box) }
        isCutting = false
        break
      }
      case OPS.beginMarkedContentProps:
        marked.push(given?.[0] !== "OC" || isLayerShown(given[1]))
        break
      case OPS.beginMarkedContent:
        marked.push(true)
        break
      case OPS.endMarkedContent:
        marked.pop()
        break
      case OPS.shadingFill:
        paint(pageBox, null)
        break
      case OPS.paintImageXObject:
      case OPS.paintInlineImageXObject:
      case OPS.paintImageMaskXObject:
      case OPS.paintImageXObjectRepeat:
      case OPS.paintInlineImageXObjectGroup:
      case OPS.paintImageMaskXObjectGroup:
      case OPS.paintImageMaskXObjectRepeat:
      case OPS.paintSolidColorImageMask:
        picture()
        break
      default:
    }
  }
  return found.filter(({ isInkless }) => !(isInkless && hasPicture))
}

type Drawn = UnseenText & { readonly isInkless: boolean }

interface Painted {
  readonly box: Box
  /** As #rrggbb; null for pictures, and for what is no plain box. */
  readonly color: string | null
}

/** What covers more than this of what is below hides it. */
const MOST_ALPHA = 0.95
/** Letters that are narrower than this share of their width. */
const LEAST_STRETCH = 0.01
/** Texts before a box that are looked at. */
const MAX_COVERED = 2000
/** Points by which a cover may be too small. */
const SLACK = 1

const covers = ([left, bottom, right, top]: Box, drawn: UnseenText): boolean =>
  drawn.left >= left - SLACK &&
  drawn.right <= right + SLACK &&
  drawn.y >= bottom - SLACK &&
  drawn.y + drawn.size / 2 <= top + SLACK

const meets = (a: Box, b: Box): boolean =>
  a[0] < b[2] + SLACK && b[0] < a[2] + SLACK && a[1] < b[3] + SLACK && b[1] < a[3] + SLACK && areaOf(b) > 0

const isUpright = ([a, b, c, d]: Matrix): boolean => (b === 0 && c === 0) || (a === 0 && d === 0)

/** Whether a path is one box with upright sides: moves and lines alone, and all its points are corners of its bounds. */
function isRectangle(paths: unknown, [left, bottom, right, top]: Box): boolean {
  const [path] = Array.isArray(paths) ? (paths as unknown[]) : []
  if (!ArrayBuffer.isView(path) || (path as Float32Array).length > MAX_BOX_PATH) return false
  const values = [...(path as Float32Array)]
  const near = (one: number, other: number) => Math.abs(one - other) < 0.01
  let moves = 0
  for (let at = 0; at < values.length;) {
    const kind = values[at]!
    if (kind === CLOSE) {
      at += 1
      continue
    }
    if (kind !== MOVE && kind !== LINE) return false
    if (kind === MOVE && (moves += 1) > 1) return at + 3 >= values.length
    const [x, y] = [values[at + 1]!, values[at + 2]!]
    if (!(near(x, left) || near(x, right)) || !(near(y, bottom) || near(y, top))) return false
    at += 3
  }
  return moves === 1
}

/** Steps of a path, as the library writes them. */
const [MOVE, LINE, CLOSE] = [0, 1, 4]
const MAX_BOX_PATH = 20

function isOneColor(one: string | null, other: string | null): boolean {
  const [a, b] = [colorOf(one ?? undefined), colorOf(other ?? undefined)]
  return (
    (isNearWhite(one) && isNearWhite(other)) ||
    (a !== null && b !== null && contrastOf(a, b) < LEAST_CONTRAST)
  )
}

/** Colours that contrast less are one to a reader. */
const LEAST_CONTRAST = 1.12

const FILLS = new Set([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
])

/** What a run says, and how far it moves on. */
function glyphsOf(run: unknown, { size, spacing, stretch }: Graphics): { said: string; width: number } {
  let said = ""
  let width = 0
  for (const glyph of Array.isArray(run) ? (run as unknown[]) : []) {
    if (typeof glyph === "number") width -= (glyph / 1000) * size * stretch
    else if (typeof glyph === "object" && glyph !== null) {
      const { unicode, width: own } = glyph as { unicode?: unknown; width?: unknown }
      if (typeof unicode === "string") said += unicode
      width += ((Number(own ?? 0) / 1000) * size + spacing) * stretch
    }
  }
  return { said, width }
}

function isNearWhite(fill: string | null): boolean {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(fill ?? "")
  return hex !== null && hex.slice(1).every((part) => Number.parseInt(part, 16) >= WHITE)
}

function matrixOf(given: ArrayLike<unknown> | null): Matrix {
  const number = (i: number) => Number(given?.[i] ?? IDENTITY[i])
  return [number(0), number(1), number(2), number(3), number(4), number(5)]
}

const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
]

function boxOf([a, b, c, d, e, f]: Matrix, [left, bottom, right, top]: Box): Box {
  const xs: number[] = []
  const ys: number[] = []
  for (const x of [left, right])
    for (const y of [bottom, top]) {
      xs.push(a * x + c * y + e)
      ys.push(b * x + d * y + f)
    }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

const areaOf = ([left, bottom, right, top]: Box): number =>
  Math.max(0, right - left) * Math.max(0, top - bottom)

const cut = (a: Box, b: Box): Box => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
]

const holds = ([left, bottom, right, top]: Box, x: number, y: number): boolean =>
  x >= left && x <= right && y >= bottom && y <= top

interface PlacedText {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
}

/** What is left of a run of text when unseen texts at its place are taken out of it. */
export function withoutUnseen<Item extends PlacedText>(
  items: readonly Item[],
  unseen: readonly UnseenText[],
): Item[] {
  if (unseen.length === 0) return [...items]
  const sorted = unseen.toSorted((a, b) => a.y - b.y)
  return items.map((item) => {
    const [x = 0, y = 0] = [item.transform[4], item.transform[5]]
    let { str } = item
    for (let at = firstFrom(sorted, y - NEAR); at < sorted.length && sorted[at]!.y <= y + NEAR; at++) {
      const { text, left, right } = sorted[at]!
      if (right < x - NEAR || left > x + item.width + NEAR) continue
      // The library may have joined it with its neighbours, or parted it.
      const said = text.trim()
      if (str.includes(said)) str = str.replace(said, "")
      else if (said.includes(str.trim())) str = ""
    }
    return str === item.str ? item : { ...item, str }
  })
}

/** Points by which places that are the same may differ. */
const NEAR = 1

function firstFrom(sorted: readonly UnseenText[], y: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.y < y) low = middle + 1
    else high = middle
  }
  return low
}

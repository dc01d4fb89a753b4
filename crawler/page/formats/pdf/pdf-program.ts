import { OPS } from "unpdf/pdfjs"
import { colorOf, areApart } from "../../extract/seen/colors.ts"
import {
  areaOf,
  type Box,
  boxOf,
  cut,
  holds,
  IDENTITY,
  isRectangle,
  isUpright,
  type Matrix,
  matrixOf,
  meets,
  SLACK,
  times,
} from "./pdf-geometry.ts"

/** A piece of text drawn by a page's program. Lengths are in points of the page's own coordinate space. */
export interface DrawnText {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly y: number
  readonly size: number
  readonly isInkless: boolean
  /** Whether an annotation draws the text: a field's value, a stamp, a note written on the page. */
  readonly isAnnotation: boolean
  /** The library's name for the text's font. */
  readonly fontName: string
}

/** The operations of a page's program, one entry for each operator. */
export interface Operators {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

/** Whether a layer (optional content) is shown, by its name in the page's program. */
export type IsLayerShown = (layer: unknown) => boolean

interface Graphics {
  readonly matrix: Matrix
  /** The fill colour, as #rrggbb; null for patterns. */
  readonly fill: string | null
  /** The stroke colour, in the same form. */
  readonly stroke: string | null
  readonly alpha: number
  /** Whether painted shapes blend with the colours below them, as a highlighter does. */
  readonly isBlended: boolean
  readonly clip: Box
  readonly mode: number
  readonly size: number
  readonly fontName: string
  readonly isVertical: boolean
  readonly spacing: number
  readonly stretch: number
  readonly leading: number
}

interface Painted {
  readonly box: Box
  /** The colour, as #rrggbb; null for pictures, and for shapes that are not plain boxes. */
  readonly color: string | null
}

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
  fontName: "",
  isVertical: false,
  spacing: 0,
  stretch: 1,
  leading: 0,
}
/**
 * The minimum share of a page that a picture must cover for the page to be a scan. The text of such a page is drawn
 * invisibly over the picture, so that readers can find and copy it.
 */
const SCAN_SHARE = 0.5
/** The maximum number of operators processed for one page. */
const MAX_OPERATORS = 500_000
const MAX_PAINTED = 5000
const MAX_DEPTH = 200
/** A colour is white if each of its components is above this. */
const WHITE = 0xf4
const LEAST_ALPHA = 0.05
/** A shape more opaque than this hides everything below it. */
const MOST_ALPHA = 0.95
/** Letters compressed to less than this share of their width are invisible. */
const LEAST_STRETCH = 0.01
/** The maximum number of earlier texts checked when a box is painted. */
const MAX_COVERED = 2000

type Given = readonly unknown[] | null

const numberAt = (given: Given, i: number): number => Number(given?.[i] ?? 0)
const colorIn = (given: Given): string | null => (typeof given?.[0] === "string" ? given[0] : null)

/** The step for each operator. Operators not listed here do not affect text or colours. */
const STEPS: ReadonlyMap<number, (page: PageProgram, given: Given) => void> = new Map([
  [OPS.save, (page) => page.save()],
  [OPS.restore, (page) => page.restore()],
  [OPS.transform, (page, given) => page.transform(given)],
  [OPS.paintFormXObjectBegin, (page, given) => page.beginForm(given)],
  [OPS.paintFormXObjectEnd, (page) => page.restore()],
  [OPS.setFillRGBColor, (page, given) => page.set({ fill: colorIn(given) })],
  [OPS.setFillColorN, (page) => page.set({ fill: null })],
  [OPS.setFillTransparent, (page) => page.set({ fill: null })],
  [OPS.setStrokeRGBColor, (page, given) => page.set({ stroke: colorIn(given) })],
  [OPS.setStrokeColorN, (page) => page.set({ stroke: null })],
  [OPS.setStrokeTransparent, (page) => page.set({ stroke: null })],
  [OPS.setGState, (page, given) => page.setState((given?.[0] ?? []) as [string, unknown][])],
  [OPS.setTextRenderingMode, (page, given) => page.set({ mode: numberAt(given, 0) })],
  [OPS.setFont, (page, given) => page.setFont(String(given?.[0]), numberAt(given, 1))],
  [OPS.beginAnnotation, (page, given) => page.beginAnnotation(given)],
  [OPS.endAnnotation, (page) => page.endAnnotation()],
  [OPS.setCharSpacing, (page, given) => page.set({ spacing: numberAt(given, 0) })],
  [OPS.setHScale, (page, given) => page.set({ stretch: numberAt(given, 0) / 100 })],
  [OPS.setLeading, (page, given) => page.set({ leading: numberAt(given, 0) })],
  [OPS.beginText, (page) => page.beginLine(IDENTITY)],
  [OPS.setTextMatrix, (page, given) => page.beginLine(textMatrix(given))],
  [OPS.moveText, (page, given) => page.move(numberAt(given, 0), numberAt(given, 1))],
  [
    OPS.setLeadingMoveText,
    (page, given) => {
      page.set({ leading: -numberAt(given, 1) })
      page.move(numberAt(given, 0), numberAt(given, 1))
    },
  ],
  [OPS.nextLine, (page) => page.nextLine()],
  [OPS.showText, (page, given) => page.showText(given?.[0])],
  [OPS.clip, (page) => page.beginClip()],
  [OPS.eoClip, (page) => page.beginClip()],
  [OPS.constructPath, (page, given) => page.paintPath(given ?? [])],
  [OPS.beginMarkedContentProps, (page, given) => page.beginMarked(given)],
  [OPS.beginMarkedContent, (page) => page.beginMarked(null)],
  [OPS.endMarkedContent, (page) => page.endMarked()],
  [OPS.shadingFill, (page) => page.paintAll()],
  [OPS.paintImageXObject, (page) => page.paintPicture()],
  [OPS.paintInlineImageXObject, (page) => page.paintPicture()],
  [OPS.paintImageMaskXObject, (page) => page.paintPicture()],
  [OPS.paintImageXObjectRepeat, (page) => page.paintPicture()],
  [OPS.paintInlineImageXObjectGroup, (page) => page.paintPicture()],
  [OPS.paintImageMaskXObjectGroup, (page) => page.paintPicture()],
  [OPS.paintImageMaskXObjectRepeat, (page) => page.paintPicture()],
  [OPS.paintSolidColorImageMask, (page) => page.paintPicture()],
])

/** Runs the program of one page and collects the texts that a reader cannot see. */
export class PageProgram {
  readonly unseen: DrawnText[] = []
  /** Whether a picture covers most of the page. */
  hasPicture = false
  readonly #pageBox: Box
  readonly #isLayerShown: IsLayerShown
  readonly #isVertical: (fontName: string) => boolean
  #isInAnnotation = false
  readonly #seen: DrawnText[] = []
  readonly #painted: Painted[] = []
  /** Whether each open marked-content section is visible. */
  readonly #marked: boolean[] = []
  readonly #stack: Graphics[] = []
  #now = START
  #line: Matrix = IDENTITY
  #text: Matrix = IDENTITY
  #isCutting = false

  constructor(pageBox: Box, isLayerShown: IsLayerShown, isVertical: (fontName: string) => boolean) {
    this.#pageBox = pageBox
    this.#isLayerShown = isLayerShown
    this.#isVertical = isVertical
  }

  /** Visible texts of annotations. */
  get annotated(): DrawnText[] {
    return this.#seen.filter(({ isAnnotation }) => isAnnotation)
  }

  run({ fnArray, argsArray }: Operators): void {
    const end = Math.min(fnArray.length, MAX_OPERATORS)
    for (let at = 0; at < end; at++) {
      STEPS.get(fnArray[at]!)?.(this, argsArray[at] as Given)
      // Pictures are not decoded, so only their position is known.
      if (fnArray[at] === OPS.transform && fnArray[at - 1] === OPS.save && fnArray[at + 1] === OPS.restore)
        this.paintPicture()
    }
  }

  save(): void {
    if (this.#stack.length < MAX_DEPTH) this.#stack.push(this.#now)
  }

  restore(): void {
    this.#now = this.#stack.pop() ?? START
  }

  set(changes: Partial<Graphics>): void {
    this.#now = { ...this.#now, ...changes }
  }

  setState(entries: readonly (readonly [string, unknown])[]): void {
    for (const [key, value] of entries)
      if (key === "ca") this.set({ alpha: Number(value) })
      else if (key === "BM") this.set({ isBlended: value !== "source-over" && value !== "Normal" })
      else if (key === "Font" && Array.isArray(value)) this.setFont(String(value[0]), Number(value[1]))
  }

  setFont(name: string, size: number): void {
    this.set({ size, fontName: name, isVertical: this.#isVertical(name) })
  }

  /** An annotation's appearance is drawn into its box after the page (ISO 32000-1 §12.5.5). */
  beginAnnotation(given: Given): void {
    const [, rect, transform, matrix] = given ?? []
    this.#stack.length = 0
    this.#now = START
    this.#isInAnnotation = true
    const [left = 0, bottom = 0, right = 0, top = 0] = (rect ?? []) as number[]
    this.set({ clip: [left, bottom, right, top] })
    for (const one of [transform, matrix]) if (Array.isArray(one)) this.transform(one)
  }

  endAnnotation(): void {
    this.#isInAnnotation = false
    this.#stack.length = 0
    this.#now = START
  }

  transform(given: ArrayLike<unknown> | null): void {
    this.set({ matrix: times(matrixOf(given), this.#now.matrix) })
  }

  beginForm(given: Given): void {
    this.save()
    const [matrix] = given ?? []
    if (Array.isArray(matrix)) this.transform(matrix)
  }

  beginLine(matrix: Matrix): void {
    this.#line = matrix
    this.#text = matrix
  }

  move(x: number, y: number): void {
    this.beginLine(times([1, 0, 0, 1, x, y], this.#line))
  }

  nextLine(): void {
    this.move(0, -this.#now.leading)
  }

  beginMarked(given: Given): void {
    this.#marked.push(given?.[0] !== "OC" || this.#isLayerShown(given[1]))
  }

  endMarked(): void {
    this.#marked.pop()
  }

  showText(run: unknown): void {
    const { said, width } = glyphsOf(run, this.#now)
    const { isVertical, size: points, mode, matrix } = this.#now
    const from = times(this.#text, matrix)
    this.#text = times([1, 0, 0, 1, isVertical ? 0 : width, isVertical ? -width : 0], this.#text)
    if (said.trim() === "") return
    const to = times(this.#text, matrix)
    const size = Math.abs(points) * Math.hypot(from[2], from[3])
    // Letters of a vertical column are centred on its line and hang below its start.
    const half = isVertical ? size / 2 : 0
    const drawn = {
      text: said,
      left: Math.min(from[4], to[4]) - half,
      right: Math.max(from[4], to[4]) + half,
      y: from[5],
      size,
      isInkless: mode === 3 || mode === 7,
      isAnnotation: this.#isInAnnotation,
      fontName: this.#now.fontName,
    }
    const list = this.#isUnseen(drawn, isVertical ? -size : 0) ? this.unseen : this.#seen
    list.push(drawn)
  }

  /** @param lower offset of the bottom of the letters from the text's `y` */
  #isUnseen({ left, right, y, size, isInkless }: DrawnText, lower: number): boolean {
    return (
      isInkless ||
      this.#now.alpha < LEAST_ALPHA ||
      this.#isInColorOfGround((left + right) / 2, y + lower + size / 4) ||
      Math.abs(this.#now.stretch) < LEAST_STRETCH ||
      this.#marked.includes(false) ||
      !meets([left, y + lower, right, y + lower + size / 2], this.#now.clip)
    )
  }

  #isInColorOfGround(x: number, y: number): boolean {
    const ground = this.#painted.findLast(({ box }) => holds(box, x, y))
    const { mode, stroke, fill } = this.#now
    // Letters can be filled, outlined, or both (modes 0, 1 and 2).
    const inks = mode === 1 ? [stroke] : mode === 2 ? [fill, stroke] : [fill]
    return inks.every((ink) => (ground === undefined ? isNearWhite(ink) : isOneColor(ink, ground.color)))
  }

  beginClip(): void {
    this.#isCutting = true
  }

  paintPath([painter, paths, bounds]: readonly unknown[]): void {
    const [left = 0, bottom = 0, right = 0, top = 0] = Object.values((bounds ?? {}) as Record<string, number>)
    const { matrix, alpha, isBlended, fill, clip } = this.#now
    const box = boxOf(matrix, [left, bottom, right, top])
    if (FILLS.has(Number(painter))) {
      const isBox = isRectangle(paths, [left, bottom, right, top]) && isUpright(matrix)
      const isOpaque = isBox && alpha > MOST_ALPHA && !isBlended && fill !== null
      // Readers can move or close an annotation, so it hides no text.
      if (isOpaque && !this.#isInAnnotation) this.#cover(cut(box, clip))
      if (isOpaque || !isNearWhite(fill)) this.#paint(box, isOpaque ? fill : null)
    }
    if (this.#isCutting) this.set({ clip: cut(clip, box) })
    this.#isCutting = false
  }

  paintPicture(): void {
    const box = boxOf(this.#now.matrix, [0, 0, 1, 1])
    this.#paint(box, null)
    this.hasPicture ||= areaOf(cut(box, this.#pageBox)) >= areaOf(this.#pageBox) * SCAN_SHARE
  }

  paintAll(): void {
    this.#paint(this.#pageBox, null)
  }

  #paint(box: Box, color: string | null): void {
    if (this.#painted.length < MAX_PAINTED) this.#painted.push({ box: cut(box, this.#now.clip), color })
  }

  /** Hides the texts under a box that is being painted. */
  #cover(box: Box): void {
    for (let n = this.#seen.length - 1, steps = 0; n >= 0 && steps < MAX_COVERED; n--, steps++)
      if (covers(box, this.#seen[n]!)) this.unseen.push(...this.#seen.splice(n, 1))
  }
}

function textMatrix(given: Given): Matrix {
  const [first] = given ?? []
  return matrixOf(Array.isArray(first) || ArrayBuffer.isView(first) ? (first as number[]) : given)
}

const covers = ([left, bottom, right, top]: Box, drawn: DrawnText): boolean =>
  drawn.left >= left - SLACK &&
  drawn.right <= right + SLACK &&
  drawn.y >= bottom - SLACK &&
  drawn.y + drawn.size / 2 <= top + SLACK

function isOneColor(one: string | null, other: string | null): boolean {
  const [a, b] = [colorOf(one ?? undefined), colorOf(other ?? undefined)]
  return (isNearWhite(one) && isNearWhite(other)) || (a !== null && b !== null && !areApart(a, b))
}

function isNearWhite(fill: string | null): boolean {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(fill ?? "")
  return hex !== null && hex.slice(1).every((part) => Number.parseInt(part, 16) >= WHITE)
}

const FILLS = new Set([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
])

/** The text of a run, and its advance: to the right, or down in a vertical font. */
function glyphsOf(
  run: unknown,
  { size, spacing, stretch, isVertical }: Graphics,
): { said: string; width: number } {
  let said = ""
  let width = 0
  const scale = isVertical ? 1 : stretch
  for (const glyph of Array.isArray(run) ? (run as unknown[]) : []) {
    if (typeof glyph === "number") width -= (isVertical ? -1 : 1) * (glyph / 1000) * size * scale
    else if (typeof glyph === "object" && glyph !== null) {
      const {
        unicode,
        width: own,
        vmetric,
      } = glyph as { unicode?: unknown; width?: unknown; vmetric?: unknown }
      if (typeof unicode === "string") said += unicode
      const advance = isVertical
        ? -Number((Array.isArray(vmetric) ? vmetric[0] : null) ?? -1000)
        : Number(own ?? 0)
      width += ((advance / 1000) * size + spacing) * scale
    }
  }
  return { said, width }
}

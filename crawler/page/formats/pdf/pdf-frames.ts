import type { Matrix } from "./pdf-geometry.ts"

/** A run of text as returned by the library, in the page's own coordinate space. */
export interface PlacedItem {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly height: number
}

/** A page as seen by a reader, with its origin in the upper left corner. */
export interface PdfView {
  /** The transformation from the page's own coordinate space, which has its origin at the bottom and can be rotated. */
  readonly transform: Matrix
  readonly width: number
  readonly height: number
}

/** The direction of text: left to right, rotated clockwise or in vertical columns, rotated counterclockwise, or upside down. */
export type Frame = "right" | "down" | "up" | "left"

/**
 * A run of text, placed as if its page were rotated so that the run goes from left to right. Lengths are in points; the
 * origin is the upper left corner of the rotated page.
 */
export interface FramedItem {
  readonly text: string
  /** Start of the baseline. */
  readonly x: number
  readonly y: number
  readonly width: number
  /** Size of the font. */
  readonly size: number
  readonly isMonospace: boolean
  readonly frame: Frame
}

/** Letters smaller than this, in points, can't be read. */
const LEAST_LETTER = 1.5
/** The distance from a letter's middle, which determines its place in a column, to its baseline, in multiples of the font size. */
const MIDDLE = 0.35
/** Letters of scripts that are written without spaces. */
export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u
const ALONE = new RegExp(`^${UNSPACED.source}$`, "u")

/** The run in its frame; null when it is off the page, or too small to be read. */
export function framed(
  item: PlacedItem,
  view: PdfView,
  isVertical: boolean,
  isMonospace: boolean,
): FramedItem | null {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform
  const [va, vb, vc, vd] = view.transform
  const [x, y] = inView(e, f, view.transform)
  const size = Math.hypot(c * va + d * vc, c * vb + d * vd)
  const along = { x: a * va + b * vc, y: a * vb + b * vd }
  // The direction of the text: down the page for a vertical font; otherwise along the baseline.
  const to = isVertical ? { x: -along.y, y: along.x } : along
  const width = isVertical ? item.height : item.width
  const scale = Math.hypot(to.x, to.y) || 1
  const end = { x: x + (to.x / scale) * width, y: y + (to.y / scale) * width }
  const isOnPage =
    Math.min(x, end.x) < view.width &&
    Math.max(x, end.x) >= 0 &&
    Math.max(y, end.y) > 0 &&
    Math.min(y, end.y) - size < view.height
  if (!isOnPage || (size < LEAST_LETTER && size !== 0)) return null
  const frame = frameOf(to.x, to.y)
  const place = placed(x, y, frame, view)
  return {
    text: item.str,
    x: place.x,
    y: isVertical ? place.y + size * MIDDLE : place.y,
    width,
    size,
    isMonospace: isMonospace && !isVertical,
    frame,
  }
}

/** On a page with vertical columns, a single letter in a horizontal font belongs to a column too. */
export function inColumn(item: FramedItem, view: PdfView): FramedItem {
  if (item.frame !== "right" || !ALONE.test(item.text.trim())) return item
  const { size } = item
  const place = placed(item.x + size / 2, item.y - size * (1 - MIDDLE / 2), "down", view)
  return { ...item, x: place.x, y: place.y + size * MIDDLE, width: size, frame: "down" }
}

function frameOf(x: number, y: number): Frame {
  if (Math.abs(y) <= Math.abs(x)) return x >= 0 ? "right" : "left"
  return y > 0 ? "down" : "up"
}

function placed(x: number, y: number, frame: Frame, { width, height }: PdfView): { x: number; y: number } {
  if (frame === "down") return { x: y, y: width - x }
  if (frame === "up") return { x: height - y, y: x }
  return frame === "left" ? { x: width - x, y: height - y } : { x, y }
}

export function inView(x: number, y: number, view: readonly number[]): [x: number, y: number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view
  return [x * a + y * c + e, x * b + y * d + f]
}

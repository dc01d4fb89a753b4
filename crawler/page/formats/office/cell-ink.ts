import { type Color, colorOf, areApart } from "../../extract/seen/colors.ts"
import { readXml } from "../archive/xml.ts"

/** The colours of a cell's letters and background (ECMA-376 part 1 §18.8). */
export interface CellInk {
  /** The colour of the letters; null if unknown. */
  readonly ink: Color | null
  /** The fill of the cell itself; null when not known, such as for a pattern. */
  readonly ground: Color | null
  /** Whether the cell has no fill of its own, so that conditional formatting and tables can set one. */
  readonly isPlain: boolean
  readonly isTiny: boolean
}

/** Letters smaller than this, in points, cannot be read. */
export const LEAST_POINTS = 2
export const PAPER: Color = [255, 255, 255, 1]
const INK: Color = [0, 0, 0, 1]
/** The indexed colours (§18.8.27): black, white, red, green, blue, yellow, magenta, cyan, then the same again. 64 is the window's text colour, 65 its background. */
const INDEXED = ["000000", "ffffff", "ff0000", "00ff00", "0000ff", "ffff00", "ff00ff", "00ffff"]

/** The colour from `rgb`, `indexed` or `theme`; null if it depends on more than the file's styles. */
export function sheetColor(attributes: Readonly<Record<string, string>>): Color | null {
  const { rgb, indexed, theme, tint, auto } = attributes
  if (rgb !== undefined) return colorOf(`#${rgb.slice(-6).toLowerCase()}`)
  if (auto !== undefined) return INK
  // The background and text colours of a theme come first, in this order.
  if (theme !== undefined)
    return theme === "0" ? tinted(PAPER, tint) : theme === "1" ? tinted(INK, tint) : null
  if (tint !== undefined && Number(tint) !== 0) return null
  const at = Number(indexed ?? Number.NaN)
  if (at === 64) return INK
  if (at === 65) return PAPER
  const hex = at < 16 ? INDEXED[at % 8] : undefined
  return hex === undefined ? null : colorOf(`#${hex}`)
}

/** Lightens a colour, up to white (1), or darkens it, down to black (-1); only for greys (§18.8.19). */
function tinted([red, green, blue]: Color, tint = "0"): Color | null {
  const share = Number(tint)
  if (Number.isNaN(share) || Math.abs(share) > 1) return null
  const part = (one: number) => (share > 0 ? one * (1 - share) + 255 * share : one * (1 + share))
  return [part(red), part(green), part(blue), 1]
}

/** Whether the letters cannot be distinguished from their background. */
export const isOneColor = (ink: Color | null, ground: Color | null): boolean =>
  ink !== null && ground !== null && !areApart(ink, ground)

/** The ink of each style, by the index that cells use to refer to it. */
export function readInks(xml: Uint8Array | null): CellInk[] {
  const fonts: { ink: Color | null; isTiny: boolean }[] = []
  const fills: (Color | null)[] = []
  const inks: CellInk[] = []
  let part = ""
  readXml(xml, {
    start(name, attributes) {
      if (/^(?:fonts|fills|cellXfs|cellStyleXfs|dxfs|borders)$/.test(name)) part = name
      else if (part === "fonts") {
        if (name === "font") fonts.push({ ink: INK, isTiny: false })
        const last = fonts.at(-1)
        if (last !== undefined && name === "color") last.ink = sheetColor(attributes)
        if (last !== undefined && name === "sz") last.isTiny = Number(attributes["val"]) < LEAST_POINTS
      } else if (part === "fills") {
        if (name === "fill") {
          fills.push(PAPER)
        } else if (name === "patternFill") {
          const kind = attributes["patternType"] ?? "none"
          if (kind !== "none") fills[fills.length - 1] = null
          if (kind === "solid") part = "solid"
        } else if (name === "gradientFill") fills[fills.length - 1] = null
      } else if (part === "solid") {
        if (name === "fgColor") fills[fills.length - 1] = sheetColor(attributes)
      } else if (part === "cellXfs" && name === "xf") {
        const font = fonts[Number(attributes["fontId"] ?? 0)]
        const fill = Number(attributes["fillId"] ?? 0)
        inks.push({
          ink: font === undefined ? INK : font.ink,
          ground: fill in fills ? (fills[fill] ?? null) : PAPER,
          // The first fill means that there is no fill.
          isPlain: fill === 0 || !(fill in fills),
          isTiny: font?.isTiny === true,
        })
      }
    },
    end(name) {
      if (name === "fill" && part === "solid") part = "fills"
      if (/^(?:fonts|fills|cellXfs)$/.test(name)) part = ""
    },
  })
  return inks
}

/** A rectangle of cells, counted from 0, including the last row and column. */
export interface CellRange {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

/** The limit for one sheet. */
const MAX_RANGES = 1000

/** Parses `A1:C9 E2` into ranges. */
export function rangesOf(
  references: string,
  placeOf: (reference: string) => { readonly row: number; readonly column: number } | null,
): CellRange[] {
  return references.split(/\s+/, MAX_RANGES).flatMap((one) => {
    const [from, to = from] = one.split(":")
    const [a, b] = [placeOf(from ?? ""), placeOf(to ?? "")]
    return a && b ? [{ top: a.row, left: a.column, bottom: b.row, right: b.column }] : []
  })
}

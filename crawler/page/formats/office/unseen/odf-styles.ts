import { type Color, colorOf } from "../../../extract/seen/colors.ts"
import { type Attributes, walkXml } from "./walk-xml.ts"

/** The properties that styles set for letters and their background (OpenDocument 1.3 part 3 §16, §20); undefined when not set. */
export interface OdfStyle {
  readonly parent: string | undefined
  isHidden?: boolean
  /** Null for an unknown colour. */
  ink?: Color | null
  ground?: Color | null
  points?: number
  isProtected?: boolean
  master?: string
}

export type Styles = ReadonlyMap<string, OdfStyle>

/** In centimetres. */
export interface SlideSize {
  readonly width: number
  readonly height: number
}

const MAX_PARENTS = 20
const PAPER: Color = [255, 255, 255, 1]
/** The size of slides, in centimetres, if the file does not specify one. */
const SLIDE: SlideSize = { width: 28, height: 21 }

const keyOf = (family: string | undefined, name: string | undefined): string => `${family} ${name}`

/** Styles by family and name, with the default size and background of pages. */
export function readStyles(...parts: readonly string[]): {
  styles: Styles
  slide: SlideSize
  paper: Color | null
} {
  const styles = new Map<string, OdfStyle>()
  let slide = SLIDE
  let paper: Color | null = PAPER
  for (const xml of parts) {
    let now: OdfStyle | null = null
    walkXml(
      xml,
      (name, given) => {
        if (name === "style:style" || name === "style:default-style") {
          now = { parent: given["style:parent-style-name"] }
          const own = name === "style:style" ? given["style:name"] : DEFAULT
          styles.set(keyOf(given["style:family"], own), now)
        } else if (name === "style:master-page") {
          const drawn = given["draw:style-name"]
          styles.set(keyOf("master", given["style:name"]), { parent: drawn })
        } else if (name === "style:page-layout-properties") {
          const [width, height] = [lengthOf(given["fo:page-width"]), lengthOf(given["fo:page-height"])]
          if (width !== null && height !== null) slide = { width, height }
          const ground = given["fo:background-color"]
          if (ground !== undefined && ground !== "transparent") paper = colorOf(ground.toLowerCase())
          if (/^(?!none|solid)/.test(given["draw:fill"] ?? "none")) paper = null
        } else if (now !== null && name.endsWith("-properties")) lay(now, name, given)
      },
      (name) => {
        if (name === "style:style" || name === "style:default-style") now = null
      },
    )
  }
  return { styles, slide, paper }
}

const DEFAULT = "default"

function lay(style: OdfStyle, name: string, given: Attributes): void {
  const display = given["text:display"] ?? given["table:display"]
  if (display !== undefined) style.isHidden = display === "none" || display === "false"
  const visibility = given["presentation:visibility"]
  if (visibility !== undefined) style.isHidden = visibility === "hidden"
  if (given["fo:color"] !== undefined) style.ink = colorOf(given["fo:color"].toLowerCase())
  if (given["style:use-window-font-color"] === "true") style.ink = null
  if (given["loext:opacity"] === "0%") style.ink = [0, 0, 0, 0]
  const ground = given["fo:background-color"]
  if (ground !== undefined && ground !== "transparent") style.ground = colorOf(ground.toLowerCase())
  const fill = given["draw:fill"]
  if (fill !== undefined && fill !== "none")
    style.ground = fill === "solid" ? colorOf((given["draw:fill-color"] ?? "").toLowerCase()) : null
  else if (fill === undefined && given["draw:fill-color"] !== undefined)
    style.ground = colorOf(given["draw:fill-color"].toLowerCase())
  const size = /^([\d.]+)pt$/.exec(given["fo:font-size"] ?? "")?.[1]
  if (size !== undefined) style.points = Number(size)
  const side = given["style:column-width"] ?? given["style:row-height"]
  if (lengthOf(side) === 0) style.isHidden = true
  if (name === "style:table-cell-properties" && given["style:cell-protect"] !== undefined)
    style.isProtected = /hidden-and-protected/.test(given["style:cell-protect"])
}

/** A style with the properties that it inherits. */
export function styleOf(styles: Styles, family: string, name: string | undefined): Partial<OdfStyle> {
  const found: Partial<OdfStyle>[] = []
  let at = name
  for (let steps = 0; at !== undefined && steps < MAX_PARENTS; steps++) {
    const style = styles.get(keyOf(family, at))
    if (style === undefined) break
    const { parent, ...own } = style
    found.unshift(own)
    at = parent
  }
  return Object.assign({}, ...found) as Partial<OdfStyle>
}

/** The background of a slide: its own, or its master's; white if neither specifies one. */
export function slideGround(
  style: Partial<OdfStyle>,
  styles: Styles,
  master: string | undefined,
): Color | null {
  if (style.ground !== undefined) return style.ground
  if (master === undefined) return PAPER
  const drawn = styles.get(keyOf("master", master))?.parent
  const { ground = PAPER } = styleOf(styles, "drawing-page", drawn)
  return ground
}

const CM: Readonly<Record<string, number>> = {
  cm: 1,
  mm: 0.1,
  in: 2.54,
  pt: 2.54 / 72,
  pc: 2.54 / 6,
  px: 2.54 / 96,
}

/** A length in centimetres; null if unknown. */
export function lengthOf(value: string | undefined): number | null {
  const [, number, unit = ""] = /^(-?[\d.]+)(cm|mm|in|pt|pc|px)$/.exec(value ?? "") ?? []
  return number === undefined ? null : Number(number) * CM[unit]!
}

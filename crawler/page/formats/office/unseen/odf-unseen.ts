import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import type { Parser } from "htmlparser2"
import { type Color, colorOf } from "../../../extract/seen/colors.ts"
import { type Stretch, withoutTexts } from "./cut-xml.ts"
import { Ground, isUnreadable, type Place } from "./painted.ts"
import { type Attributes, walkXml } from "./walk-xml.ts"

/** What styles say of letters and what they stand on (OpenDocument 1.3 part 3 §16, §20); undefined: nothing. */
interface OdfStyle {
  readonly parent: string | undefined
  isHidden?: boolean
  /** Null: a colour that is not known. */
  ink?: Color | null
  ground?: Color | null
  points?: number
  isProtected?: boolean
  master?: string
}

type Styles = ReadonlyMap<string, OdfStyle>

/** Letters of fewer points than this are read by nobody. */
const LEAST_POINTS = 2
const MAX_PARENTS = 20
/** Of one row of a table, for which columns are told apart. */
const MAX_COLUMNS = 2000
const PAPER: Color = [255, 255, 255, 1]
/** Of slides, in centimetres, where the file does not say. */
const SLIDE = { width: 28, height: 21 }

/**
 * An OpenDocument file without what no reader sees: text, paragraphs, sections, fields, slides, sheets, rows and columns that are hidden,
 * letters in the colour of their ground or without size, boxes beside the slide.
 */
export function withoutUnseenOdf(body: Uint8Array): Uint8Array {
  const files = unzipSync(body, { filter: ({ name }) => name === "content.xml" || name === "styles.xml" })
  const bytes = files["content.xml"]
  if (bytes === undefined) return body
  const xml = strFromU8(bytes)
  const common = files["styles.xml"] === undefined ? "" : strFromU8(files["styles.xml"])
  const kept = withoutTexts(xml, unseenIn(xml, common))
  return kept === xml ? body : zipSync({ ...unzipSync(body), "content.xml": strToU8(kept) }, { level: 0 })
}

const keyOf = (family: string | undefined, name: string | undefined): string => `${family} ${name}`

function readStyles(...parts: readonly string[]): {
  styles: Styles
  slide: typeof SLIDE
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

/** A style with what it has of those it comes from. */
function styleOf(styles: Styles, family: string, name: string | undefined): Partial<OdfStyle> {
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

/** What elements hand down. */
interface Frame {
  readonly name: string
  readonly start: number
  isHidden: boolean
  readonly ink: Color | null
  readonly ground: Color | null
  readonly points: number | null
}

const CM: Readonly<Record<string, number>> = {
  cm: 1,
  mm: 0.1,
  in: 2.54,
  pt: 2.54 / 72,
  pc: 2.54 / 6,
  px: 2.54 / 96,
}

function lengthOf(value: string | undefined): number | null {
  const [, number, unit = ""] = /^(-?[\d.]+)(cm|mm|in|pt|pc|px)$/.exec(value ?? "") ?? []
  return number === undefined ? null : Number(number) * CM[unit]!
}

function placeOf(given: Attributes): Place | null {
  const [x, y, width, height] = ["svg:x", "svg:y", "svg:width", "svg:height"].map((name) =>
    lengthOf(given[name]),
  )
  if (width == null || height == null) return null
  const transform = given["draw:transform"]
  if (transform === undefined) return x == null || y == null ? null : { x, y, width, height }
  const [, right, down] = /translate\s*\(\s*(\S+?)(?:[\s,]+(\S+?))?\s*\)/.exec(transform) ?? []
  const [dx, dy] = [lengthOf(right), lengthOf(down ?? "0cm")]
  if (dx === null || dy === null) return null
  const place = { x: (x ?? 0) + dx, y: (y ?? 0) + dy, width, height }
  if (/^\s*translate\s*\([^()]*\)\s*$/.test(transform)) return place
  // Turned about its corner it lies somewhere in this circle, if nothing else is done to it.
  const far = Math.hypot(width, height)
  return /^(?:\s*(?:translate|rotate)\s*\([^()]*\))+\s*$/.test(transform)
    ? { x: place.x - far, y: place.y - far, width: 2 * far, height: 2 * far }
    : null
}

interface Column {
  readonly isHidden: boolean
  readonly cellStyle: string | undefined
}

function unseenIn(xml: string, common: string): Stretch[] {
  const { styles, slide, paper } = readStyles(common, xml)
  const found: Stretch[] = []
  const frames: Frame[] = [{ name: "", start: 0, isHidden: false, ink: null, ground: paper, points: null }]
  let ground: Ground | null = null
  const tables: { columns: Column[]; at: number; isProtected: boolean; rowStyle: string | undefined }[] = []

  const start = (name: string, given: Attributes, parser: Parser): void => {
    const above = frames.at(-1)!
    let isHidden = false
    let style: Partial<OdfStyle> = {}
    let place: Place | null = null
    switch (name) {
      case "text:p":
      case "text:h":
        style = styleOf(styles, "paragraph", given["text:style-name"])
        break
      case "text:span":
        style = styleOf(styles, "text", given["text:style-name"])
        break
      case "text:section":
        isHidden =
          given["text:display"] === "none" ||
          (given["text:display"] === "condition" && given["text:is-hidden"] === "true")
        break
      case "text:hidden-text":
        isHidden = given["text:is-hidden"] === "true"
        break
      case "text:hidden-paragraph":
        if (given["text:is-hidden"] === "true") {
          const paragraph = frames.findLast((one) => one.name === "text:p" || one.name === "text:h")
          if (paragraph !== undefined) paragraph.isHidden = true
        }
        break
      case "text:tracked-changes":
      case "svg:title":
      case "svg:desc":
        isHidden = true
        break
      case "table:table": {
        style = styleOf(styles, "table", given["table:style-name"])
        const isProtected = given["table:protected"] === "true"
        tables.push({ columns: [], at: 0, isProtected, rowStyle: undefined })
        break
      }
      case "table:table-column": {
        const columns = tables.at(-1)?.columns
        const column = {
          isHidden:
            /^(?:collapse|filter)$/.test(given["table:visibility"] ?? "") ||
            styleOf(styles, "table-column", given["table:style-name"]).isHidden === true,
          cellStyle: given["table:default-cell-style-name"],
        }
        for (let n = repeatOf(given["table:number-columns-repeated"]); n > 0; n--)
          if (columns !== undefined && columns.length < MAX_COLUMNS) columns.push(column)
        break
      }
      case "table:table-row": {
        style = styleOf(styles, "table-row", given["table:style-name"])
        isHidden = /^(?:collapse|filter)$/.test(given["table:visibility"] ?? "")
        const table = tables.at(-1)
        if (table !== undefined) {
          table.at = 0
          table.rowStyle = given["table:default-cell-style-name"]
        }
        break
      }
      case "table:table-cell":
      case "table:covered-table-cell": {
        const table = tables.at(-1)
        const column = table?.columns[table.at]
        const own = given["table:style-name"] ?? table?.rowStyle ?? column?.cellStyle
        style = styleOf(styles, "table-cell", own)
        isHidden = column?.isHidden === true || (table?.isProtected === true && style.isProtected === true)
        if (table !== undefined) table.at += repeatOf(given["table:number-columns-repeated"])
        break
      }
      case "draw:page":
        style = styleOf(styles, "drawing-page", given["draw:style-name"])
        ground = new Ground(slideGround(style, styles, given["draw:master-page-name"]))
        break
      default:
        if (given["text:display"] === "none" && name.startsWith("text:")) isHidden = true
        if (!SHAPES.has(name)) break
        style = styleOf(styles, "graphic", given["draw:style-name"])
        if (given["presentation:style-name"] !== undefined)
          style = { ...styleOf(styles, "presentation", given["presentation:style-name"]), ...style }
        place = placeOf(given)
        isHidden =
          given["draw:display"] === "none" ||
          given["draw:display"] === "printer" ||
          (ground !== null && place !== null && isAway(place, slide))
    }
    if (style.isHidden === true && name !== "text:span") isHidden = true
    const isSpanHidden = name === "text:span" ? style.isHidden : undefined
    let own: Color | null = style.ground === undefined ? above.ground : style.ground
    if (ground !== null && SHAPES.has(name)) {
      if (style.ground === undefined) own = ground.under(place)
      else ground.paint(place, style.ground)
    } else if (ground !== null && name === "draw:page") own = ground.under(EVERYWHERE)
    if (name === "draw:image" && ground !== null) {
      ground.paint(null, null)
    }
    frames.push({
      name,
      start: parser.endIndex + 1,
      // A style may show again what a paragraph's style hides.
      isHidden: isHidden || isSpanHidden === true,
      ink: style.ink === undefined ? above.ink : style.ink,
      ground: own,
      points: style.points ?? above.points,
    })
  }

  const end = (name: string, parser: Parser): void => {
    const frame = frames.length > 1 ? frames.pop()! : frames[0]!
    if (name === "table:table") tables.pop()
    if (name === "draw:page") ground = null
    const isTextual = name === "text:p" || name === "text:h" || name === "text:span"
    const isFaint =
      isTextual &&
      (isUnreadable(frame.ink, frame.ground) || (frame.points !== null && frame.points < LEAST_POINTS))
    if (!frame.isHidden && !isFaint) return
    const to = parser.startIndex
    if (to <= frame.start) return
    // Spans of a faint paragraph may be in colours of their own.
    if (frame.isHidden) found.push([frame.start - 1, to])
    else for (const stretch of directTexts(xml, frame.start, to)) found.push(stretch)
  }
  walkXml(xml, start, end)
  return found
}

/** What stands in an element and in no span of it. */
function directTexts(xml: string, from: number, to: number): Stretch[] {
  const found: Stretch[] = []
  let depth = 0
  let at = from
  for (const { 0: tag, index } of xml.slice(from, to).matchAll(/<(\/?)text:span\b[^>]*>/g)) {
    if (tag.endsWith("/>")) continue
    const place = from + index
    if (tag.startsWith("</")) {
      depth -= 1
      if (depth === 0) at = place + tag.length
    } else {
      if (depth === 0) found.push([at - 1, place])
      depth += 1
    }
  }
  if (depth === 0) found.push([at - 1, to])
  return found
}

const EVERYWHERE: Place = { x: 0, y: 0, width: 1e9, height: 1e9 }
const SHAPES = new Set(
  "draw:frame draw:custom-shape draw:rect draw:ellipse draw:circle draw:polygon draw:path draw:g".split(" "),
)

const isAway = ({ x, y, width, height }: Place, slide: typeof SLIDE): boolean =>
  x + width <= 0 || y + height <= 0 || x >= slide.width || y >= slide.height || (width === 0 && height === 0)

/** Of a slide: its own, or its master's; white where nothing is said. */
function slideGround(style: Partial<OdfStyle>, styles: Styles, master: string | undefined): Color | null {
  if (style.ground !== undefined) return style.ground
  if (master === undefined) return PAPER
  const drawn = styles.get(keyOf("master", master))?.parent
  const { ground = PAPER } = styleOf(styles, "drawing-page", drawn)
  return ground
}

const repeatOf = (value: string | undefined): number => {
  const count = Number(value ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COLUMNS) : 1
}

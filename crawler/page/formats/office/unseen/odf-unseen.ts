import { strFromU8, strToU8, unzipSync, zipSync } from "fflate"
import type { Parser } from "htmlparser2"
import type { Color } from "../../../extract/seen/colors.ts"
import { type Stretch, withoutTexts } from "./cut-xml.ts"
import {
  lengthOf,
  type OdfStyle,
  readStyles,
  slideGround,
  type SlideSize,
  styleOf,
  type Styles,
} from "./odf-styles.ts"
import { Ground, isUnreadable, type Place } from "./painted.ts"
import { type Attributes, walkXml } from "./walk-xml.ts"

/** Letters smaller than this, in points, cannot be read. */
const LEAST_POINTS = 2
/** The maximum number of columns tracked separately in one row. */
const MAX_COLUMNS = 2000

/**
 * Removes from an OpenDocument file the parts that no reader sees: hidden text, paragraphs, sections, fields, slides,
 * sheets, rows and columns; letters in the colour of their background or without size; boxes outside the slide.
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

/** The values that elements pass on to those below them. */
interface Frame {
  readonly name: string
  readonly start: number
  isHidden: boolean
  readonly ink: Color | null
  readonly ground: Color | null
  readonly points: number | null
}

interface Column {
  readonly isHidden: boolean
  readonly cellStyle: string | undefined
}

interface Table {
  readonly columns: Column[]
  /** The column of the next cell. */
  at: number
  readonly isProtected: boolean
  /** The default style of the row's cells. */
  rowStyle: string | undefined
}

/** The style and visibility of one element, before it inherits anything. */
interface Said {
  readonly style: Partial<OdfStyle>
  readonly isHidden: boolean
  /** Set for shapes only. */
  readonly place?: Place | null
}

const SHOWN: Said = { style: {}, isHidden: false }
const HIDDEN: Said = { style: {}, isHidden: true }

function unseenIn(xml: string, common: string): Stretch[] {
  const reader = new UnseenReader(xml, readStyles(common, xml))
  walkXml(
    xml,
    (name, given, parser) => reader.start(name, given, parser),
    (name, parser) => reader.end(name, parser),
  )
  return reader.found
}

/** Finds the unseen stretches of one file's content. */
class UnseenReader {
  readonly found: Stretch[] = []
  readonly #xml: string
  readonly #styles: Styles
  readonly #slide: SlideSize
  readonly #frames: Frame[]
  readonly #tables: Table[] = []
  /** The background of the current slide; null outside slides. */
  #ground: Ground | null = null

  constructor(xml: string, { styles, slide, paper }: ReturnType<typeof readStyles>) {
    this.#xml = xml
    this.#styles = styles
    this.#slide = slide
    this.#frames = [{ name: "", start: 0, isHidden: false, ink: null, ground: paper, points: null }]
  }

  start(name: string, given: Attributes, parser: Parser): void {
    const above = this.#frames.at(-1)!
    const { style, isHidden, place = null } = this.#said(name, given)
    const own = style.ground === undefined ? above.ground : style.ground
    this.#frames.push({
      name,
      start: parser.endIndex + 1,
      // A style can show text that a paragraph's style hides.
      isHidden: isHidden || style.isHidden === true,
      ink: style.ink === undefined ? above.ink : style.ink,
      ground: this.#ground === null ? own : this.#paint(this.#ground, name, style.ground, place, own),
      points: style.points ?? above.points,
    })
  }

  end(name: string, parser: Parser): void {
    const frame = this.#frames.length > 1 ? this.#frames.pop()! : this.#frames[0]!
    if (name === "table:table") this.#tables.pop()
    if (name === "draw:page") this.#ground = null
    const isTextual = name === "text:p" || name === "text:h" || name === "text:span"
    const isFaint =
      isTextual &&
      (isUnreadable(frame.ink, frame.ground) || (frame.points !== null && frame.points < LEAST_POINTS))
    if (!frame.isHidden && !isFaint) return
    const to = parser.startIndex
    if (to <= frame.start) return
    // Spans of a faint paragraph can have colours of their own.
    if (frame.isHidden) this.found.push([frame.start - 1, to])
    else for (const stretch of directTexts(this.#xml, frame.start, to)) this.found.push(stretch)
  }

  #said(name: string, given: Attributes): Said {
    switch (name) {
      case "text:p":
      case "text:h":
        return this.#styled("paragraph", given["text:style-name"])
      case "text:span":
        return this.#styled("text", given["text:style-name"])
      case "text:section":
        return isHiddenSection(given) ? HIDDEN : SHOWN
      case "text:hidden-text":
        return given["text:is-hidden"] === "true" ? HIDDEN : SHOWN
      case "text:hidden-paragraph":
        if (given["text:is-hidden"] === "true") this.#hideParagraph()
        return SHOWN
      case "text:tracked-changes":
      case "svg:title":
      case "svg:desc":
        return HIDDEN
      case "table:table":
        return this.#table(given)
      case "table:table-column":
        this.#addColumns(given)
        return SHOWN
      case "table:table-row":
        return this.#row(given)
      case "table:table-cell":
      case "table:covered-table-cell":
        return this.#cell(given)
      case "draw:page":
        return this.#page(given)
      default:
        if (SHAPES.has(name)) return this.#shape(given)
        return given["text:display"] === "none" && name.startsWith("text:") ? HIDDEN : SHOWN
    }
  }

  #styled(family: string, name: string | undefined): Said {
    return { style: styleOf(this.#styles, family, name), isHidden: false }
  }

  #hideParagraph(): void {
    const paragraph = this.#frames.findLast((one) => one.name === "text:p" || one.name === "text:h")
    if (paragraph !== undefined) paragraph.isHidden = true
  }

  #table(given: Attributes): Said {
    const isProtected = given["table:protected"] === "true"
    this.#tables.push({ columns: [], at: 0, isProtected, rowStyle: undefined })
    return this.#styled("table", given["table:style-name"])
  }

  #addColumns(given: Attributes): void {
    const columns = this.#tables.at(-1)?.columns
    const { style } = this.#styled("table-column", given["table:style-name"])
    const column = {
      isHidden: isCollapsed(given) || style.isHidden === true,
      cellStyle: given["table:default-cell-style-name"],
    }
    for (let n = repeatOf(given["table:number-columns-repeated"]); n > 0; n--)
      if (columns !== undefined && columns.length < MAX_COLUMNS) columns.push(column)
  }

  #row(given: Attributes): Said {
    const table = this.#tables.at(-1)
    if (table !== undefined) {
      table.at = 0
      table.rowStyle = given["table:default-cell-style-name"]
    }
    return { ...this.#styled("table-row", given["table:style-name"]), isHidden: isCollapsed(given) }
  }

  #cell(given: Attributes): Said {
    const table = this.#tables.at(-1)
    const column = table?.columns[table.at]
    const name = given["table:style-name"] ?? table?.rowStyle ?? column?.cellStyle
    const { style } = this.#styled("table-cell", name)
    if (table !== undefined) table.at += repeatOf(given["table:number-columns-repeated"])
    const isProtected = table?.isProtected === true && style.isProtected === true
    return { style, isHidden: column?.isHidden === true || isProtected }
  }

  #page(given: Attributes): Said {
    const said = this.#styled("drawing-page", given["draw:style-name"])
    this.#ground = new Ground(slideGround(said.style, this.#styles, given["draw:master-page-name"]))
    return said
  }

  #shape(given: Attributes): Said {
    const named = given["presentation:style-name"]
    const drawn = styleOf(this.#styles, "graphic", given["draw:style-name"])
    const style = named === undefined ? drawn : { ...styleOf(this.#styles, "presentation", named), ...drawn }
    const place = placeOf(given)
    const isHidden =
      given["draw:display"] === "none" ||
      given["draw:display"] === "printer" ||
      (this.#ground !== null && place !== null && isAway(place, this.#slide))
    return { style, isHidden, place }
  }

  /** Paints an element's fill onto its slide. @returns the background of the element's text */
  #paint(
    ground: Ground,
    name: string,
    fill: Color | null | undefined,
    place: Place | null,
    own: Color | null,
  ): Color | null {
    if (name === "draw:page") return ground.under(EVERYWHERE)
    if (name === "draw:image") ground.paint(null, null)
    if (!SHAPES.has(name)) return own
    if (fill === undefined) return ground.under(place)
    ground.paint(place, fill)
    return own
  }
}

const isHiddenSection = (given: Attributes): boolean =>
  given["text:display"] === "none" ||
  (given["text:display"] === "condition" && given["text:is-hidden"] === "true")

/** Whether a row or a column is collapsed or filtered out. */
const isCollapsed = (given: Attributes): boolean =>
  /^(?:collapse|filter)$/.test(given["table:visibility"] ?? "")

/** The text directly in an element and not in one of its spans. */
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
  // If the box is only moved or rotated about its corner, it lies somewhere in this circle.
  const far = Math.hypot(width, height)
  return /^(?:\s*(?:translate|rotate)\s*\([^()]*\))+\s*$/.test(transform)
    ? { x: place.x - far, y: place.y - far, width: 2 * far, height: 2 * far }
    : null
}

const EVERYWHERE: Place = { x: 0, y: 0, width: 1e9, height: 1e9 }
const SHAPES = new Set(
  "draw:frame draw:custom-shape draw:rect draw:ellipse draw:circle draw:polygon draw:path draw:g".split(" "),
)

const isAway = ({ x, y, width, height }: Place, slide: SlideSize): boolean =>
  x + width <= 0 || y + height <= 0 || x >= slide.width || y >= slide.height || (width === 0 && height === 0)

const repeatOf = (value: string | undefined): number => {
  const count = Number(value ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COLUMNS) : 1
}

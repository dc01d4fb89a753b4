import type { Parser } from "htmlparser2"
import { type Color, colorOf } from "../../../extract/seen/colors.ts"
import { type Stretch, withoutTexts } from "./cut-xml.ts"
import { Ground, isUnreadable, type Place } from "./painted.ts"
import { type Attributes, walkXml } from "./walk-xml.ts"

/** A presentation's settings for all its slides (ECMA-376 part 1 §19, §20). */
export interface SlideFacts {
  /** The size of slides in EMU; null when not given. */
  readonly size: { readonly x: number; readonly y: number } | null
  /** Colours by the names that slides use. */
  readonly colors: ReadonlyMap<string, Color>
  /** The background of slides that specify none; null if unknown. */
  readonly ground: Color | null
}

/** Letters smaller than this, in hundredths of a point, cannot be read. */
const LEAST_HUNDREDTHS = 200
const WHITE: Color = [255, 255, 255, 1]
const BLACK: Color = [0, 0, 0, 1]

/** The settings from the XML of the presentation, its `theme`, and its masters and layouts. */
export function slideFacts(presentation: string, theme: string, masters: readonly string[]): SlideFacts {
  const size = /<p:sldSz\s[^>]*>/.exec(presentation)?.[0] ?? ""
  const [x, y] = ["cx", "cy"].map((name) => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(size)?.[1]))
  const colors = new Map<string, Color>([
    ["lt1", WHITE],
    ["dk1", BLACK],
  ])
  for (const [, name, hex] of theme.matchAll(
    /<a:(dk[12]|lt[12]|accent\d|hlink|folHlink)>\s*<a:(?:srgbClr val|sysClr [^>]*lastClr)="([0-9A-Fa-f]{6})"/g,
  ))
    colors.set(name!, colorOf(`#${hex!.toLowerCase()}`)!)
  const map = /<p:clrMap\s[^>]*>/.exec(masters.join(""))?.[0] ?? ""
  for (const [name, usual] of Object.entries({ bg1: "lt1", tx1: "dk1", bg2: "lt2", tx2: "dk2" })) {
    const to = new RegExp(`\\s${name}="(\\w+)"`).exec(map)?.[1] ?? usual
    const color = colors.get(to)
    if (color !== undefined) colors.set(name, color)
  }
  const grounds = masters.flatMap((xml) => {
    const own = /<p:bg>[^]*?<\/p:bg>|<p:bg\s[^]*?<\/p:bg>/.exec(xml)?.[0]
    return own === undefined ? [] : [backgroundOf(own, colors)]
  })
  // Pictures and boxes of a master can be behind anything on the slide.
  const isDrawnOn = masters.some((xml) =>
    /<p:pic[\s>]|<p:sp[\s>](?:(?!<\/p:sp>|<p:ph[\s/>])[^])*<a:(?:solid|grad|blip|patt)Fill/.test(xml),
  )
  const one =
    grounds.length === 0
      ? WHITE
      : grounds.every((ground) => ground?.join() === grounds[0]?.join())
        ? grounds[0]!
        : null
  return {
    size: x === undefined || y === undefined || Number.isNaN(x + y) ? null : { x, y },
    colors,
    ground: isDrawnOn ? null : one,
  }
}

function backgroundOf(xml: string, colors: ReadonlyMap<string, Color>): Color | null {
  let color: Color | null = null
  let isPlain = true
  walkXml(xml, (name, given) => {
    if (/^a:(?:grad|blip|patt)Fill$/.test(name)) isPlain = false
    // A theme's backgrounds from the second on are gradients.
    if (name === "p:bgRef" && Number(given["idx"] ?? 1001) > 1001) isPlain = false
    color ??= colorOfElement(name, given, colors)
  })
  return isPlain ? color : null
}

function colorOfElement(name: string, given: Attributes, colors: ReadonlyMap<string, Color>): Color | null {
  if (name === "a:srgbClr") return colorOf(`#${(given["val"] ?? "").toLowerCase()}`)
  if (name === "a:sysClr") return colorOf(`#${(given["lastClr"] ?? "").toLowerCase()}`)
  if (name === "a:prstClr") return colorOf((given["val"] ?? "").toLowerCase())
  return name === "a:schemeClr" ? (colors.get(given["val"] ?? "") ?? null) : null
}

/** A group or a shape. */
interface Frame {
  readonly name: string
  isHidden: boolean
  place: Place | null
  /** For a group: how coordinates inside it map to the slide. */
  scale: { readonly x: number; readonly y: number; readonly dx: number; readonly dy: number }
  /** Undefined when there is no fill; null when it is unknown. */
  fill: Color | null | undefined
  /** The background of the shape's text, once it is known. */
  ground: Color | null
  isPainted: boolean
}

const PLAIN = { x: 1, y: 1, dx: 0, dy: 0 }
const FRAMES = new Set(["p:grpSp", "p:sp", "p:pic", "p:graphicFrame", "p:cxnSp"])
const FILLS = new Set(["a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:noFill"])

/**
 * Removes the unseen texts from a slide: texts in a hidden slide, group or shape, outside the slide, tiny, transparent,
 * or in the colour of their background.
 */
export function withoutUnseenShapes(xml: string, facts: SlideFacts): string {
  const reader = new SlideReader(xml, facts)
  walkXml(
    xml,
    (name, given, parser) => reader.start(name, given, parser),
    (name, parser) => reader.end(name, parser),
  )
  return withoutTexts(xml, reader.found)
}

/** Letters that look the same. */
interface Run {
  ink: Color | null
  size: number
  isInkless: boolean
}

/** Finds the unseen texts of one slide. */
class SlideReader {
  readonly found: Stretch[] = []
  readonly #facts: SlideFacts
  readonly #ground: Ground
  /** Names of the open elements. */
  readonly #path: string[] = []
  readonly #frames: Frame[] = []
  #isSlideHidden = false
  #run: Run | null = null
  #textFrom = 0
  /** The origin of a group's own coordinates. */
  #childOffset = { x: 0, y: 0 }

  constructor(xml: string, facts: SlideFacts) {
    const own = /<p:bg>[^]*?<\/p:bg>/.exec(xml.slice(0, MAX_HEAD))?.[0]
    this.#facts = facts
    this.#ground = new Ground(own === undefined ? facts.ground : backgroundOf(own, facts.colors))
  }

  start(name: string, given: Attributes, parser: Parser): void {
    const path = this.#path
    path.push(name)
    const frame = this.#frames.at(-1)
    if (name === "p:sld") this.#isSlideHidden = /^(?:0|false)$/.test(given["show"] ?? "")
    else if (FRAMES.has(name)) this.#frames.push(frameIn(name, frame))
    else if (frame === undefined) return
    else if (name === "p:cNvPr" && /^(?:1|true)$/.test(given["hidden"] ?? "")) frame.isHidden = true
    else if (this.#isPlace(frame, name, given) || this.#isFill(frame, name, given)) return
    else if (name === "p:txBody" || name === "a:tbl") this.#paint(frame)
    // Cell fills come from many sources, including table styles.
    else if (name === "a:tcPr" || name === "a:tc") frame.ground = null
    else if (name === "a:r" || name === "a:fld")
      this.#run = { ink: null, size: LEAST_HUNDREDTHS, isInkless: false }
    else if (this.#run !== null && this.#isLook(this.#run, name, given)) return
    else if (name === "a:t") this.#textFrom = parser.endIndex
  }

  end(name: string, parser: Parser): void {
    this.#path.pop()
    const frame = this.#frames.at(-1)
    if (name === "a:t") {
      const isUnseen =
        this.#isSlideHidden || frame?.isHidden === true || isFaint(this.#run, frame?.ground ?? null)
      if (isUnseen) this.found.push([this.#textFrom, parser.startIndex])
    } else if (name === "a:r" || name === "a:fld") this.#run = null
    else if (FRAMES.has(name) && frame !== undefined) {
      if (name === "p:pic") this.#ground.paint(frame.place, null)
      else if (name !== "p:grpSp") this.#paint(frame)
      this.#frames.pop()
    }
  }

  /** Records the position of a shape or group. @returns whether the element describes a position */
  #isPlace(frame: Frame, name: string, given: Attributes): boolean {
    const isOfFrame = this.#path.at(-2)?.endsWith("xfrm") === true
    if (name === "a:off" && isOfFrame) {
      const { x, y, dx, dy } = frame.scale
      frame.place = {
        x: Number(given["x"]) * x + dx,
        y: Number(given["y"]) * y + dy,
        width: Number.NaN,
        height: Number.NaN,
      }
    } else if (name === "a:ext" && isOfFrame && frame.place !== null) {
      frame.place = {
        ...frame.place,
        width: Number(given["cx"]) * frame.scale.x,
        height: Number(given["cy"]) * frame.scale.y,
      }
      // A group's position uses the slide's coordinates; its contents use the group's own.
      if (isBeside(frame.place, this.#facts.size)) frame.isHidden = true
    } else if (name === "a:chOff") this.#childOffset = { x: Number(given["x"]), y: Number(given["y"]) }
    else if (name === "a:chExt" && frame.name === "p:grpSp" && frame.place !== null) {
      const [width, height] = [Number(given["cx"]), Number(given["cy"])]
      const x = width > 0 ? frame.place.width / width : frame.scale.x
      const y = height > 0 ? frame.place.height / height : frame.scale.y
      const { x: left, y: top } = this.#childOffset
      frame.scale = { x, y, dx: frame.place.x - left * x, dy: frame.place.y - top * y }
    } else return false
    return true
  }

  /** Records the fill of a shape. @returns whether the element describes a fill */
  #isFill(frame: Frame, name: string, given: Attributes): boolean {
    const [fourth, above, parent] = [this.#path.at(-4), this.#path.at(-3), this.#path.at(-2)]
    if (parent === "p:spPr" && FILLS.has(name)) frame.fill = name === "a:noFill" ? undefined : null
    else if (above === "p:spPr" && parent === "a:solidFill")
      frame.fill = colorOfElement(name, given, this.#facts.colors)
    else if (name === "a:fillRef" && frame.fill === undefined && (given["idx"] ?? "0") !== "0")
      frame.fill = null
    // The colour of an edge is not a fill.
    else return parent === "a:solidFill" && fourth === "p:spPr"
    return true
  }

  /** Records the look of letters. @returns whether the element describes their look */
  #isLook(run: Run, name: string, given: Attributes): boolean {
    const [fourth, above, parent] = [this.#path.at(-4), this.#path.at(-3), this.#path.at(-2)]
    if (name === "a:rPr") run.size = Number(given["sz"] ?? LEAST_HUNDREDTHS)
    else if (parent === "a:rPr" && name === "a:noFill") run.isInkless = true
    else if (parent === "a:solidFill" && above === "a:rPr")
      run.ink = colorOfElement(name, given, this.#facts.colors)
    else if (fourth === "a:rPr" && above === "a:solidFill") {
      // Only opacity is taken into account among a colour's modifiers.
      if (name !== "a:alpha") run.ink = null
      else if (run.ink !== null)
        run.ink = [run.ink[0], run.ink[1], run.ink[2], Number(given["val"]) / 100_000]
    } else return false
    return true
  }

  #paint(frame: Frame): void {
    if (frame.isPainted) return
    frame.isPainted = true
    frame.ground = frame.fill === undefined ? this.#ground.under(frame.place) : frame.fill
    if (frame.fill !== undefined) this.#ground.paint(frame.place, frame.fill)
  }
}

const frameIn = (name: string, above: Frame | undefined): Frame => ({
  name,
  isHidden: above?.isHidden === true,
  place: null,
  scale: above?.scale ?? PLAIN,
  fill: undefined,
  ground: null,
  isPainted: false,
})

const isFaint = (run: Run | null, ground: Color | null): boolean =>
  run !== null && (run.isInkless || run.size < LEAST_HUNDREDTHS || isUnreadable(run.ink, ground))

/** The number of characters searched for a slide's background, which comes before its shapes. */
const MAX_HEAD = 100_000

/** Whether a shape lies completely outside the slide, or has no size at all. */
function isBeside({ x, y, width, height }: Place, slide: SlideFacts["size"]): boolean {
  if (Number.isNaN(x + y + width + height)) return false
  return x + width <= 0 || y + height <= 0 || (slide !== null && (x >= slide.x || y >= slide.y))
}

import type { Parser } from "htmlparser2"
import { type Color, colorOf } from "../../../extract/seen/colors.ts"
import { type Stretch, withoutTexts } from "./cut-xml.ts"
import { Ground, isUnreadable, type Place } from "./painted.ts"
import { type Attributes, walkXml } from "./walk-xml.ts"

/** What a presentation says of all its slides (ECMA-376 part 1 §19, §20). */
export interface SlideFacts {
  /** Of slides, in EMU; null: not said. */
  readonly size: { readonly x: number; readonly y: number } | null
  /** Colours by the names that slides use. */
  readonly colors: ReadonlyMap<string, Color>
  /** What slides stand on that say nothing of it; null: not known. */
  readonly ground: Color | null
}

/** Letters of fewer hundredths of a point than this are read by nobody. */
const LEAST_HUNDREDTHS = 200
const WHITE: Color = [255, 255, 255, 1]
const BLACK: Color = [0, 0, 0, 1]

/** `theme`, and masters with their layouts, as XML. */
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
  // Pictures and boxes of a master may lie behind anything.
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
    // Backgrounds of a theme from its second on are courses of colours.
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
  /** Of a group: how what is inside comes to the slide. */
  scale: { readonly x: number; readonly y: number; readonly dx: number; readonly dy: number }
  /** Undefined: no filling; null: one that is not known. */
  fill: Color | null | undefined
  /** The ground that its text has, once it is known. */
  ground: Color | null
  isPainted: boolean
}

const PLAIN = { x: 1, y: 1, dx: 0, dy: 0 }
const FRAMES = new Set(["p:grpSp", "p:sp", "p:pic", "p:graphicFrame", "p:cxnSp"])
const FILLS = new Set(["a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:noFill"])

/** A slide without the texts that nobody sees: of a hidden slide, group or shape, beside the slide, tiny, see-through, in the colour of their ground. */
export function withoutUnseenShapes(xml: string, facts: SlideFacts): string {
  const found: Stretch[] = []
  const path: string[] = []
  const frames: Frame[] = []
  let isSlideHidden = false
  const own = /<p:bg>[^]*?<\/p:bg>/.exec(xml.slice(0, MAX_HEAD))?.[0]
  const ground = new Ground(own === undefined ? facts.ground : backgroundOf(own, facts.colors))
  let run: { ink: Color | null; size: number; isInkless: boolean } | null = null
  let textFrom = 0
  let chOff = { x: 0, y: 0 }

  const start = (name: string, given: Attributes, parser: Parser): void => {
    const parent = path.at(-1)
    const above = path.at(-2)
    path.push(name)
    const frame = frames.at(-1)
    if (name === "p:sld") isSlideHidden = /^(?:0|false)$/.test(given["show"] ?? "")
    else if (FRAMES.has(name))
      frames.push({
        name,
        isHidden: frame?.isHidden === true,
        place: null,
        scale: frame?.scale ?? PLAIN,
        fill: undefined,
        ground: null,
        isPainted: false,
      })
    else if (frame === undefined) return
    else if (name === "p:cNvPr" && /^(?:1|true)$/.test(given["hidden"] ?? "")) frame.isHidden = true
    else if (name === "a:off" && parent?.endsWith("xfrm") === true) {
      const { x, y, dx, dy } = frame.scale
      frame.place = {
        x: Number(given["x"]) * x + dx,
        y: Number(given["y"]) * y + dy,
        width: Number.NaN,
        height: Number.NaN,
      }
    } else if (name === "a:ext" && parent?.endsWith("xfrm") === true && frame.place !== null) {
      frame.place = {
        ...frame.place,
        width: Number(given["cx"]) * frame.scale.x,
        height: Number(given["cy"]) * frame.scale.y,
      }
      // Groups lie where they are; what is in them has a measure of its own.
      if (isBeside(frame.place, facts.size)) frame.isHidden = true
    } else if (name === "a:chOff") chOff = { x: Number(given["x"]), y: Number(given["y"]) }
    else if (name === "a:chExt" && frame.name === "p:grpSp" && frame.place !== null) {
      const [width, height] = [Number(given["cx"]), Number(given["cy"])]
      const x = width > 0 ? frame.place.width / width : frame.scale.x
      const y = height > 0 ? frame.place.height / height : frame.scale.y
      frame.scale = { x, y, dx: frame.place.x - chOff.x * x, dy: frame.place.y - chOff.y * y }
    } else if (parent === "p:spPr" && FILLS.has(name)) frame.fill = name === "a:noFill" ? undefined : null
    else if (above === "p:spPr" && parent === "a:solidFill")
      frame.fill = colorOfElement(name, given, facts.colors)
    else if (parent === "a:solidFill" && path.at(-4) === "p:spPr") return
    else if (name === "a:fillRef" && frame.fill === undefined && (given["idx"] ?? "0") !== "0")
      frame.fill = null
    else if (name === "p:txBody" || name === "a:tbl") paint(frame)
    // Cells have fillings of many makings, styles of tables among them.
    else if (name === "a:tcPr" || name === "a:tc") frame.ground = null
    else if (name === "a:r" || name === "a:fld") run = { ink: null, size: LEAST_HUNDREDTHS, isInkless: false }
    else if (name === "a:rPr" && run !== null) run.size = Number(given["sz"] ?? LEAST_HUNDREDTHS)
    else if (run !== null && parent === "a:rPr" && name === "a:noFill") run.isInkless = true
    else if (run !== null && parent === "a:solidFill" && above === "a:rPr")
      run.ink = colorOfElement(name, given, facts.colors)
    else if (run !== null && path.at(-4) === "a:rPr" && above === "a:solidFill") {
      // Changes of a colour: of them only how much it covers is reckoned with.
      if (name !== "a:alpha") run.ink = null
      else if (run.ink !== null)
        run.ink = [run.ink[0], run.ink[1], run.ink[2], Number(given["val"]) / 100_000]
    } else if (name === "a:t") textFrom = parser.endIndex
  }

  const paint = (frame: Frame): void => {
    if (frame.isPainted) return
    frame.isPainted = true
    frame.ground = frame.fill === undefined ? ground.under(frame.place) : frame.fill
    if (frame.fill !== undefined) ground.paint(frame.place, frame.fill)
  }

  const end = (name: string, parser: Parser): void => {
    path.pop()
    const frame = frames.at(-1)
    if (name === "a:t") {
      const isFaint =
        run !== null &&
        (run.isInkless || run.size < LEAST_HUNDREDTHS || isUnreadable(run.ink, frame?.ground ?? null))
      if (isSlideHidden || frame?.isHidden === true || isFaint) found.push([textFrom, parser.startIndex])
    } else if (name === "a:r" || name === "a:fld") run = null
    else if (FRAMES.has(name) && frame !== undefined) {
      if (name === "p:pic") ground.paint(frame.place, null)
      else if (name !== "p:grpSp") paint(frame)
      frames.pop()
    }
  }
  walkXml(xml, start, end)
  return withoutTexts(xml, found)
}

/** A slide's background stands before its shapes. */
const MAX_HEAD = 100_000

/** Whether a shape lies wholly beside the slide, or has no size at all. */
function isBeside({ x, y, width, height }: Place, slide: SlideFacts["size"]): boolean {
  if (Number.isNaN(x + y + width + height)) return false
  return x + width <= 0 || y + height <= 0 || (slide !== null && (x >= slide.x || y >= slide.y))
}

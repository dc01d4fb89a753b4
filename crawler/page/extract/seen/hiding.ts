import type { Style } from "./cascade.ts"
import { colorOf, isColor, partsOf } from "./colors.ts"
import { angleOf, lengthOf, numberOf } from "./declarations.ts"
import { type Element, textOf } from "../html/tree.ts"

/** An element less opaque than this is not seen. */
export const LEAST_OPACITY = 0.05
/** Letters scaled down further than this are unreadable at any font size. */
const LEAST_ZOOM = 0.1
/** The smallest readable scale of the letters in one direction. */
const LEAST_SCALE = 0.02
/** The blur radius, in pixels, at which letters run together until none can be made out. */
const MOST_BLUR = 10
/** Anything farther away than this, in pixels, is outside any window. */
const FAR = 500

/** The first way in which an element is hidden, with everything below it. `isIn3d`: an element above could turn it around. */
export function hidingOf(element: Element, style: Style, isIn3d: boolean): string | null {
  const hasHidden = element.has("hidden")
  if (INSTEAD.has(element.tag)) return "display"
  if (style.size === 0 && !hasHidden && element.tag !== "rp" && !isUnopened(element)) return null
  // `<rp>` contains parentheses for browsers without ruby support, which no longer exist. A genuine one contains no
  // letters.
  if (element.tag === "rp" && /\p{L}/u.test(textOf(element))) return "display"
  if (hasHidden && element.get("hidden") !== "until-found" && (style.get("display") ?? "none") === "none")
    return "hidden"
  if ((style.get("display") ?? "none") === "none" && isUnopened(element)) return "display"
  if (style.get("display") === "none") return "display"
  if (style.get("content-visibility") === "hidden") return "content-visibility"
  if (opacityOf(style) <= LEAST_OPACITY) return "opacity"
  const blurred = /blur\(\s*([^\s()]+)\s*\)/.exec(style.get("filter") ?? "")?.[1]
  if ((lengthOf(blurred, 0) ?? 0) > MOST_BLUR || isMasked(style)) return "opacity"
  if (isFlattened(style) || isTurnedAway(style, isIn3d)) return "scale"
  // A zoom of zero has no effect.
  const zoom = shareOf(style.get("zoom"))
  if (zoom > 0 && zoom < LEAST_ZOOM) return "scale"
  return isCut(style) || isFar(style) ? "heard" : isFlat(style) ? "flat" : null
}

/** The opacity that results from the element's own properties alone, from 0 to 1. */
export function opacityOf(style: Style): number {
  const faded = /opacity\(\s*([\d.]+%?)\s*\)/.exec(style.get("filter") ?? "")?.[1]
  return shareOf(style.get("opacity")) * shareOf(faded)
}

/** Whether letters are shrunk to nothing in some direction (CSS Transforms 1 and 2). */
function isFlattened(style: Style): boolean {
  const scale = partsOf(style.get("scale") ?? "", " ").map(shareOf)
  if (isThin(scale)) return true
  const transform = style.get("transform") ?? ""
  for (const [, name = "", given = ""] of transform.matchAll(
    /(scale(?:3d|x|y)?|matrix(?:3d)?)\(((?:[^()]|\([^()]*\))*)\)/g,
  )) {
    const all = partsOf(given, " ,").map(shareOf)
    const [a = 1, b = a, c = 0, d = 1] = name === "matrix3d" ? [all[0], all[1], all[4], all[5]] : all
    if (isThin(name.startsWith("matrix") ? [a * d - b * c] : /[xy]$/.test(name) ? [a] : [a, b])) return true
  }
  return false
}

const isThin = (shares: readonly number[]): boolean => shares.some((share) => Math.abs(share) < LEAST_SCALE)

/** Whether letters are edge-on to the reader, or show a back face that is not drawn. */
function isTurnedAway(style: Style, isIn3d: boolean): boolean {
  const [x, y] = turnsOf(style).map((turn) => Math.cos((turn * Math.PI) / 180))
  if (isThin([x!, y!])) return true
  // An element that faces backwards may be turned over by an element above it.
  return x! * y! < 0 && style.get("backface-visibility") === "hidden" && !isIn3d
}

/** The rotation about the page's two axes, in degrees. */
function turnsOf(style: Style): [x: number, y: number] {
  const turns = { x: 0, y: 0 }
  const add = (axis: string | undefined, by: string | undefined) => {
    const degrees = angleOf(by)
    if ((axis === "x" || axis === "y") && !Number.isNaN(degrees)) turns[axis] += degrees
  }
  for (const [, axis, given = ""] of (style.get("transform") ?? "").matchAll(/rotate(x|y|3d)\(([^()]*)\)/g)) {
    const parts = partsOf(given, " ,")
    add(axis === "3d" ? axisOf(parts) : axis, parts.at(-1))
  }
  const own = partsOf(style.get("rotate") ?? "", " ")
  if (own.length > 1) add(own.length === 2 ? own[0] : axisOf(own), own.at(-1))
  return [turns.x, turns.y]
}

function axisOf(parts: readonly string[]): string | undefined {
  const [x, y, z] = parts.map((part) => Number(part) !== 0)
  return x === true && y === false && z === false
    ? "x"
    : x === false && y === true && z === false
      ? "y"
      : undefined
}

/** Content for browsers without frames, plugins, progress bars or meters, which no longer exist. */
const INSTEAD = new Set(["noframes", "noembed", "progress", "meter"])

/** Whether the element is visible only after a script or a control opens it. */
const isUnopened = (element: Element): boolean =>
  (element.tag === "dialog" && !element.has("open")) || element.has("popover")

/** Whether a mask hides everything: it has no size, or is a gradient of colours that are all transparent. */
function isMasked(style: Style): boolean {
  const [mask, size] = ["", "-size"].map((part) =>
    ["mask", "-webkit-mask"].map((name) => style.get(name + part)).find((value) => value !== undefined),
  )
  const image = style.get("mask-image") ?? style.get("-webkit-mask-image") ?? mask
  if (image === undefined || image === "none") return false
  const layers = partsOf(image, ",")
  const sizes =
    size === undefined
      ? layers.map((layer) => layer.slice(layer.lastIndexOf("/") + 1 || layer.length))
      : partsOf(size, ",")
  const isSizeless = sizes.every((one) =>
    partsOf(one, " ")
      .slice(0, 2)
      .some((side) => lengthOf(side, 1000) === 0),
  )
  if (isSizeless && sizes.length > 0) return true
  return layers.every((layer) => {
    const colors = courseOf(layer)
    return colors.length > 0 && colors.every((one) => (colorOf(one)?.[3] ?? 1) < LEAST_OPACITY)
  })
}

/** The colours of `linear-gradient(…)` and similar functions, as written. */
export function courseOf(image: string): string[] {
  const inside = /gradient\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/.exec(image)?.[1] ?? ""
  return partsOf(inside, " ,").filter(isColor)
}

const shareOf = (value: string | undefined): number => numberOf(value) ?? 1

/** Whether clipping leaves nothing of the element, or only a dot. */
function isCut(style: Style): boolean {
  const clip = /^rect\(([^)]*)\)$/.exec(style.get("clip") ?? "")?.[1]
  if (clip !== undefined && isOutOfFlow(style)) {
    const [top = 0, right = 0, bottom = 0, left = 0] = clip
      .split(/[\s,]+/)
      .map((edge) => Number.parseFloat(edge) || 0)
    if (!clip.includes("auto") && (right - left <= 1 || bottom - top <= 1)) return true
  }
  if (isShapeless(style.get("clip-path") ?? "")) return true
  const isHiding = /hidden|clip/.test(
    `${style.get("overflow") ?? ""}${style.get("overflow-x") ?? ""}${style.get("overflow-y") ?? ""}`,
  )
  const side = (name: string) => lengthOf(style.get(name), WHOLE) ?? WHOLE
  const width = Math.min(side("width"), side("max-width"))
  const height = Math.min(side("height"), side("max-height"))
  return isHiding && (width <= 1 || (height <= 1 && height > 0))
}

/** The assumed size of a box of unknown size. */
const WHOLE = 1000

/** Whether a basic shape (CSS Shapes 1) has no area, or none within its box. */
function isShapeless(path: string): boolean {
  const [, shape, given = ""] = /^(\w+)\(([^]*)\)(?:\s+[\w-]+)?$/.exec(path) ?? []
  const [before = "", at = ""] = given.split(/(?:^|\s)at\s/)
  const lengths = (text: string) =>
    partsOf(text.split(/\sround\s/)[0]!, " ,").map((one) => lengthOf(one, WHOLE))
  const known = (text: string) => lengths(text).map((one) => one ?? 0)
  switch (shape) {
    case "inset": {
      const [top = 0, right = top, bottom = top, left = right] = known(given)
      return isAway(left, top, WHOLE - right, WHOLE - bottom)
    }
    case "rect": {
      const [top, right, bottom, left] = lengths(given)
      return isAway(left ?? 0, top ?? 0, right ?? WHOLE, bottom ?? WHOLE)
    }
    case "xywh": {
      const [x = 0, y = 0, width = WHOLE, height = WHOLE] = known(given)
      return isAway(x, y, x + width, y + height)
    }
    case "circle":
    case "ellipse": {
      const [x = WHOLE / 2, y = WHOLE / 2] = lengths(at).map((one) => one ?? WHOLE / 2)
      // By default, and for `closest-side` and similar keywords, a radius is the distance to a side of the box.
      const [across = WHOLE / 2, down = across] = lengths(before).map((one) => one ?? WHOLE / 2)
      return isAway(x - across, y - down, x + across, y + down)
    }
    case "polygon": {
      const corners = partsOf(given.replace(/^(?:nonzero|evenodd)\s*,/, ""), ",").map(known)
      const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis] ?? 0))
      const face = corners.reduce((sum, [x = 0, y = 0], n) => {
        const [nextX = 0, nextY = 0] = corners[(n + 1) % corners.length]!
        return sum + x * nextY - nextX * y
      }, 0)
      const isLine = Math.abs(face) < 2
      return (
        corners.length > 0 &&
        (isLine || isAway(Math.min(...xs!), Math.min(...ys!), Math.max(...xs!), Math.max(...ys!)))
      )
    }
    case "path":
      // A shape without an outline has no area.
      return /^\s*(["'])[\s\d.,mz+-]*\1\s*$/.test(given)
    default:
      return false
  }
}

/** Whether a rectangle has no area within its box. Only the upper left corner of the box is known for certain. */
const isAway = (left: number, top: number, right: number, bottom: number): boolean =>
  right - left < 1 || bottom - top < 1 || right <= 0 || bottom <= 0 || left >= 10 * FAR || top >= 10 * FAR

/** Whether an element has no height. This is also true of a collapsible element while it is closed. */
function isFlat(style: Style): boolean {
  const isHiding = /hidden|clip/.test(`${style.get("overflow") ?? ""}${style.get("overflow-y") ?? ""}`)
  return (
    isHiding && (hasNoHeight(style) || (!style.has("height") && lengthOf(style.get("line-height"), 16) === 0))
  )
}

export const hasNoHeight = (style: Style): boolean =>
  lengthOf(style.get("height"), WHOLE) === 0 || lengthOf(style.get("max-height"), WHOLE) === 0

const isOutOfFlow = (style: Style): boolean => /^(?:absolute|fixed)$/.test(style.get("position") ?? "")

/** Whether an element is moved outside any window. */
function isFar(style: Style): boolean {
  const pixels = (name: string) => lengthOf(style.get(name), WHOLE) ?? 0
  const indent = pixels("text-indent")
  const isKept = /hidden|clip/.test(style.get("overflow") ?? "")
  const most = style.get("white-space") === "nowrap" ? WHOLE : 10 * FAR
  if (indent <= -FAR || (indent >= most && isKept)) return true
  if (pixels("margin-left") <= -2 * FAR || pixels("margin-top") <= -2 * FAR) return true
  if (style.has("position") && style.get("position") !== "static") {
    if (["left", "top", "right", "bottom"].some((side) => pixels(side) <= -FAR || pixels(side) >= 10 * FAR))
      return true
    const inset = partsOf(style.get("inset") ?? "", " ").map((side) => lengthOf(side, WHOLE) ?? 0)
    if (inset.some((side) => side <= -FAR)) return true
  }
  const moved =
    /translate(?:3d|x|y)?\(((?:[^()]|\([^()]*\))*)\)/.exec(style.get("transform") ?? "")?.[1] ??
    style.get("translate")
  return moved !== undefined && partsOf(moved, " ,").some((by) => (lengthOf(by, 0) ?? 0) <= -2 * FAR)
}

/** A box that clips its content to its own size, in pixels; null for an unknown size. */
export interface Window {
  readonly width: number | null
  readonly height: number | null
  /** Whether positioned descendants are placed relative to the box. */
  readonly isPositioned: boolean
}

/** The box to which an element clips its descendants; undefined if it shows all of them. */
export function windowOf(style: Style): Window | undefined {
  const isHiding = (axis: string) =>
    /hidden|clip/.test(style.get(`overflow-${axis}`) ?? style.get("overflow") ?? "")
  const side = (name: string, axis: string) => (isHiding(axis) ? lengthOf(style.get(name), Number.NaN) : null)
  const [width, height] = [side("width", "x"), side("height", "y")].map((one) =>
    one === null || Number.isNaN(one) ? null : one,
  )
  if (width == null && height == null) return undefined
  return { width: width ?? null, height: height ?? null, isPositioned: isContainer(style) }
}

/** Whether positioned descendants are placed relative to an element with this style. */
export const isContainer = (style: Style): boolean => (style.get("position") ?? "static") !== "static"

/** Whether an element is moved out of the clipping box above it. */
export function isBeside(style: Style, { width, height, isPositioned }: Window): boolean {
  const position = style.get("position")
  const pixels = (name: string) => lengthOf(style.get(name), 0) ?? 0
  const isMoved = position === "relative" || (position === "absolute" && isPositioned)
  const right = isMoved ? pixels("left") : 0
  const down = isMoved ? pixels("top") : 0
  if (position === "absolute" && !isPositioned) return false
  return (
    (width !== null && right + pixels("margin-left") >= width) ||
    (height !== null && down + pixels("margin-top") >= height)
  )
}

/** Whether an element covers the whole of the box that it is positioned in. */
export function isCover(style: Style): boolean {
  if (style.get("position") !== "absolute" || Number(style.get("z-index") ?? 0) < 0) return false
  const inset = partsOf(style.get("inset") ?? "", " ")
  const [top, right = top, bottom = top, left = right] = inset
  const isNone = (side: string | undefined) => lengthOf(side, WHOLE) === 0
  const isWhole = (name: string) => (lengthOf(style.get(name), WHOLE) ?? 0) >= WHOLE
  const across =
    isNone(style.get("left") ?? left) && (isNone(style.get("right") ?? right) || isWhole("width"))
  return (
    across && isNone(style.get("top") ?? top) && (isNone(style.get("bottom") ?? bottom) || isWhole("height"))
  )
}

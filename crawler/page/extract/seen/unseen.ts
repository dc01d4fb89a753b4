import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { Cascade, type Style } from "./cascade.ts"
import { Controls, isCollapsed, type Neighbours } from "./collapsed.ts"
import { type Color, colorOf, contrastOf } from "./colors.ts"
import { lengthOf } from "./declarations.ts"
import { WIDTHS } from "./style-sheet.ts"
import { NO_VARIABLES, type Variables, variablesOf, withoutVariables } from "./variables.ts"
import { type Element, firstElement, textOf, walk } from "../html/tree.ts"

/** On the root of a document whose elements have the styles that a browser gave them, and needs no style sheets any more. */
export const COMPUTED = "data-fossick-computed"

/** Letters smaller than this, in pixels, are read by nobody. */
const LEAST_LETTER = 3
/** Colours that contrast less are one to a reader; the weakest grey that designers write with has 1.3 on white. */
const LEAST_CONTRAST = 1.12
/** What covers less than this of what is below is not seen. */
const LEAST_OPACITY = 0.05
/** Letters of any page's size are no letters when they are shrunk further than this. */
const LEAST_ZOOM = 0.1
/** Of their size, in one direction. */
const LEAST_SCALE = 0.02
/** Pixels over which letters run into each other until none is left. */
const MOST_BLUR = 10
/** Further off than this, in pixels, is out of any window. */
const FAR = 500
/** Of what only screen readers read out, so much is a label; what is longer was hidden from people. */
const MAX_LABEL_CHARS = 160
/** More of a page's text than this is shown by its script, when it has one: no page is made to hide itself. */
const MAX_HIDDEN_SHARE = 0.5
/** A page that shows as much as this without its script has something to show; the rest may well be meant for nobody. */
const MIN_SHOWN_CHARS = 600
/** What moves into place when it is scrolled to, in the words of those libraries. */
const MOVES =
  /(?:^|[\s_-])(?:aos|wow|anim\w*|fade\w*|reveal\w*|motion|slide\w*|appear\w*|scroll\w*|lazy\w*|invisible|gsap|sr|js)(?:[\s_-]|$)/i
const WHITE: Color = [255, 255, 255, 1]
const PICTURES = new Set("img picture video canvas svg iframe object embed".split(" "))

/**
 * Takes out of a document what no reader sees: not displayed, transparent, without size, in the colour of its ground,
 * out of the window, cut away. What is only collapsed stays (`<details>`, tabs, what a style sheet shows in another
 * state or to narrow windows), and so do headings and short labels for screen readers, unless they give orders to models.
 *
 * A style sheet that has to be fetched is not known here. Where there is one, colours and sizes that it could change are
 * not judged; pages that were rendered bring what the browser made of it ({@link COMPUTED}).
 * @returns the elements that were taken out
 */
export function removeUnseen(document: Element): ReadonlySet<Element> {
  const page = new Page(document)
  const [wide, narrow] = WIDTHS
  const unseen = page.unseenAt(wide!)
  // What narrow windows show, some readers see.
  const either =
    page.dependsOnWidth && unseen.size > 0 ? page.unseenAt(narrow!, withThoseAbove(unseen.keys())) : unseen
  const removed = new Set<Element>()
  const parents = new Set<Element>()
  for (const [element, part] of unseen) {
    if (either.get(element) !== part) continue
    if (part === "text") keepIn(element, (child) => typeof child !== "string")
    else if (element.parent !== null) {
      removed.add(element)
      parents.add(element.parent)
    }
  }
  for (const parent of parents) keepIn(parent, (child) => typeof child === "string" || !removed.has(child))
  return removed
}

function withThoseAbove(elements: Iterable<Element>): Set<Element> {
  const all = new Set<Element>()
  for (const element of elements)
    for (let at: Element | null = element; at !== null && !all.has(at); at = at.parent) all.add(at)
  return all
}

function keepIn({ children }: Element, isKept: (child: Element | string) => boolean): void {
  let kept = 0
  for (const child of children) if (isKept(child)) children[kept++] = child
  children.length = kept
}

/** Of an element all, or the text that stands in it directly. */
type Unseen = "all" | "text"

/** What elements hand down to those below them. Null: not known. */
interface Inherited {
  readonly fontSize: number | null
  readonly color: Color | null
  readonly ground: Color | null
  readonly isVisible: boolean
  readonly variables: Variables
  /** Whether something is laid over something else, which may be a picture behind the text. */
  readonly isLayered: boolean
}

class Page {
  readonly dependsOnWidth: boolean
  readonly #document: Element
  readonly #cascade: Cascade
  readonly #controls: Controls
  readonly #isComputed: boolean
  /** Whether it has style sheets that are not known. */
  readonly #isStyledElsewhere: boolean
  readonly #areVariablesKnown: boolean
  readonly #chars: number
  readonly #withPicture = new Map<Element, boolean>()

  constructor(document: Element) {
    const root = firstElement(document, ({ tag }) => tag === "html")
    this.#document = document
    this.#isComputed = root?.has(COMPUTED) === true
    this.#cascade = new Cascade(document)
    this.#isStyledElsewhere = !this.#isComputed && hasOtherSheets(document)
    this.#controls = new Controls(document, this.#isComputed || this.#isStyledElsewhere)
    this.#areVariablesKnown = !this.#isComputed && !this.#isStyledElsewhere && !this.#controls.isScripted
    this.#chars = Math.max(1, textOf(firstElement(document, ({ tag }) => tag === "body") ?? document).length)
    this.dependsOnWidth = !this.#isComputed && this.#cascade.dependsOnWidth
  }

  /** In a window of this width; `among` these alone, where given, and those above each of them. */
  unseenAt(width: number, among?: ReadonlySet<Element>): Map<Element, Unseen> {
    const unseen = new Map<Element, Unseen>()
    /** What is hidden by each way, and how much text. */
    const ways = new Map<string, { chars: number; readonly elements: Element[] }>()
    const note = (way: string, element: Element, chars: number) => {
      const hidden = ways.get(way) ?? { chars: 0, elements: [] }
      hidden.chars += chars
      hidden.elements.push(element)
      ways.set(way, hidden)
    }
    const visit = (element: Element, above: Inherited, neighbours: Neighbours): void => {
      if (NO_TEXT.has(element.tag)) return
      const written = this.#cascade.styleOf(element, width)
      const variables = variablesOf(written, above.variables)
      // A style sheet of another file, or a script, may set others.
      const style = this.#areVariablesKnown ? withoutVariables(written, variables) : written
      const way = this.#hidingOf(element, style, neighbours)
      if (way !== null) {
        note(way, element, textOf(element).length)
        unseen.set(element, "all")
        return
      }
      const own = this.#inherit(element, style, { ...above, variables }, neighbours)
      const words = this.#showsText(element, own) ? 0 : wordsIn(element)
      if (words > 0) {
        unseen.set(element, "text")
        note(own.isVisible ? "ground" : "visibility", element, words)
      }
      let before: Element | null = null
      this.#cascade.enter(element)
      for (const child of element.children) {
        if (typeof child === "string") {
          if (child.trim() !== "") before = null
          continue
        }
        if (among?.has(child) !== false) visit(child, own, [before, neighbours[0]])
        before = child
      }
      this.#cascade.leave(element)
    }
    const ground = this.#isStyledElsewhere ? null : WHITE
    const start = {
      fontSize: 16,
      color: BLACK,
      ground,
      isVisible: true,
      isLayered: false,
      variables: NO_VARIABLES,
    }
    for (const child of this.#document.children)
      if (typeof child !== "string") visit(child, start, [null, null])
    if (this.#controls.isScripted && !this.#isComputed) {
      const all = [...ways.values()].reduce((sum, { chars }) => sum + chars, 0)
      for (const [way, { chars, elements }] of ways) {
        const isMost = chars > this.#chars * MAX_HIDDEN_SHARE
        if (isMost && (BEFORE_LOAD.has(way) || this.#chars - all < MIN_SHOWN_CHARS))
          for (const element of elements) unseen.delete(element)
      }
    }
    return unseen
  }

  /** How an element and all below it is kept from readers; null when it is not. */
  #hidingOf(element: Element, style: Style, neighbours: Neighbours): string | null {
    const way = hidingOf(element, style)
    if (way === null) return null
    if (way === "heard") return this.#isForListeners(element) ? null : way
    if (way === "opacity" && this.#movesIn(element, style)) return null
    // React streams late parts of a page as hidden `S:<n>` boxes that its script moves into place.
    if (way === "hidden" && /^S:[0-9a-f]+$/.test(element.get("id") ?? "")) return null
    // What grows is to be opened.
    const grows = /height|all/.test(style.get("transition") ?? "") && hasNoHeight(style)
    if (grows && this.#controls.isScripted) return null
    return isCollapsed(element, neighbours, this.#controls, this.#cascade) ? null : way
  }

  /** A heading or a short label, which sites have for screen readers. */
  #isForListeners(element: Element): boolean {
    if (element.get("aria-hidden") === "true") return false
    const text = textOf(element, MAX_LABEL_CHARS * 4)
    return text.length <= MAX_LABEL_CHARS && !holdsModelOrder(text)
  }

  /** Transparent until it is scrolled to. */
  #movesIn(element: Element, style: Style): boolean {
    if (!this.#controls.isScripted && !style.has("animation") && !style.has("animation-name")) return false
    return (
      ["transform", "transition", "animation", "animation-name", "will-change"].some((name) =>
        style.has(name),
      ) ||
      element.has("data-aos") ||
      MOVES.test(element.get("class") ?? "")
    )
  }

  #inherit(element: Element, style: Style, above: Inherited, neighbours: Neighbours): Inherited {
    // A class or an id is what style sheets of other files go by.
    const isOpen = this.#isStyledElsewhere && (element.has("class") || element.has("id"))
    const position = style.get("position")
    return {
      fontSize: fontSizeOf(style, above.fontSize) ?? (isOpen ? null : above.fontSize),
      color: textColor(element, style, isOpen ? null : above.color),
      ground: groundOf(element, style, isOpen ? null : above.ground),
      isVisible: this.#isVisible(element, style, neighbours) ?? above.isVisible,
      variables: above.variables,
      isLayered:
        above.isLayered || position === "absolute" || position === "fixed" || style.get("display") === "grid",
    }
  }

  #isVisible(element: Element, style: Style, neighbours: Neighbours): boolean | null {
    const value = style.get("visibility")
    if (value === undefined || value === "inherit") return null
    return value === "visible" || isCollapsed(element, neighbours, this.#controls, this.#cascade)
  }

  #showsText(element: Element, { fontSize, color, ground, isVisible, isLayered }: Inherited): boolean {
    if (!isVisible) return false
    if (fontSize !== null && fontSize < LEAST_LETTER) return false
    if (color === null) return true
    if (color[3] < LEAST_OPACITY) return false
    if (ground === null || contrastOf(color, ground) >= LEAST_CONTRAST) return true
    return (isLayered || this.#isStyledElsewhere) && this.#isNearPicture(element)
  }

  #isNearPicture(element: Element): boolean {
    let at = element.parent
    for (let steps = 0; at && at.tag !== "body" && steps < NEAR; at = at.parent, steps++)
      if (this.#holdsPicture(at)) return true
    return false
  }

  #holdsPicture(element: Element): boolean {
    const known = this.#withPicture.get(element)
    if (known !== undefined) return known
    const found = element.children.some(
      (child) => typeof child !== "string" && (PICTURES.has(child.tag) || this.#holdsPicture(child)),
    )
    this.#withPicture.set(element, found)
    return found
  }
}

/** How pages keep all they have out of sight until their scripts have run. */
const BEFORE_LOAD = new Set(["opacity", "visibility"])

/** Elements above among which a picture is looked for that may lie behind a text. */
const NEAR = 4

/** Whose text is never on show as text of the page, or is no text. */
const NO_TEXT = new Set(
  "head script style template svg math canvas textarea select option iframe object".split(" "),
)
const BLACK: Color = [0, 0, 0, 1]

const wordsIn = ({ children }: Element): number =>
  children.reduce((sum, child) => sum + (typeof child === "string" ? child.trim().length : 0), 0)

function hasOtherSheets(document: Element): boolean {
  let found = false
  walk(document, (element) => {
    found ||=
      (element.tag === "link" && /(?:^|\s)stylesheet(?:\s|$)/i.test(element.get("rel") ?? "")) ||
      (element.tag === "style" &&
        element.children.some((css) => typeof css === "string" && css.includes("@import")))
    return !found
  })
  return found
}

/** The first way in which an element is hidden, with all below it. */
function hidingOf(element: Element, style: Style): string | null {
  const hasHidden = element.has("hidden")
  if (style.size === 0 && !hasHidden && element.tag !== "rp" && !isUnopened(element)) return null
  // Brackets for browsers without ruby, of which there are none.
  if (element.tag === "rp" && /\p{L}/u.test(textOf(element))) return "display"
  if (hasHidden && element.get("hidden") !== "until-found" && (style.get("display") ?? "none") === "none")
    return "hidden"
  if ((style.get("display") ?? "none") === "none" && isUnopened(element)) return "display"
  if (style.get("display") === "none") return "display"
  if (style.get("content-visibility") === "hidden") return "content-visibility"
  const opacity = style.get("opacity")
  if (opacity !== undefined && shareOf(opacity) <= LEAST_OPACITY) return "opacity"
  const faded = /opacity\(\s*([\d.]+%?)\s*\)/.exec(style.get("filter") ?? "")?.[1]
  if (faded !== undefined && shareOf(faded) <= LEAST_OPACITY) return "opacity"
  const blurred = /blur\(\s*([^\s()]+)\s*\)/.exec(style.get("filter") ?? "")?.[1]
  if ((lengthOf(blurred, 0) ?? 0) > MOST_BLUR || isMasked(style)) return "opacity"
  if (
    isFlattened(style.get("transform") ?? "") ||
    (style.get("scale") ?? "1").split(/\s+/).some((share) => Math.abs(shareOf(share)) < LEAST_SCALE)
  )
    return "scale"
  // None at all is as if it was not said.
  const zoom = shareOf(style.get("zoom") ?? "1")
  if (zoom > 0 && zoom < LEAST_ZOOM) return "scale"
  return isCut(style) || isFar(style) ? "heard" : isFlat(style) ? "flat" : null
}

/** Whether letters are shrunk to nothing in some direction, or stand on their edge (CSS Transforms 1 and 2). */
function isFlattened(transform: string): boolean {
  if (/rotate[xy]\(\s*(?:90deg|0?\.25turn|100grad)\s*\)/.test(transform)) return true
  for (const [, name = "", given = ""] of transform.matchAll(/(scale(?:3d|x|y)?|matrix)\(([^()]*)\)/g)) {
    const [a = 1, b = a, c = 0, d = 1] = given
      .split(/[\s,]+/)
      .flatMap((one) => (one === "" ? [] : shareOf(one)))
    const shares = name === "matrix" ? [a * d - b * c] : /[xy]$/.test(name) ? [a] : [a, b]
    if (shares.some((share) => Math.abs(share) < LEAST_SCALE)) return true
  }
  return false
}

/** What only browsers show that have no frames and no plugins, which are none. */
const INSTEAD = new Set(["noframes", "noembed"])

/** Opened by a script or a control alone. */
const isUnopened = (element: Element): boolean =>
  INSTEAD.has(element.tag) || (element.tag === "dialog" && !element.has("open")) || element.has("popover")

/** Whether a mask lets nothing through: a course of colours none of which covers anything. */
function isMasked(style: Style): boolean {
  const mask = ["mask-image", "mask", "-webkit-mask-image", "-webkit-mask"]
    .map((name) => style.get(name))
    .find((value) => value !== undefined)
  if (mask === undefined || !/^(?:\w+-)*gradient\(/.test(mask)) return false
  const colors = mask.match(/(?:rgb|hsl)a?\([^()]*\)|#[0-9a-f]{3,8}|[a-z]{3,}/g) ?? []
  const known = colors.flatMap((one) => colorOf(one) ?? [])
  const alphas = known.filter((_, at) => at % 4 === 3)
  return alphas.length > 0 && alphas.every((alpha) => alpha < LEAST_OPACITY)
}

function shareOf(text: string): number {
  const number = Number.parseFloat(text)
  return Number.isNaN(number) ? 1 : text.endsWith("%") ? number / 100 : number
}

/** Of which nothing is left after clipping, or a dot. */
function isCut(style: Style): boolean {
  const clip = /^rect\(([^)]*)\)$/.exec(style.get("clip") ?? "")?.[1]
  if (clip !== undefined && isOutOfFlow(style)) {
    const [top = 0, right = 0, bottom = 0, left = 0] = clip
      .split(/[\s,]+/)
      .map((edge) => Number.parseFloat(edge) || 0)
    if (!clip.includes("auto") && (right - left <= 1 || bottom - top <= 1)) return true
  }
  const path = style.get("clip-path") ?? ""
  if (
    isInsetAway(path) ||
    /^(?:circle|ellipse)\(\s*0?\.?0*(?:px|%|r?em)?\s*(?:at\b|[,)\s])/.test(path) ||
    /^(?:rect|xywh)\((?:\s*0(?:px|%)?)+\s*\)$/.test(path) ||
    /^ellipse\([^()]*?\s0?\.?0*(?:px|%|r?em)?\s*(?:at\b[^()]*)?\)$/.test(path) ||
    // Without a line there is no face.
    /^path\(\s*(["'])[\s\d.,mz+-]*\1\s*\)$/.test(path) ||
    /^polygon\((?:\s*0(?:px|%)?[\s,]*)+\)$/.test(path)
  )
    return true
  const isHiding = /hidden|clip/.test(
    `${style.get("overflow") ?? ""}${style.get("overflow-x") ?? ""}${style.get("overflow-y") ?? ""}`,
  )
  const side = (name: string) => lengthOf(style.get(name), 1000) ?? 1000
  const width = Math.min(side("width"), side("max-width"))
  const height = Math.min(side("height"), side("max-height"))
  return isHiding && (width <= 1 || (height <= 1 && height > 0))
}

/** `inset(50%)`, `inset(0 100% 0 0)`: two sides that meet. */
function isInsetAway(path: string): boolean {
  const given = /^inset\(([^()]*)\)$/.exec(path)?.[1]?.split(/\sround\s/)[0]
  if (given === undefined) return false
  const [top = 0, right = top, bottom = top, left = right] = given
    .trim()
    .split(/\s+/)
    .map((side) => lengthOf(side, 1000) ?? 0)
  return top + bottom >= 1000 || right + left >= 1000
}

/** Without any height: what opens and closes is so too. */
function isFlat(style: Style): boolean {
  const isHiding = /hidden|clip/.test(`${style.get("overflow") ?? ""}${style.get("overflow-y") ?? ""}`)
  return (
    isHiding && (hasNoHeight(style) || (!style.has("height") && lengthOf(style.get("line-height"), 16) === 0))
  )
}

const hasNoHeight = (style: Style): boolean =>
  lengthOf(style.get("height"), 1000) === 0 || lengthOf(style.get("max-height"), 1000) === 0

const isOutOfFlow = (style: Style): boolean => /^(?:absolute|fixed)$/.test(style.get("position") ?? "")

/** Moved out of any window. */
function isFar(style: Style): boolean {
  const pixels = (name: string) => lengthOf(style.get(name), 1000) ?? 0
  const indent = pixels("text-indent")
  const isKept = /hidden|clip/.test(style.get("overflow") ?? "")
  const most = style.get("white-space") === "nowrap" ? 1000 : 10 * FAR
  if (indent <= -FAR || (indent >= most && isKept)) return true
  if (pixels("margin-left") <= -2 * FAR || pixels("margin-top") <= -2 * FAR) return true
  if (style.has("position") && style.get("position") !== "static") {
    if (["left", "top", "right", "bottom"].some((side) => pixels(side) <= -FAR || pixels(side) >= 10 * FAR))
      return true
    const inset = (style.get("inset") ?? "").split(/\s+/).map((side) => lengthOf(side, 1000) ?? 0)
    if (inset.some((side) => side <= -FAR)) return true
  }
  const moved =
    /translate(?:3d|x|y)?\(([^)]*)\)/.exec(style.get("transform") ?? "")?.[1] ?? style.get("translate")
  return moved !== undefined && moved.split(/[\s,]+/).some((by) => (lengthOf(by, 0) ?? 0) <= -2 * FAR)
}

function fontSizeOf(style: Style, above: number | null): number | null {
  const short = /(?:^|\s)([\d.]+(?:px|r?em|pt|%|ex|ch|vw|vh)?)(?:\/\S+)?\s/.exec(style.get("font") ?? "")?.[1]
  const value = style.get("font-size") ?? short
  // Without what is above a share of it is not known, but for none.
  return above === null && /(?:^|[^r])em$|%$/.test(value ?? "") && Number.parseFloat(value!) !== 0
    ? null
    : lengthOf(value, above ?? 16, above ?? 16)
}

function textColor(element: Element, style: Style, above: Color | null): Color | null {
  // Letters may be windows to the ground of their own box.
  if (`${style.get("-webkit-background-clip") ?? ""} ${style.get("background-clip") ?? ""}`.includes("text"))
    return null
  const attribute =
    element.tag === "font" ? element.get("color") : element.tag === "body" ? element.get("text") : null
  const value = style.get("-webkit-text-fill-color") ?? style.get("color") ?? attribute?.trim().toLowerCase()
  if (value === undefined || value === "") return element.tag === "a" ? null : above
  return value === "inherit" || value === "currentcolor" ? above : colorOf(value)
}

function groundOf(element: Element, style: Style, above: Color | null): Color | null {
  const short = style.get("background")
  const image = `${short ?? ""} ${style.get("background-image") ?? ""}`
  if (/url\(|image\(|image-set\(|var\(/.test(image)) return null
  if (image.includes("gradient(")) return evenColor(image)
  const plain = style.get("background-color") ?? (short === undefined ? undefined : colorIn(short))
  const value = plain ?? element.get("bgcolor")?.trim().toLowerCase()
  if (value === undefined || value === "" || value === "inherit" || value === "none") return above
  const color = colorOf(value)
  if (color === null || color[3] === 1) return color
  if (color[3] < LEAST_OPACITY) return above
  return above && (mix(color, above) as Color)
}

/** The colour of a course of colours that are one to a reader; null when they are not. */
function evenColor(image: string): Color | null {
  const inside = /gradient\(((?:[^()]|\([^()]*\))*)\)/.exec(image)?.[1] ?? ""
  const colors = (inside.match(/[a-z]+\([^()]*\)|#[0-9a-f]{3,8}|[a-z]{3,}/g) ?? []).filter(
    (one) => !/^(?:to|at|in|left|right|top|bottom|center|circle|ellipse|deg|turn)$/.test(one),
  )
  const [first, ...others] = colors.map(colorOf)
  if (first === undefined || first === null || first[3] < 1) return null
  return others.every((one) => one !== null && one[3] === 1 && contrastOf(one, first) < LEAST_CONTRAST)
    ? first
    : null
}

/** The colour among the values of a shorthand. */
const colorIn = (short: string): string | undefined =>
  short.match(/(?:rgb|hsl)a?\([^()]*\)|#[0-9a-f]{3,8}|[a-z]+/g)?.find((part) => colorOf(part) !== null)

const mix = ([r, g, b, a]: Color, below: Color): readonly number[] => [
  r * a + below[0] * (1 - a),
  g * a + below[1] * (1 - a),
  b * a + below[2] * (1 - a),
  1,
]

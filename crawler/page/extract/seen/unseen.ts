import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { Cascade, type Style } from "./cascade.ts"
import { Controls, isCollapsed, type Neighbours } from "./collapsed.ts"
import {
  AS_IT_IS,
  both,
  type Color,
  colorOf,
  areApart,
  type Filter,
  filterOf,
  isColor,
  mix,
  partsOf,
} from "./colors.ts"
import { lengthOf } from "./declarations.ts"
import {
  courseOf,
  hasNoHeight,
  hidingOf,
  isBeside,
  isContainer,
  isCover,
  LEAST_OPACITY,
  opacityOf,
  type Window,
  windowOf,
} from "./hiding.ts"
import { WIDTHS } from "./style-sheet.ts"
import { NO_VARIABLES, type Variables, variablesOf, withoutVariables } from "./variables.ts"
import { type Element, elementsOf, firstElement, textOf } from "../html/tree.ts"

/** Set on the root of a document whose elements carry the styles computed by a browser, so that it needs no style sheets. */
export const COMPUTED = "data-fossick-computed"

/** Letters smaller than this, in pixels, cannot be read. */
const LEAST_LETTER = 3
/** The maximum length of a label that is only for screen readers; longer text was hidden from people. */
const MAX_LABEL_CHARS = 160
/** If more of a page's text than this is hidden and the page has a script, the script is assumed to show the text: no page is designed to hide itself. */
const MAX_HIDDEN_SHARE = 0.5
/** A page that shows this much text without its script has content; the rest may well be hidden on purpose. */
const MIN_SHOWN_CHARS = 600
/** Elements that move into place on scrolling, identified by the class names of the libraries that do this. */
const MOVES =
  /(?:^|[\s_-])(?:aos|wow|anim\w*|fade\w*|reveal\w*|motion|slide\w*|appear\w*|scroll\w*|lazy\w*|invisible|gsap|sr|js)(?:[\s_-]|$)/i
const WHITE: Color = [255, 255, 255, 1]
const PICTURES = new Set("img picture video canvas svg iframe object embed".split(" "))

/**
 * Removes the parts of a document that no reader sees: parts that are not displayed, transparent, without size, in the
 * colour of the background, outside the window, or clipped. Collapsed parts are kept (`<details>`, tabs, parts that a
 * style sheet shows in another state or in narrow windows), and so are headings and short labels for screen readers,
 * unless they contain instructions to language models.
 *
 * Style sheets that would have to be fetched are unknown. If there is one, colours and sizes that it could change are
 * not judged; rendered pages include the styles computed by the browser ({@link COMPUTED}).
 * @returns the elements that were removed
 */
export function removeUnseen(document: Element): ReadonlySet<Element> {
  const page = new Page(document)
  const [wide, narrow] = WIDTHS
  const unseen = page.unseenAt(wide!)
  // Some readers have narrow windows, so parts that are shown only in those are treated as seen.
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

/** Whether the whole element is hidden, or only the text directly in it. */
type Unseen = "all" | "text"

/** The values that elements pass on to their descendants. Null means unknown. */
interface Inherited {
  readonly fontSize: number | null
  readonly color: Color | null
  readonly ground: Color | null
  readonly isVisible: boolean
  readonly variables: Variables
  /** Whether the element is laid over something else, which might be a picture behind the text. */
  readonly isLayered: boolean
  /** The combined opacity of the element and the boxes around it. */
  readonly opacity: number
  /** The effect of filters on the element's colours; null if unknown. */
  readonly filter: Filter
  /** The part of the page that the element is clipped to, if any. */
  readonly window: Window | undefined
  /** Whether the element could be turned around together with an ancestor. */
  readonly isIn3d: boolean
}

/** A document seen in a window. */
interface Look {
  readonly width: number
  /** Limits the check to these elements; undefined for all. */
  readonly among: ReadonlySet<Element> | undefined
  readonly unseen: Map<Element, Unseen>
  /** The elements hidden in each way, and the amount of their text. */
  readonly ways: Map<string, { chars: number; readonly elements: Element[] }>
}

function note({ ways }: Look, way: string, element: Element, chars: number): void {
  const hidden = ways.get(way) ?? { chars: 0, elements: [] }
  hidden.chars += chars
  hidden.elements.push(element)
  ways.set(way, hidden)
}

class Page {
  readonly dependsOnWidth: boolean
  readonly #document: Element
  readonly #cascade: Cascade
  readonly #controls: Controls
  readonly #isComputed: boolean
  /** Whether the document has unknown style sheets. */
  readonly #isStyledElsewhere: boolean
  readonly #areVariablesKnown: boolean
  #chars: number | null = null
  readonly #withPicture = new Map<Element, boolean>()

  constructor(document: Element) {
    const root = firstElement(document, ({ tag }) => tag === "html")
    this.#document = document
    this.#isComputed = root?.has(COMPUTED) === true
    const elements = elementsOf(document)
    this.#cascade = new Cascade(elements)
    this.#isStyledElsewhere = !this.#isComputed && hasOtherSheets(elements)
    this.#controls = new Controls(elements, this.#isComputed || this.#isStyledElsewhere)
    this.#areVariablesKnown = !this.#isComputed && !this.#isStyledElsewhere && !this.#controls.isScripted
    this.dependsOnWidth = !this.#isComputed && this.#cascade.dependsOnWidth
  }

  /** Examines the document in a window of this width; if `among` is given, only those elements and their ancestors. */
  unseenAt(width: number, among?: ReadonlySet<Element>): Map<Element, Unseen> {
    const look: Look = { width, among, unseen: new Map(), ways: new Map() }
    const { unseen, ways } = look
    const ground = this.#isStyledElsewhere ? null : WHITE
    const start = {
      fontSize: 16,
      color: BLACK,
      ground,
      isVisible: true,
      isLayered: false,
      variables: NO_VARIABLES,
      opacity: 1,
      filter: AS_IT_IS,
      window: undefined,
      isIn3d: false,
    }
    for (const child of this.#document.children)
      if (typeof child !== "string") this.#visit(look, child, start, [null, null])
    if (ways.size > 0 && this.#controls.isScripted && !this.#isComputed) {
      const shown = this.#charsOfAll()
      const all = [...ways.values()].reduce((sum, { chars }) => sum + chars, 0)
      for (const [way, { chars, elements }] of ways) {
        const isMost = chars > shown * MAX_HIDDEN_SHARE
        if (isMost && (BEFORE_LOAD.has(way) || shown - all < MIN_SHOWN_CHARS))
          for (const element of elements) unseen.delete(element)
      }
    }
    return unseen
  }

  #charsOfAll(): number {
    const body = () => firstElement(this.#document, ({ tag }) => tag === "body") ?? this.#document
    return (this.#chars ??= Math.max(1, textOf(body()).length))
  }

  /** Returns how high the element lies (`z-index`) and whether it covers elements below it. */
  #visit(look: Look, element: Element, above: Inherited, neighbours: Neighbours): Laid {
    if (NO_TEXT.has(element.tag)) return FLAT
    const { width, among, unseen } = look
    const written = this.#cascade.styleOf(element, width)
    const variables = variablesOf(written, above.variables)
    // A style sheet in another file, or a script, could set other values for the variables.
    const style = this.#areVariablesKnown ? withoutVariables(written, variables) : written
    const inherited = variables === above.variables ? above : { ...above, variables }
    let own = this.#inherit(element, style, inherited, neighbours)
    const way = this.#hidingOf(element, style, above, own, neighbours)
    if (way !== null) {
      note(look, way, element, textOf(element).length)
      unseen.set(element, "all")
      return FLAT
    }
    // A transparent element that isn't hidden becomes visible later, with everything below it.
    if (own.opacity <= LEAST_OPACITY) own = { ...own, opacity: 1 }
    const words = this.#showsText(element, own) ? 0 : wordsIn(element)
    if (words > 0) {
      unseen.set(element, "text")
      note(look, own.isVisible ? "ground" : "visibility", element, words)
    }
    let before: Element | null = null
    this.#cascade.enter(element)
    const below: [Element, number][] = []
    let highest = 0
    for (const child of element.children) {
      if (typeof child === "string") {
        if (child.trim() !== "") before = null
        continue
      }
      if (among?.has(child) !== false) {
        const { height, covers } = this.#visit(look, child, own, [before, neighbours[0]])
        if (covers && isContainer(style) && this.#isFinal(child, style)) {
          for (const [covered, level] of below)
            if (level <= height && !unseen.has(covered)) unseen.set(covered, "all")
          if (wordsIn(element) > 0) unseen.set(element, "text")
        }
        below.push([child, height])
        highest = Math.max(highest, height)
      }
      before = child
    }
    this.#cascade.leave(element)
    return laidOf(style, own, highest)
  }

  /** How an element and everything below it is hidden from readers; null when it is not. */
  #hidingOf(
    element: Element,
    style: Style,
    above: Inherited,
    own: Inherited,
    neighbours: Neighbours,
  ): string | null {
    const way = hidingOf(element, style, above.isIn3d) ?? this.#hidingTogether(element, style, above, own)
    if (way === null) return null
    if (way === "heard") return this.#isForListeners(element) ? null : way
    if (way === "opacity" && this.#movesIn(element, style)) return null
    // React streams late parts of a page as hidden `S:<n>` boxes that its script moves into place.
    if (way === "hidden" && /^S:[0-9a-f]+$/.test(element.get("id") ?? "")) return null
    // An element whose height changes can be opened.
    const grows = /height|all/.test(style.get("transition") ?? "") && hasNoHeight(style)
    if (grows && this.#controls.isScripted) return null
    return isCollapsed(element, neighbours, this.#controls, this.#cascade) ? null : way
  }

  /** How an element is hidden by the elements around it. */
  #hidingTogether(element: Element, style: Style, above: Inherited, own: Inherited): string | null {
    if (own.opacity <= LEAST_OPACITY) return "opacity"
    const isCutOff = above.window !== undefined && isBeside(style, above.window)
    return isCutOff && this.#isFinal(element, style) ? "beside" : null
  }

  /** Whether nothing moves the element: no script, no other state and no unknown style sheet. */
  #isFinal(element: Element, style: Style): boolean {
    return (
      !this.#controls.isScripted &&
      !this.#movesIn(element, style) &&
      this.#cascade.styleInOtherStates(element, false).length === 0
    )
  }

  /** Whether the element is a heading or a short label: sites provide these for screen readers. */
  #isForListeners(element: Element): boolean {
    if (element.get("aria-hidden") === "true") return false
    const text = textOf(element, MAX_LABEL_CHARS * 4)
    return text.length <= MAX_LABEL_CHARS && !holdsModelOrder(text)
  }

  /** Whether the element is transparent until a reader scrolls to it. */
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
    // Style sheets in other files select elements by class or id.
    const isOpen = this.#isStyledElsewhere && (element.has("class") || element.has("id"))
    if (style.size === 0 && !isOpen && !HAS_COLOR.has(element.tag) && !element.has("bgcolor")) return above
    const position = style.get("position")
    const own = filterOf(style.get("filter"))
    const filter = own === AS_IT_IS ? above.filter : own && above.filter && both(own, above.filter)
    return {
      fontSize: fontSizeOf(style, above.fontSize) ?? (isOpen ? null : above.fontSize),
      color: textColor(element, style, isOpen ? null : above.color),
      ground: groundOf(element, style, isOpen ? null : above.ground, filter),
      isVisible: this.#isVisible(element, style, neighbours) ?? above.isVisible,
      variables: above.variables,
      isLayered:
        above.isLayered || position === "absolute" || position === "fixed" || style.get("display") === "grid",
      opacity: above.opacity * (this.#movesIn(element, style) ? 1 : opacityOf(style)),
      filter,
      window: windowOf(style) ?? (position === undefined || position === "static" ? above.window : undefined),
      isIn3d: style.get("transform-style") === "preserve-3d" || above.isIn3d,
    }
  }

  #isVisible(element: Element, style: Style, neighbours: Neighbours): boolean | null {
    const value = style.get("visibility")
    if (value === undefined || value === "inherit") return null
    return value === "visible" || isCollapsed(element, neighbours, this.#controls, this.#cascade)
  }

  #showsText(element: Element, own: Inherited): boolean {
    const { fontSize, color, ground, isVisible, isLayered, filter } = own
    if (!isVisible) return false
    if (fontSize !== null && fontSize < LEAST_LETTER) return false
    if (color === null) return true
    if (color[3] < LEAST_OPACITY) return false
    const ink = filtered(color, filter)
    if (ink === null || ground === null || areApart(mix(ink, ground), ground)) return true
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

/** How an element overlaps its siblings. */
interface Laid {
  readonly height: number
  /** Whether the element hides lower elements in the box in which it is positioned. */
  readonly covers: boolean
}

const FLAT: Laid = { height: 0, covers: false }

/** `highest`: the greatest height among its descendants. */
function laidOf(style: Style, { opacity, ground }: Inherited, highest: number): Laid {
  const own = style.get("z-index")
  const height = own === undefined || Number.isNaN(Number(own)) ? highest : Number(own)
  if (!isCover(style)) return { height, covers: false }
  const paint = style.get("background-color") ?? partsOf(style.get("background") ?? "", " ").find(isColor)
  return { height, covers: opacity === 1 && ground !== null && colorOf(paint)?.[3] === 1 }
}

/** Ways in which pages hide all their content until their scripts have run. */
const BEFORE_LOAD = new Set(["opacity", "visibility"])

/** The number of ancestors searched for a picture that might be behind the text. */
const NEAR = 4

/** Elements whose text is never visible as text of the page, or that have no text. */
const NO_TEXT = new Set(
  "head script style template svg math canvas textarea select option iframe object".split(" "),
)
const BLACK: Color = [0, 0, 0, 1]

/** Elements that set their own colour, by an attribute or as links. */
const HAS_COLOR = new Set(["a", "body", "font"])

const wordsIn = ({ children }: Element): number =>
  children.reduce((sum, child) => sum + (typeof child === "string" ? child.trim().length : 0), 0)

function hasOtherSheets(elements: readonly Element[]): boolean {
  return elements.some(
    (element) =>
      (element.tag === "link" && /(?:^|\s)stylesheet(?:\s|$)/i.test(element.get("rel") ?? "")) ||
      (element.tag === "style" &&
        element.children.some((css) => typeof css === "string" && css.includes("@import"))),
  )
}

function fontSizeOf(style: Style, above: number | null): number | null {
  const short = /(?:^|\s)([\d.]+(?:px|r?em|pt|%|ex|ch|vw|vh)?)(?:\/\S+)?\s/.exec(style.get("font") ?? "")?.[1]
  const value = style.get("font-size") ?? short
  // A relative size, unless it is zero, is unknown if the parent's size is unknown.
  return above === null && /(?:^|[^r])em$|%$/.test(value ?? "") && Number.parseFloat(value!) !== 0
    ? null
    : lengthOf(value, above ?? 16, above ?? 16)
}

function textColor(element: Element, style: Style, above: Color | null): Color | null {
  // Letters can be transparent and show the background of their own box.
  if (`${style.get("-webkit-background-clip") ?? ""} ${style.get("background-clip") ?? ""}`.includes("text"))
    return null
  const attribute =
    element.tag === "font" ? element.get("color") : element.tag === "body" ? element.get("text") : null
  const value = style.get("-webkit-text-fill-color") ?? style.get("color") ?? attribute?.trim().toLowerCase()
  if (value === undefined || value === "") return element.tag === "a" ? null : above
  return value === "inherit" || value === "currentcolor" ? above : colorOf(value)
}

/** Filters apply to the content of an element, not to the background behind it. */
function groundOf(element: Element, style: Style, above: Color | null, filter: Filter): Color | null {
  const short = style.get("background")
  const image = `${short ?? ""} ${style.get("background-image") ?? ""}`
  if (/url\(|image\(|image-set\(|var\(/.test(image)) return null
  if (image.includes("gradient(")) return filtered(evenColor(image), filter)
  const plain = style.get("background-color") ?? partsOf(short ?? "", " ").find(isColor)
  const value = plain ?? element.get("bgcolor")?.trim().toLowerCase()
  if (value === undefined || value === "" || value === "inherit" || value === "none") return above
  const color = colorOf(value)
  if (color !== null && color[3] < LEAST_OPACITY) return above
  const own = filtered(color, filter)
  return own === null || own[3] === 1 ? own : above && mix(own, above)
}

const filtered = (color: Color | null, filter: Filter): Color | null => color && filter && filter(color)

/** The colour of a gradient whose colours look the same to a reader; null when they don't. */
function evenColor(image: string): Color | null {
  const [first, ...others] = courseOf(image).map(colorOf)
  if (first === undefined || first === null || first[3] < 1) return null
  return others.every((one) => one !== null && one[3] === 1 && !areApart(one, first)) ? first : null
}

import { formulaOf } from "../markdown/formulas.ts"
import { isLink } from "../html/anchors.ts"
import { closest, type Element, isInside, textOf, walk } from "../html/tree.ts"
import { holdsCode } from "./text-boxes.ts"
import type { TextMeasure } from "./text-measure.ts"

type Measures = ReadonlyMap<Element, TextMeasure>

/** How many characters of each of two texts are compared. */
const MAX_COMPARED = 300
/** Matches the names that icon fonts draw as icons: `chevron_right`. */
const ICON_NAME = /^[a-z0-9]+(?:_[a-z0-9]+)*$/
const ICON_CLASS = /icon|material|symbol|glyph|(?:^|\s)fa[bsr]?(?:\s|$)/i

/**
 * Whether an element hidden from screen readers (`aria-hidden`) adds nothing for people who see it: it is an icon, an
 * ornament, or a copy of the text beside it. Any other text is meant for readers.
 * @param at its index among its parent's children
 */
export function isDoubled(element: Element, { children }: Element, at: number): boolean {
  const text = squeezed(element)
  if (!/[\p{L}\p{N}]/u.test(text)) return formulaOf(element) === null
  if (ICON_NAME.test(text) && ICON_CLASS.test(element.get("class") ?? "")) return true
  return [-1, 1].some((step) => {
    const beside = neighbour(children, at, step)
    return beside !== null && beside.get("aria-hidden") !== "true" && squeezed(beside).includes(text)
  })
}

const squeezed = (element: Element): string => textOf(element, MAX_COMPARED).replace(/\s+/g, "").toLowerCase()

/** The next element in one direction, unless there is text in between. */
function neighbour(children: Element["children"], at: number, step: number): Element | null {
  for (let i = at + step; i >= 0 && i < children.length; i += step) {
    const child = children[i]!
    if (typeof child !== "string") return child
    if (child.trim() !== "") return null
  }
  return null
}

/** Elements that are compared. Paragraphs, rows and code are left out because they often repeat. */
const BOXES = new Set(["div", "section", "article", "aside", "blockquote"])
/** Minimum length of the text in a box next to its copy: two lines. */
const LEAST_BESIDE = 80
/** Minimum length of the text in a box anywhere else. */
const LEAST_FAR = 200
/** Minimum share of prose in a box anywhere else: many products have the same colours, sizes and prices. */
const LEAST_PROSE = 0.6
/** Maximum amount of text compared on a page, so that a page with a thousand identical boxes takes linear time. */
const MOST_COMPARED_CHARS = 400_000

/**
 * Leaves out the second of two boxes with the same text: one for phones and one for wide screens, the slides that a
 * carousel repeats, a quoted post. Both must have the same links, except in a discussion. Next to its copy, a box with
 * a class or an id may be short. Anywhere else it must have several paragraphs, because panels and sections of a manual
 * often share a line. Boxes with code are always kept.
 */
export function skipCopies(
  root: Element,
  skipped: Set<Element>,
  measures: Measures,
  isDiscussion: boolean,
): void {
  new Copies(skipped, measures, isDiscussion).skipBelow(root)
}

class Copies {
  readonly #skipped: Set<Element>
  readonly #measures: Measures
  readonly #isDiscussion: boolean
  readonly #seen = new Map<string, Element>()
  #left = MOST_COMPARED_CHARS

  constructor(skipped: Set<Element>, measures: Measures, isDiscussion: boolean) {
    this.#skipped = skipped
    this.#measures = measures
    this.#isDiscussion = isDiscussion
  }

  skipBelow(parent: Element): void {
    let before: Element | null = null
    for (const child of parent.children) {
      if (typeof child === "string") {
        if (child.trim() !== "") before = null
        continue
      }
      const own = this.#measures.get(child)
      if (own === undefined || own.chars === 0 || this.#skipped.has(child)) continue
      if (BOXES.has(child.tag) && own.chars >= LEAST_BESIDE && this.#left > 0) {
        const key = `${own.chars} ${own.linkChars} ${own.prose}`
        const first = this.#seen.get(key)
        if (
          (before !== null && this.#isCopyBeside(child, before, own)) ||
          (first !== undefined && this.#isCopyFar(child, first, own))
        ) {
          this.#skipped.add(child)
          continue
        }
        if (first === undefined) this.#seen.set(key, child)
      }
      before = child
      this.skipBelow(child)
    }
  }

  #isCopyBeside(box: Element, before: Element, own: TextMeasure): boolean {
    const isNamed = box.has("class") || box.has("id")
    return isNamed && isAlike(own, this.#measures.get(before)!) && this.#isCopy(box, before, own)
  }

  #isCopyFar(box: Element, first: Element, own: TextMeasure): boolean {
    return (
      own.chars >= LEAST_FAR &&
      (this.#isDiscussion || isNear(box, first)) &&
      mayRepeatFar(box, first, this.#measures) &&
      this.#isCopy(box, first, own)
    )
  }

  #isCopy(box: Element, first: Element, { chars }: TextMeasure): boolean {
    if (this.#left <= 0) return false
    this.#left -= 2 * chars
    const haveSameLinks = () => this.#isDiscussion || targetsOf(first) === targetsOf(box)
    return this.#shown(first) === this.#shown(box) && haveSameLinks() && !holdsCode(box)
  }

  #shown(box: Element): string {
    return textOf(box, MOST_COMPARED_CHARS, (below) => this.#skipped.has(below))
  }
}

const isAlike = (one: TextMeasure, other: TextMeasure): boolean =>
  one.chars === other.chars && one.linkChars === other.linkChars && one.prose === other.prose

/** The targets of the links below an element. */
function targetsOf(box: Element): string {
  const targets: string[] = []
  walk(box, (element) => {
    if (isLink(element)) targets.push(element.get("href")!)
  })
  return targets.join(" ")
}

/** Whether a box far from its copy may be left out: it is prose in several blocks, and not in a tab's panel. */
function mayRepeatFar(box: Element, first: Element, measures: Measures): boolean {
  const own = measures.get(box)!
  if (own.prose <= own.chars * LEAST_PROSE) return false
  if (closest(box, (above) => above === first || above.get("role") === "tabpanel") !== null) return false
  let at = box
  for (;;) {
    const blocks = at.children.filter(
      (child): child is Element => typeof child !== "string" && (measures.get(child)?.chars ?? 0) > 0,
    )
    if (blocks.length !== 1) return blocks.length > 1
    at = blocks[0]!
  }
}

/**
 * Maximum number of levels from a box up to the element that contains both it and its copy: a carousel, or the
 * container of the parts for phones and for wide screens.
 */
const MOST_LEVELS_UP = 3

/** Whether a box and its copy are close together: text repeated in two sections of a manual belongs to both. */
function isNear(box: Element, first: Element): boolean {
  let around = box
  for (let level = 0; level < MOST_LEVELS_UP && around.parent !== null; level++) around = around.parent
  return isInside(first, around)
}

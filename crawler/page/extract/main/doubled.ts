import { formulaOf } from "../markdown/formulas.ts"
import { isLink } from "../html/anchors.ts"
import { closest, type Element, textOf, walk } from "../html/tree.ts"
import { holdsCode } from "./text-boxes.ts"
import type { TextMeasure } from "./text-measure.ts"

/** Characters compared of two texts. */
const MAX_COMPARED = 300
/** The names by which fonts draw icons: `chevron_right`. */
const ICON_NAME = /^[a-z0-9]+(?:_[a-z0-9]+)*$/
const ICON_CLASS = /icon|material|symbol|glyph|(?:^|\s)fa[bsr]?(?:\s|$)/i

/**
 * Whether an element hidden from screen readers (`aria-hidden`) adds nothing for people who see it: an icon, an
 * ornament, or a copy of the text beside it. Other text there is for people.
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

/** The next element in a direction, unless there is text in between. */
function neighbour(children: Element["children"], at: number, step: number): Element | null {
  for (let i = at + step; i >= 0 && i < children.length; i += step) {
    const child = children[i]!
    if (typeof child !== "string") return child
    if (child.trim() !== "") return null
  }
  return null
}

/** Boxes that are compared. Paragraphs, rows and code may well say the same twice. */
const BOXES = new Set(["div", "section", "article", "aside", "blockquote"])
/** Least text of a box next to its copy: two lines, */
const LEAST_BESIDE = 80
/** and of one anywhere else. */
const LEAST_FAR = 200
/** Least share of prose there: colours, sizes and prices are said of each product. */
const LEAST_PROSE = 0.6
/** Most text compared on a page, so that one of a thousand equal boxes stays linear. */
const MOST_COMPARED_CHARS = 400_000

/**
 * Leaves out the second of two boxes with the same text: one made for phones and one for wide screens, the slides that a
 * carousel repeats, a quoted post. In a conversation its links may differ, as to the post that is quoted. Next to its copy a box with a name may be short; anywhere else it must be several
 * paragraphs without code, since what stands in two panels or under two headings may well be the same line.
 */
export function skipCopies(
  root: Element,
  skipped: Set<Element>,
  measures: ReadonlyMap<Element, TextMeasure>,
  isDiscussion: boolean,
): void {
  const seen = new Map<string, Element>()
  let left = MOST_COMPARED_CHARS
  const shown = (box: Element): string => textOf(box, MOST_COMPARED_CHARS, (below) => skipped.has(below))
  const isCopy = (box: Element, first: Element | null, { chars }: TextMeasure): boolean => {
    if (first === null || left <= 0) return false
    left -= 2 * chars
    return (
      shown(first) === shown(box) && (isDiscussion || targetsOf(first) === targetsOf(box)) && !holdsCode(box)
    )
  }
  const visit = (parent: Element): void => {
    let before: Element | null = null
    let keyBefore = ""
    for (const child of parent.children) {
      if (typeof child === "string") {
        if (child.trim() !== "") before = null
        continue
      }
      const own = measures.get(child)
      if (skipped.has(child) || own === undefined || own.chars === 0) continue
      const key = `${own.chars} ${own.linkChars} ${own.prose}`
      if (BOXES.has(child.tag) && own.chars >= LEAST_BESIDE && left > 0) {
        const isNamed = child.has("class") || child.has("id")
        const first = seen.get(key)
        if (
          (isNamed && key === keyBefore && isCopy(child, before, own)) ||
          (own.chars >= LEAST_FAR &&
            first &&
            (isDiscussion || isNear(child, first)) &&
            isFarCopy(child, first, measures) &&
            isCopy(child, first, own))
        ) {
          skipped.add(child)
          continue
        }
        if (first === undefined) seen.set(key, child)
      }
      before = child
      keyBefore = key
      visit(child)
    }
  }
  visit(root)
}

/** Where the links below an element lead. */
function targetsOf(box: Element): string {
  const targets: string[] = []
  walk(box, (element) => {
    if (isLink(element)) targets.push(element.get("href")!)
  })
  return targets.join(" ")
}

/** Whether a box may be left out far from its copy: it has prose in several blocks, and no place among tabs. */
function isFarCopy(box: Element, first: Element, measures: ReadonlyMap<Element, TextMeasure>): boolean {
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

/** Above a box and its copy far off: a carousel, or the parts of a page for phones and for wide screens. */
const MOST_LEVELS_UP = 3

/** What stands under two headings of a manual belongs to both, however equal it is. */
function isNear(box: Element, first: Element): boolean {
  let around = box
  for (let level = 0; level < MOST_LEVELS_UP && around.parent !== null; level++) around = around.parent
  return closest(first, (above) => above === around) !== null
}

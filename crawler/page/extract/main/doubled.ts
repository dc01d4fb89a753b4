import { formulaOf } from "../markdown/formulas.ts"
import { type Element, textOf } from "../html/tree.ts"

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

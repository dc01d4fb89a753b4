import type { Cascade } from "./cascade.ts"
import type { Element } from "../html/tree.ts"

/** The parts that a page's controls open: tabs, accordions, "read more". */
export class Controls {
  /** Whether scripts or unknown style sheets could change which parts are shown. */
  readonly isScripted: boolean
  readonly #ids = new Set<string>()
  /** Parts that open without a script, by `popovertarget` or `commandfor`. */
  readonly #plain = new Set<string>()

  /** `mayChange`: the document has unknown style sheets, or was rendered and has lost its scripts. */
  constructor(elements: readonly Element[], mayChange: boolean) {
    let isScripted = mayChange
    for (const element of elements) {
      if (element.tag === "script" && !/json|template|x-tmpl|^math\//i.test(element.get("type") ?? ""))
        isScripted = true
      const href = element.tag === "a" ? element.get("href") : null
      const targets = [element.get("data-target"), element.get("data-bs-target"), href]
      for (const target of targets)
        if (target?.startsWith("#") === true && target.length > 1) this.#ids.add(target.slice(1))
      for (const name of ["popovertarget", "commandfor"]) {
        const target = element.get(name)
        if (target !== null) this.#plain.add(target)
      }
      const controlled = element.get("aria-controls")
      for (const id of controlled?.split(/\s+/, MAX_CONTROLLED) ?? []) this.#ids.add(id)
    }
    this.isScripted = isScripted
  }

  opens(id: string | null): boolean {
    return this.isScripted && id !== null && this.#ids.has(id)
  }

  /** Whether a control opens the element without a script. */
  opensPlainly(id: string | null): boolean {
    return id !== null && this.#plain.has(id)
  }
}

const MAX_CONTROLLED = 50
/** The names of boxes that readers open. */
const OPENED =
  /accordion|collaps|expand|toggle|carousel|tab-?(?:panel|content|pane)|truncat|(?:read|show)-?more|(?:^|[\s_-])(?:tabs?|panes?|panels?|faqs?|answer|spoiler|slides?|slider|swiper|steps?|more)(?:[\s_-]|$)/i
const CONTROL = new Set(["button", "summary", "label"])

/** The elements right before an element and before its parent, unless there is text in between. */
export type Neighbours = readonly [Element | null, Element | null]

/**
 * Whether a reader can open an element that is not displayed: a control refers to it, or a style sheet shows it in
 * another state.
 */
export function isCollapsed(
  element: Element,
  neighbours: Neighbours,
  controls: Controls,
  cascade: Cascade,
): boolean {
  if (controls.opensPlainly(element.get("id"))) return true
  if (isShownInOtherStates(element, controls, cascade)) return true
  if (!controls.isScripted) return false
  // A script opens these, with or without a control.
  if (element.tag === "dialog" || element.has("popover")) return true
  if (element.get("role") === "tabpanel" || controls.opens(element.get("id"))) return true
  if ([element, element.parent].some((one) => OPENED.test(one?.get("class") ?? ""))) return true
  // A script needs a name to find the element that it opens.
  return (element.has("id") || element.has("class")) && isBehindControl(neighbours)
}

const isShownInOtherStates = (element: Element, { isScripted }: Controls, cascade: Cascade): boolean =>
  cascade.styleInOtherStates(element, isScripted).some((declarations) => {
    const value = (name: string) => declarations.get(name)?.value
    return (
      (value("display") ?? "none") !== "none" ||
      value("visibility") === "visible" ||
      Number.parseFloat(value("opacity") ?? "0") > 0.5 ||
      /^(?:auto|none|\d{2,}\w+|fit-content|max-content)$/.test(value("max-height") ?? value("height") ?? "0")
    )
  })

const isBehindControl = (neighbours: Neighbours): boolean =>
  neighbours.some((before) => before !== null && holdsControl(before, CONTROL_DEPTH))

/** How many levels deep a control is searched for inside a preceding element. */
const CONTROL_DEPTH = 4
const MAX_CHILDREN = 10

const holdsControl = (element: Element, depth: number): boolean =>
  CONTROL.has(element.tag) ||
  element.get("role") === "button" ||
  element.has("aria-expanded") ||
  (depth > 0 &&
    element.children
      .slice(0, MAX_CHILDREN)
      .some((child) => typeof child !== "string" && holdsControl(child, depth - 1)))

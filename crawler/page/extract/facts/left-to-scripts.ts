import { isProgramType, makesPage, MAX_SCRIPT_CHARS, mayMakePage } from "../html/page-scripts.ts"
import { type Element, textOf, walk } from "../html/tree.ts"

/** What a document leaves to its scripts. Left out of a page that has none that could make a part of it. */
export interface LeftToScripts {
  /** Controls whose panel is empty until they are opened: tabs, accordions, "show more". */
  readonly panels: number
  /** Places for links that hold none yet: a closed branch of a tree, a navigation that is still to be made. */
  readonly branches: number
}

/** Elements looked at closely; a page with more tells the same by its first ones. */
const MAX_CANDIDATES = 100
/** Elements below one of them that are looked at; one with more is taken to hold what was looked for. */
const MAX_SEARCHED = 2000
/** Of a list that names what it will hold. */
const PLACE_FOR_LINKS =
  /(?:^|[\s_-])(?:page-?tree|tree|toc|side-?nav|side-?bar|nav|navigation|children)(?:[\s_-]|$)/i
/** Where controls open menus, searches and dialogs, and no part of the text. */
const AROUND = new Set(["nav", "header", "footer", "aside", "form", "dialog"])
const HEADING = /^h[1-6]$/
/** What shows without a word. */
const PICTURED = new Set([
  "img",
  "picture",
  "video",
  "audio",
  "iframe",
  "object",
  "embed",
  "canvas",
  "form",
  "input",
])

/** Gathers, in the walk that reads a document's facts, what may be missing from it without its scripts. */
export class ScriptTraces {
  #hasScript = false
  readonly #controls: Element[] = []
  readonly #places: Element[] = []

  see(element: Element): void {
    const { tag } = element
    if (tag === "script") this.#hasScript ||= isPageScript(element)
    else if (tag === "details" || element.has("aria-expanded") || element.get("role") === "tab") {
      if (this.#controls.length < MAX_CANDIDATES) this.#controls.push(element)
    } else if (isPlaceForLinks(element) && this.#places.length < MAX_CANDIDATES) this.#places.push(element)
  }

  /** To be called after the whole document was seen. */
  end(document: Element): LeftToScripts | null {
    if (!this.#hasScript) return null
    const byId = this.#targets(document)
    let panels = 0
    let branches = this.#places.filter((place) => !holdsLink(place)).length
    for (const control of this.#controls) {
      if (isClosedBranch(control)) branches += 1
      else if (isBody(control) && isEmptyPanel(control, byId)) panels += 1
    }
    return { panels, branches }
  }

  /** The panels that controls name. */
  #targets(document: Element): ReadonlyMap<string, Element> {
    const named = new Set(this.#controls.flatMap((control) => control.get("aria-controls") ?? []))
    const found = new Map<string, Element>()
    if (named.size === 0) return found
    walk(document, (element) => {
      const id = element.get("id")
      if (id !== null && named.has(id) && !found.has(id)) found.set(id, element)
    })
    return found
  }
}

function isPageScript(script: Element): boolean {
  if (!isProgramType(script.get("type") ?? "")) return false
  const src = script.get("src")
  if (src !== null) return mayMakePage(src)
  const [program = ""] = script.children
  return typeof program === "string" && makesPage(program.slice(0, MAX_SCRIPT_CHARS))
}

function isPlaceForLinks(element: Element): boolean {
  const { tag } = element
  if (tag === "nav") return true
  if (tag !== "div" && tag !== "ul" && tag !== "aside" && tag !== "section" && !tag.includes("-"))
    return false
  const role = element.get("role")
  if (role === "tree" || role === "navigation") return true
  return PLACE_FOR_LINKS.test(element.get("class") ?? "") || PLACE_FOR_LINKS.test(element.get("id") ?? "")
}

/** A list's item that says it holds more and does not show it. */
function isClosedBranch(control: Element): boolean {
  if (control.get("aria-expanded") !== "false" || isMenu(control)) return false
  const item = itemOf(control)
  if (item === null) return false
  return !holds(item, (one) => one !== item && isList(one) && holdsLink(one))
}

const isList = (element: Element): boolean =>
  element.tag === "ul" || element.tag === "ol" || element.get("role") === "group"

/** Elements from a control up to its item. */
const MAX_STEPS_TO_ITEM = 4

function itemOf(control: Element): Element | null {
  let at: Element | null = control
  for (let step = 0; at !== null && step < MAX_STEPS_TO_ITEM; step += 1, at = at.parent)
    if (at.tag === "li" || at.get("role") === "treeitem") return at
  return null
}

const isMenu = (control: Element): boolean => (control.get("aria-haspopup") ?? "false") !== "false"

/** Whether a control is a part of the text. */
function isBody(control: Element): boolean {
  if (isMenu(control) || control.tag === "input" || control.tag === "select") return false
  for (let at: Element | null = control; at !== null; at = at.parent) if (AROUND.has(at.tag)) return false
  return true
}

function isEmptyPanel(control: Element, byId: ReadonlyMap<string, Element>): boolean {
  if (control.tag === "details") return isBare(control, (child) => child.tag !== "summary")
  const isTab = control.get("role") === "tab"
  if (!isTab && control.get("aria-expanded") !== "false") return false
  const id = control.get("aria-controls")
  if (id !== null) {
    const panel = byId.get(id)
    return panel === undefined || isBare(panel)
  }
  if (isTab) return false
  const head = control.parent !== null && HEADING.test(control.parent.tag) ? control.parent : control
  const next = nextElement(head)
  return next !== null && isBare(next)
}

function nextElement(element: Element): Element | null {
  const siblings = element.parent?.children ?? []
  for (let at = siblings.indexOf(element) + 1; at < siblings.length; at += 1) {
    const next = siblings[at]!
    if (typeof next !== "string") return next
    if (next.trim() !== "") return null
  }
  return null
}

/** What a panel says until its text is there, in any language: a few words that trail off. */
const WAITING = /^[^.…]{0,40}(?:…|\.\.\.)$/

/** Whether an element shows nothing: no letter but those of a notice to wait, no picture. */
function isBare(element: Element, counts: (child: Element) => boolean = () => true): boolean {
  const text = textOf(element, 100, (child) => !counts(child))
  if (/[\p{L}\p{N}]/u.test(text) && !WAITING.test(text)) return false
  return !element.children.some(
    (child) => typeof child !== "string" && counts(child) && holds(child, (one) => PICTURED.has(one.tag)),
  )
}

const holdsLink = (element: Element): boolean => holds(element, (one) => one.tag === "a" && one.has("href"))

function holds(element: Element, matches: (one: Element) => boolean): boolean {
  let left = MAX_SEARCHED
  const search = (at: Element): boolean => {
    left -= 1
    if (left < 0 || matches(at)) return true
    return at.children.some((child) => typeof child !== "string" && search(child))
  }
  return search(element)
}

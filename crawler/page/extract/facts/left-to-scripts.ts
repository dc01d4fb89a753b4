import { isProgramType, makesPage, MAX_SCRIPT_CHARS, mayMakePage } from "../html/page-scripts.ts"
import { closest, type Element, elementsOf, textOf } from "../html/tree.ts"

/** Parts of a document that its scripts would fill. Pages without a script that could do so have no such object. */
export interface LeftToScripts {
  /** Controls whose panel is empty until they are opened: tabs, accordions, "show more". */
  readonly panels: number
  /** Elements meant for links that do not contain any yet: a closed branch of a tree, an empty navigation. */
  readonly branches: number
}

/** Maximum number of elements examined closely; more wouldn't change the result. */
const MAX_CANDIDATES = 100
/** Maximum number of elements searched below one of these elements; if there are more, the search counts as successful. */
const MAX_SEARCHED = 2000
/** Classes and ids of navigation trees without a role. */
const TREE = /(?:^|[\s_-])(?:page-?tree|tree|tree-?view|side-?nav)(?:[\s_-]|$)/i
/** Elements whose controls open menus, searches and dialogs rather than parts of the text. */
const AROUND = new Set(["nav", "header", "footer", "aside", "form", "dialog"])
const HEADING = /^h[1-6]$/
/** Elements that display something other than text. */
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

/** Collects parts that may be missing without scripts, during the walk that collects all facts of a document. */
export class ScriptTraces {
  #hasFile = false
  /** Inline scripts, searched only if no script file could build the page. */
  readonly #programs: string[] = []
  readonly #controls: Element[] = []
  readonly #places: Element[] = []

  see(element: Element): void {
    const { tag, attributes } = element
    if (tag === "script") {
      if (!this.#hasFile && isProgramType(element.get("type") ?? "")) this.#seeScript(element)
      return
    }
    let role: string | undefined
    let isControl = tag === "details"
    for (let at = 0; at < attributes.length; at += 2) {
      if (attributes[at] === "role") role = attributes[at + 1]
      else if (attributes[at] === "aria-expanded") isControl = true
    }
    if (isControl || role === "tab") {
      if (this.#controls.length < MAX_CANDIDATES) this.#controls.push(element)
    } else if (this.#places.length < MAX_CANDIDATES && isPlaceForLinks(element, role))
      this.#places.push(element)
  }

  /** Must be called when the whole document has been visited. */
  end(document: Element): LeftToScripts | null {
    if (!this.#hasFile && !this.#programs.some(makesPage)) return null
    const byId = this.#targets(document)
    let panels = 0
    let branches = this.#places.filter((place) => !holdsLink(place)).length
    for (const control of this.#controls) {
      if (isClosedBranch(control, byId)) branches += 1
      else if (isBody(control) && isEmptyPanel(control, byId)) panels += 1
    }
    return { panels, branches }
  }

  #seeScript(script: Element): void {
    const src = script.get("src")
    if (src !== null) {
      this.#hasFile = mayMakePage(src)
      return
    }
    const [program] = script.children
    if (typeof program === "string" && this.#programs.length < MAX_CANDIDATES)
      this.#programs.push(program.slice(0, MAX_SCRIPT_CHARS))
  }

  /** The panels that controls refer to, by id. */
  #targets(document: Element): ReadonlyMap<string, Element> {
    const named = new Set(this.#controls.flatMap((control) => control.get("aria-controls") ?? []))
    const found = new Map<string, Element>()
    if (named.size === 0) return found
    for (const element of elementsOf(document)) {
      const id = element.get("id")
      if (id !== null && named.has(id) && !found.has(id)) found.set(id, element)
    }
    return found
  }
}

/** Maximum number of children of an element that still counts as empty. */
const MAX_PLACEHOLDERS = 3

function isPlaceForLinks(element: Element, role: string | undefined): boolean {
  const { tag, children } = element
  if (children.length > MAX_PLACEHOLDERS) return false
  if (role === "tree") return true
  if (tag === "nav" || role === "navigation") return isBare(element)
  if (tag !== "div" && tag !== "ul" && tag !== "aside" && !tag.includes("-")) return false
  const isTree = TREE.test(element.get("class") ?? "") || TREE.test(element.get("id") ?? "")
  return isTree && isBare(element)
}

/** Maximum length of a branch's label. A longer text beside a control is its panel. */
const MAX_LABEL_CHARS = 100

/** Whether a control belongs to a closed tree item that has no links below it yet. */
function isClosedBranch(control: Element, byId: ReadonlyMap<string, Element>): boolean {
  if (control.get("aria-expanded") !== "false" || isMenu(control)) return false
  const item = itemOf(control)
  if (item === null || !(holdsLink(item) || isAround(item, AROUND_TREES))) return false
  const panel = byId.get(control.get("aria-controls") ?? "") ?? nextElement(control)
  if (panel !== null && textOf(panel, MAX_LABEL_CHARS * 2).length > MAX_LABEL_CHARS) return false
  return !holds(item, (one) => one !== item && isList(one) && holdsLink(one))
}

const AROUND_TREES = new Set(["nav", "aside"])

const isAround = (element: Element, tags: ReadonlySet<string>): boolean =>
  closest(element, (at) => tags.has(at.tag) || at.get("role") === "tree") !== null

const isList = (element: Element): boolean =>
  element.tag === "ul" || element.tag === "ol" || element.get("role") === "group"

/** Maximum number of levels from a control up to its item. */
const MAX_STEPS_TO_ITEM = 4

function itemOf(control: Element): Element | null {
  let at: Element | null = control
  for (let step = 0; at !== null && step < MAX_STEPS_TO_ITEM; step += 1, at = at.parent)
    if (at.tag === "li" || at.get("role") === "treeitem") return at
  return null
}

const isMenu = (control: Element): boolean => (control.get("aria-haspopup") ?? "false") !== "false"

/** Whether a control belongs to the text of the page. */
function isBody(control: Element): boolean {
  if (isMenu(control) || control.tag === "input" || control.tag === "select") return false
  return !isAround(control, AROUND)
}

function isEmptyPanel(control: Element, byId: ReadonlyMap<string, Element>): boolean {
  if (control.tag === "details") return isBare(control, (child) => child.tag !== "summary")
  const isTab = control.get("role") === "tab"
  if (!isTab && control.get("aria-expanded") !== "false") return false
  const id = control.get("aria-controls")
  if (id !== null) {
    const panel = byId.get(id)
    return panel === undefined || isBare(panel) || (isTab && sharesPanel(control, id))
  }
  if (isTab) return false
  const head = control.parent !== null && HEADING.test(control.parent.tag) ? control.parent : control
  const next = nextElement(head)
  return next !== null && isBare(next)
}

/** Whether another tab displays its text in the same panel. */
function sharesPanel(tab: Element, id: string): boolean {
  const tabs = (tab.parent?.children ?? []).filter((one) => typeof one !== "string").slice(0, MAX_CANDIDATES)
  return tabs.some((other) => other !== tab && other.get("aria-controls") === id)
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

/** Matches a placeholder in any language: a few words that trail off. */
const WAITING = /^[^.…]{0,40}(?:…|\.\.\.)$/

/** Whether an element displays nothing: no picture and no text except a placeholder. */
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

import { isHeading } from "../html/anchors.ts"
import { type Element, firstElement, isBlockTag, isInside, textOf } from "../html/tree.ts"

/** Text longer than this is not a heading. */
const MAX_HEAD_CHARS = 200
/** The minimum length of a panel's text, and how much of it is read. */
const MIN_PANEL_CHARS = 20
const MAX_PANEL_CHARS = 1000
/** The number of elements above a control that are checked for its heading or its form. */
const MAX_ABOVE = 3
/** The minimum number of similar controls, each before a block, that are taken as a row of panels when there is no other sign of one. */
const MIN_ALIKE = 2
/** The maximum number of controls read on a page, and of siblings searched for the next one. */
const MAX_CONTROLS = 1000
const MAX_SIBLINGS = 2000
const NO_PANEL = new Set(
  "pre nav form menu header footer table fieldset figure button label summary".split(" "),
)
/** Labels that describe a button's action rather than name a panel. */
const MORE =
  /^(?:(?:show|read|see|view|load|hide)\s+(?:more|less|all|details|code|answer)|more|less|close|open|toggle|menu|details|expand|collapse|copy|share|submit)(?:\s|$)/i

/**
 * Finds the controls whose text is the heading of a part of the page: accordions, tabs, sortable columns. The caller
 * passes each element during its own walk; only controls and their panels are read again.
 */
export class PanelHeads {
  readonly #controls: Element[] = []
  readonly #byId = new Map<string, Element>()

  /** Must be called with every element of the page, in order. */
  see(element: Element): void {
    if (element.attributes.length === 0 && element.tag !== "button") return
    const id = element.get("id")
    if (id !== null && !this.#byId.has(id)) this.#byId.set(id, element)
    if (isControl(element) && this.#controls.length < MAX_CONTROLS) this.#controls.push(element)
  }

  /** Restores controls that are part of a heading or term, and adds headings to panels. */
  settle(skipped: Set<Element>): void {
    const alike = new Map<string, [Element, Element][]>()
    const openers = Map.groupBy(this.#controls, (control) => this.#named(control))
    for (const control of this.#controls) {
      if (isHeading(control)) continue
      if (isLineOfItsHeading(control)) {
        if (control.tag === "button" && isWholeOf(control)) this.#show(control, skipped)
        continue
      }
      if (firstElement(control, isHeading) !== null) {
        if (control.tag === "button") this.#show(control, skipped)
        continue
      }
      if (isAction(control)) continue
      const named = this.#named(control)
      const panel = named ?? besideControl(control)
      if (panel === null || !isPanel(panel, control)) continue
      // If a block has several controls, such as a slider's arrows, they don't name it.
      if (named !== null && openers.get(named)!.length > 1) continue
      if (named !== null || isOpener(control, panel)) head(panel, control, skipped)
      else if (control.tag === "button" || control.get("role") === "button") {
        const kind = `${control.tag} ${control.get("class") ?? ""}`
        const group = alike.get(kind)
        if (group) group.push([control, panel])
        else alike.set(kind, [[control, panel]])
      }
    }
    this.#headRows(skipped)
    for (const group of alike.values()) {
      const texts = new Set(group.map(([control]) => textOf(control, MAX_HEAD_CHARS)))
      if (group.length >= MIN_ALIKE && texts.size === group.length)
        for (const [control, panel] of group) head(panel, control, skipped)
    }
  }

  /** Adds headings to the panels of tabs that don't reference them; the panels follow in the order of the tabs. */
  #headRows(skipped: Set<Element>): void {
    for (const [row, tabs] of Map.groupBy(this.#controls, (control) => this.#rowOf(control))) {
      if (row === null || tabs.length < MIN_ALIKE) continue
      const texts = tabs.map((tab) => textOf(tab, MAX_HEAD_CHARS + 1))
      if (texts.some((text) => text === "" || text.length > MAX_HEAD_CHARS)) continue
      const panels = panelsBeside(row, tabs.length)
      for (const [at, panel] of panels.entries()) head(panel, tabs[at]!, skipped)
    }
  }

  /** The row around a control with `role="tab"` that references no panel, or around the label of a radio button. */
  #rowOf(control: Element): Element | null {
    if (control.get("role") === "tab") return this.#named(control) === null ? above(control, isTabList) : null
    const input = control.tag === "label" ? this.#byId.get(control.get("for") ?? "") : undefined
    return input?.get("type") === "radio" ? control.parent : null
  }

  #show(control: Element, skipped: Set<Element>): void {
    control.asBlock = true
    skipped.delete(control)
  }

  /** The element that a control claims to open. */
  #named(control: Element): Element | null {
    const href = control.has("aria-controls") || control.has("role") ? control.get("href") : null
    for (const target of [
      control.get("aria-controls")?.split(/\s+/, 1)[0],
      ...[control.get("data-bs-target"), control.get("data-target"), href].map((id) =>
        id?.startsWith("#") === true ? id.slice(1) : undefined,
      ),
    ]) {
      const found = target === undefined ? undefined : this.#byId.get(target)
      if (found !== undefined) return found
    }
    return null
  }
}

function isControl(element: Element): boolean {
  if (element.tag === "button" || (element.tag === "label" && element.has("for"))) return true
  const role = element.get("role")
  return role === "button" || role === "tab" || element.has("aria-controls")
}

const isTabList = (element: Element): boolean => element.get("role") === "tablist"

const IN_LINE = /^(?:h[1-6]|dt|th|summary)$/

/** The nearest matching element among a control's closest ancestors. */
function above(control: Element, matches: (element: Element) => boolean): Element | null {
  let at = control.parent
  for (let steps = 0; at !== null && steps < MAX_ABOVE; at = at.parent, steps++) if (matches(at)) return at
  return null
}

/** The heading, term or column header around a control. */
const lineOf = (control: Element): Element | null =>
  above(control, (one) => IN_LINE.test(one.tag) || one.get("role") === "heading")

const isLineOfItsHeading = (control: Element): boolean => lineOf(control) !== null

/** Whether a control contains all the text of its heading; if a heading has several controls, only the one that opens something does. */
function isWholeOf(control: Element): boolean {
  const line = lineOf(control)!
  if (textOf(line, MAX_HEAD_CHARS, ({ tag }) => tag === "button") !== "") return false
  return control.has("aria-expanded") || firstElement(line, ({ tag }) => tag === "button") === control
}

/** Whether a control does something other than open a block. */
function isAction(control: Element): boolean {
  // A control that opens several blocks is not the heading of any of them.
  if (/\S\s+\S/.test(control.get("aria-controls") ?? "")) return true
  if (control.has("aria-haspopup") || /^(?:submit|reset)$/i.test(control.get("type") ?? "")) return true
  const text = textOf(control, MAX_HEAD_CHARS + 1)
  if (!/\p{L}/u.test(text) || text.length > MAX_HEAD_CHARS || MORE.test(text)) return true
  return above(control, ({ tag }) => tag === "form" || tag === "p" || tag === "nav") !== null
}

/** The block right after a control, or after a box that holds only the control. */
function besideControl(control: Element): Element | null {
  const next = nextOf(control)
  if (next !== null || control.parent === null) return next
  const isAlone = control.parent.children.every((child) =>
    typeof child === "string" ? child.trim() === "" : child === control || child.tag === "input",
  )
  return isAlone ? nextOf(control.parent) : null
}

function nextOf(element: Element): Element | null {
  const siblings = element.parent?.children ?? []
  if (siblings.length > MAX_SIBLINGS) return null
  for (let i = siblings.indexOf(element) + 1; i > 0 && i < siblings.length; i++) {
    const one = siblings[i]!
    if (typeof one !== "string") return isBlockTag(one.tag) ? one : null
    if (one.trim() !== "") return null
  }
  return null
}

/** The panels for a row of tabs: as many blocks as there are tabs, right after the row or in the box after it. */
function panelsBeside(row: Element, count: number): readonly Element[] {
  const box = nextOf(row)
  if (box === null || box.children.length > MAX_SIBLINGS) return []
  const siblings = elementsOf(row.parent!)
  const behind = siblings.slice(siblings.indexOf(row) + 1)
  const isPanelOf = (one: Element) => one.get("role") === "tabpanel"
  const panels = [elementsOf(box), elementsOf(box).filter(isPanelOf), behind.filter(isPanelOf)].find(
    ({ length }) => length === count,
  )
  return panels?.every(
    (one) => isBlockTag(one.tag) && one.head === null && textOf(one, MAX_HEAD_CHARS) !== "",
  )
    ? panels
    : []
}

const elementsOf = ({ children }: Element): Element[] => children.filter((child) => typeof child !== "string")

/** Whether a block has text of its own and isn't a menu, a form or code with a button. */
function isPanel(panel: Element, control: Element): boolean {
  if (NO_PANEL.has(panel.tag) || panel.head !== null || isHeading(panel)) return false
  if (/^(?:menu|menubar|listbox|navigation|dialog|tablist)$/.test(panel.get("role") ?? "")) return false
  if (control.parent !== null && isInside(control.parent, panel)) return false
  const chars = textOf(panel, MAX_PANEL_CHARS).length
  const plain = textOf(panel, MAX_PANEL_CHARS, ({ tag }) => tag === "a" || tag === "button").length
  // A tab's panel can be as short as a single command.
  return plain >= (control.get("role") === "tab" ? 1 : MIN_PANEL_CHARS) && plain * 2 >= chars
}

/** Whether a control's or panel's attributes say that the control opens the panel. */
function isOpener(control: Element, panel: Element): boolean {
  if (control.has("aria-expanded") || panel.has("hidden") || panel.has("aria-hidden")) return true
  if (panel.get("role") === "region" || panel.get("role") === "tabpanel") return true
  const siblings = control.parent!.children
  if (control.tag !== "label" || siblings.length > MAX_SIBLINGS) return false
  const box = siblings.slice(0, siblings.indexOf(control)).findLast((one) => typeof one !== "string")
  return (
    typeof box === "object" &&
    /^(?:checkbox|radio)$/.test(box.get("type") ?? "") &&
    box.get("id") === control.get("for")
  )
}

function head(panel: Element, control: Element, skipped: Set<Element>): void {
  if (panel.head !== null) return
  panel.head = control
  skipped.add(control)
}

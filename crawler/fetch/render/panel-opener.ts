// Runs inside a page, as in-page.ts does: it may use only its parameters, browser APIs and the class itself.

/** The part of the DOM used here. */
interface OpenNode {
  readonly localName: string
  readonly id: string
  readonly textContent: string
  readonly nextElementSibling: OpenNode | null
  readonly parentElement: OpenNode | null
  readonly href?: string
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  matches(selector: string): boolean
  closest(selector: string): OpenNode | null
  querySelector(selector: string): OpenNode | null
  querySelectorAll(selector: string): Iterable<OpenNode>
  getClientRects(): { readonly length: number }
  cloneNode(deep: boolean): OpenNode
  after(...nodes: OpenNode[]): void
  append(...nodes: (OpenNode | string)[]): void
  removeAttribute(name: string): void
  click(): void
}

interface OpenDocument {
  readonly body: OpenNode | null
  readonly location: { readonly href: string }
  querySelectorAll(selector: string): Iterable<OpenNode>
  getElementById(id: string): OpenNode | null
  createElement(name: string): OpenNode
}

declare const document: OpenDocument
declare const self: { fossickPanels?: PanelOpener }

/** A closed control, which opens something on its page when it is clicked. */
export interface Closed {
  readonly kind: "branch" | "panel"
  /** Identifies the control on all pages that contain it. */
  readonly mark: string
}

/** Finds closed controls. Finds no more once scripts have navigated to another address. */
export function findClosed(max: number): readonly Closed[] {
  return (self.fossickPanels ??= new PanelOpener()).find(max)
}

/** Opens one of the most recently found controls. @returns whether it was opened. */
export function openClosed(at: number): boolean {
  return self.fossickPanels?.open(at) ?? false
}

/** Keeps the text of the most recently opened panel, since the next panel may replace it. */
export function keepOpened(maxChars: number): void {
  self.fossickPanels?.keepLast(maxChars)
}

/** Puts back texts that other panels have replaced. */
export function restoreOpened(): void {
  self.fossickPanels?.restore()
}

/**
 * Opens everything that readers can open without leaving the page. It clicks controls that are marked as closed
 * (`aria-expanded="false"`), tabs that are not selected and `<summary>` elements, but only if the panel is still empty.
 * It never clicks forms, menus, or links to other pages.
 */
export class PanelOpener {
  static readonly controls =
    "details:not([open]) > summary, [aria-expanded='false'], [role='tab']:not([aria-selected='true'])"
  static readonly never =
    "form, dialog, [role='dialog'], [role='menu'], [role='menubar'], [role='listbox'], [role='combobox'], [contenteditable='true']"
  static readonly around =
    "nav, header, footer, aside, [role='navigation'], [role='banner'], [role='contentinfo']"
  static readonly fields = "input, select, textarea, option"
  /** Selects icons that open a tree item: beside its link, or one element deeper. */
  static readonly signs = ":scope > :is(i, ins, span, div), :scope > :is(div, span) > :is(i, ins, span, div)"
  static readonly pictures = "img, picture, video, audio, iframe, object, embed, canvas"
  /** Maximum length of a branch's label. A longer text beside a control is the content that the control hides. */
  static readonly maxLabelChars = 100
  /** Maximum number of characters kept from the tab that the page displays first, which may be the whole page. */
  static readonly maxFirstTabChars = 1_000_000
  readonly address = this.here()
  readonly done = new Set<OpenNode>()
  found: OpenNode[] = []
  /** Contents of panels, in the order in which they were opened. */
  readonly kept: {
    readonly label: string
    readonly panel: OpenNode
    readonly copy: OpenNode
    readonly text: string
  }[] = []
  last: OpenNode | null = null

  /** The address without its fragment, which only changes within the page, unless the fragment is a route. */
  here(): string {
    return document.location.href.replace(/#(?!!?\/).*$/, "")
  }

  find(max: number): readonly Closed[] {
    this.found = []
    const closed: Closed[] = []
    if (this.here() !== this.address) return closed
    for (const control of document.querySelectorAll(PanelOpener.controls)) {
      if (closed.length >= max) break
      if (this.done.has(control) || !this.mayClick(control)) continue
      const kind = this.kindOf(control)
      if (kind === null) continue
      this.found.push(control)
      closed.push({ kind, mark: this.markOf(control) })
    }
    return closed
  }

  open(at: number): boolean {
    const control = this.found[at]
    if (control === undefined || this.here() !== this.address) return false
    this.done.add(control)
    if (control.matches("[role='tab']")) this.keepChosen(control)
    this.last = control
    this.buttonOf(control).click()
    return true
  }

  keepLast(maxChars: number): void {
    if (this.last !== null) this.keep(this.last, maxChars)
  }

  keep(control: OpenNode, maxChars: number): void {
    const panel = this.panelOf(control)
    if (panel === null) return
    const text = this.textOf(panel)
    if (text === "" || text.length > maxChars) return
    this.kept.push({ label: this.textOf(control).slice(0, 200), panel, copy: panel.cloneNode(true), text })
  }

  /** The text of the selected tab may be replaced when another tab is opened. */
  keepChosen(tab: OpenNode): void {
    const list = tab.closest("[role='tablist']")
    const chosen = list?.querySelector("[role='tab'][aria-selected='true']") ?? null
    if (chosen === null || this.done.has(chosen)) return
    this.done.add(chosen)
    this.keep(chosen, PanelOpener.maxFirstTabChars)
  }

  restore(): void {
    const whole = this.textOf(document.body)
    // Starts with the most recent panel, because each text is inserted right after its panel.
    for (const { label, panel, copy, text } of [...this.kept].reverse()) {
      if (whole.includes(text) || panel.parentElement === null) continue
      const box = document.createElement("section")
      const heading = document.createElement("h3")
      heading.append(label)
      if (label !== "") box.append(heading)
      copy.removeAttribute("hidden")
      box.append(copy)
      panel.after(box)
    }
  }

  mayClick(control: OpenNode): boolean {
    if (control.matches(PanelOpener.fields) || control.closest(PanelOpener.never) !== null) return false
    if ((control.getAttribute("aria-haspopup") ?? "false") !== "false") return false
    if (control.hasAttribute("disabled") || control.getAttribute("aria-disabled") === "true") return false
    if (control.getClientRects().length === 0) return false
    if (this.buttonOf(control) !== control) return true
    // Clicking the item doesn't follow a link inside it.
    if (control.matches("[role='treeitem']:not(a)")) return control.closest("a[href]") === null
    const link =
      control.closest("a[href], area[href]") ?? control.querySelector("a[href], button[type='submit']")
    return link === null || this.staysHere(link)
  }

  /** The element to click: for a tree item, the icon beside its link, `<i></i> <a href="/sails">Sails</a>`, if there is one. */
  buttonOf(control: OpenNode): OpenNode {
    if (!control.matches("[role='treeitem']")) return control
    const item = control.closest("li") ?? control
    for (const child of item.querySelectorAll(PanelOpener.signs))
      if (
        this.textOf(child) === "" &&
        child.querySelector("a[href]") === null &&
        child.getClientRects().length > 0
      )
        return child
    return control
  }

  /** Whether a link leads to the same page: an empty address, `#`, `#part`, `javascript:void(0)`. A route (`#/guide`) is another page. */
  staysHere(link: OpenNode): boolean {
    const href = (link.getAttribute("href") ?? "").trim()
    return href === "" || /^#(?!!?\/)/.test(href) || /^javascript:\s*(?:void\b.*|;*)$/i.test(href)
  }

  kindOf(control: OpenNode): Closed["kind"] | null {
    const item = control.closest("[role='treeitem'], li")
    if (item !== null && !control.matches("[role='tab'], summary")) {
      if (item.querySelector(":scope ul a[href], :scope ol a[href], :scope [role='group'] a[href]") !== null)
        return null
      const hidden = this.namedPanel(control) ?? control.nextElementSibling
      const isLabel = this.textOf(hidden).length <= PanelOpener.maxLabelChars
      if (
        isLabel &&
        (item.closest("[role='tree'], nav, aside, [role='navigation']") !== null ||
          item.querySelector("a[href]") !== null)
      )
        return "branch"
    }
    if (control.closest(PanelOpener.around) !== null) return null
    if (control.matches("[role='tab']")) {
      const panel = this.namedPanel(control)
      return this.isBare(panel) || this.isShared(control) ? "panel" : null
    }
    return this.isBare(this.panelOf(control)) ? "panel" : null
  }

  namedPanel(control: OpenNode): OpenNode | null {
    const [id = ""] = (control.getAttribute("aria-controls") ?? "").split(/\s+/)
    return id === "" ? null : document.getElementById(id)
  }

  /** Whether other tabs display their text in the same panel. */
  isShared(tab: OpenNode): boolean {
    const id = tab.getAttribute("aria-controls")
    const tabs = [...(tab.closest("[role='tablist']")?.querySelectorAll("[role='tab']") ?? [])]
    return tabs.some((other) => other !== tab && other.getAttribute("aria-controls") === id)
  }

  /** The element that a control opens: the one it names, or else a likely one nearby. */
  panelOf(control: OpenNode): OpenNode | null {
    const named = this.namedPanel(control)
    if (named !== null) return named
    if (control.localName === "summary") return control.parentElement
    const list = control.closest("[role='tablist']")
    if (list !== null) {
      for (let around = list.parentElement; around !== null; around = around.parentElement) {
        const panels = [...around.querySelectorAll("[role='tabpanel']")]
        const shown = panels.find((panel) => panel.getClientRects().length > 0)
        if (shown !== undefined) return shown
      }
      return list.nextElementSibling
    }
    return (control.closest("h1, h2, h3, h4, h5, h6, dt") ?? control).nextElementSibling
  }

  /** Whether a panel is still empty, or only asks the reader to wait ("Loading…"). */
  isBare(panel: OpenNode | null): boolean {
    if (panel === null) return true
    const isDetails = panel.localName === "details"
    const summary = isDetails ? this.textOf(panel.querySelector("summary")) : ""
    const text = this.textOf(panel).slice(summary.length).trim()
    if (/[\p{L}\p{N}]/u.test(text) && !/^[^.…]{0,40}(?:…|\.\.\.)$/.test(text)) return false
    return panel.querySelector(PanelOpener.pictures) === null || isDetails
  }

  markOf(control: OpenNode): string {
    const item = control.closest("[role='treeitem'], li")
    const link = item?.querySelector("a[href]")?.getAttribute("href") ?? ""
    return `${this.textOf(item ?? control).slice(0, 80)} ${control.getAttribute("aria-controls") ?? ""} ${link.slice(0, 200)}`
  }

  textOf(element: OpenNode | null): string {
    return (element?.textContent ?? "").replace(/\s+/g, " ").trim()
  }
}

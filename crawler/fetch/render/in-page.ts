// Functions that run inside a page, in an isolated world where the page's scripts cannot change how DOM methods behave.
// They are sent there as text, so they can use only their parameters, the browser's built-ins, and the class that is
// sent along.

/** The parts of the DOM used here. The compiler's own library for browsers would make its globals visible to the whole project. */
interface PageNode {
  /** 1 for an element, 3 for a text node. */
  readonly nodeType: number
  /** Present only on text nodes. */
  readonly data: string
  readonly localName: string
  readonly textContent: string
  readonly childNodes: Iterable<PageNode>
  readonly lastChild: PageNode | null
  readonly previousSibling: PageNode | null
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>
  readonly ownerDocument: PageDocument
  readonly shadowRoot: PageNode | null
  /** Present only on frames; null when the frame belongs to another site. */
  readonly contentDocument: PageDocument | null
  /** Present only on slots. */
  assignedNodes(): PageNode[]
  getAttribute(name: string): string | null
  getBoundingClientRect(): {
    readonly width: number
    readonly height: number
    readonly right: number
    readonly bottom: number
  }
  readonly parentElement: PageNode | null
}

interface PageDocument {
  readonly documentElement: PageNode
  readonly body: PageNode | null
  readonly readyState: string
  readonly baseURI: string
  readonly URL: string
  querySelector(selector: string): PageNode | null
}

declare const document: PageDocument
/** The functions declared here belong to a world that the page's scripts cannot change. */
declare function getComputedStyle(element: PageNode): { getPropertyValue(name: string): string }

/** How much content a page has so far. Two measurements of a finished page return the same numbers. */
export interface PageMeasure {
  readonly nodes: number
  /** Number of characters of visible text; in short texts, white space is not counted. */
  readonly text: number
  /** Whether the page's own scripts, styles and frames have loaded and run. */
  readonly isLoaded: boolean
}

/** Measures the page. At most `maxNodes` nodes are counted, and counting stops after more than `maxChars` characters. */
export function measurePage(maxNodes: number, maxChars: number): PageMeasure {
  const silent = new Set(["head", "script", "style", "noscript", "template"])
  const left: PageNode[] = [document.documentElement]
  let nodes = 0
  let text = 0
  for (let node = left.pop(); node && nodes < maxNodes && text <= maxChars; node = left.pop()) {
    nodes += 1
    if (node.nodeType === 3) {
      text += node.data.length > 1000 ? node.data.length : node.data.replace(/\s+/g, "").length
    }
    if (node.nodeType === 1 && !silent.has(node.localName)) {
      if (node.shadowRoot) left.push(...node.shadowRoot.childNodes)
      for (let child = node.lastChild; child; child = child.previousSibling) left.push(child)
    }
  }
  return { nodes, text, isLoaded: document.readyState === "complete" }
}

/**
 * The document as HTML, as a reader would see it. The content of open shadow roots is placed where it is displayed,
 * including the slotted content, and so is the content of frames from the same site. Scripts and style sheets are left
 * out, except data; where they decide whether an element's text is visible, the result is written into its `style`, and
 * the root is marked with `data-fossick-computed`.
 *
 * `url`: the address against which relative addresses will be resolved.
 * @returns null when the HTML would be longer than `maxChars`.
 */
export function serialisePage(url: string, maxChars: number): string | null {
  return new PageSerialiser(url).html(maxChars)
}

/** Serialises one page. {@link serialisePage} needs this class inside the page. */
export class PageSerialiser {
  static readonly minFramePixels = 100
  static readonly empty = new Set(
    "area base br col embed hr img input link meta param source track wbr".split(" "),
  )
  static readonly dropped = new Set(["style", "noscript", "template"])
  static readonly computedMark = "data-fossick-computed"
  static readonly maxStyled = 50_000
  /** Text that is further than this, in pixels, beyond the upper left corner of the page can't be scrolled to. */
  static readonly far = { left: -2000, top: -500 }
  static readonly handedDown = ["color", "font-size", "visibility", "-webkit-text-fill-color"]
  /** Properties that can hide an element, each with the value that has no effect. */
  static readonly own: readonly (readonly [name: string, usual: string])[] = [
    ["opacity", "1"],
    ["filter", "none"],
    ["clip", "auto"],
    ["clip-path", "none"],
    ["content-visibility", "visible"],
    ["background-color", "rgba(0, 0, 0, 0)"],
    ["background-clip", "border-box"],
    ["animation-name", "none"],
  ]
  readonly url: string
  readonly route = /#!?\/.*$/.exec(document.URL)?.[0] ?? ""
  readonly hasOwnBase = document.querySelector("base[href]") !== null
  styled = 0

  constructor(url: string) {
    this.url = url
  }

  html(maxChars: number): string | null {
    let html = "<!doctype html>"
    // Nodes that remain to be written, the next one last; strings are written as they are.
    const left: (PageNode | string)[] = [document.documentElement]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (html.length > maxChars) return null
      if (typeof next === "string") html += next
      else if (next.nodeType === 3) html += this.escaped(next.data)
      else if (next.nodeType === 1) html += this.opened(next, left)
    }
    return html
  }

  /** The start tag of an element; the rest of the element is added to `left`. */
  opened(element: PageNode, left: (PageNode | string)[]): string {
    const name = element.localName
    if (PageSerialiser.dropped.has(name)) return ""
    if (name === "script") {
      if (!/json/i.test(element.getAttribute("type") ?? "")) return ""
      return `${this.startTag(element)}${element.textContent.replaceAll("</", "<\\/")}</script>`
    }
    if (name === "iframe" || name === "frame") {
      const body = this.frameBody(element)
      if (body) left.push("</div>", ...this.shown(body).reverse(), "<div>")
      return ""
    }
    const tag = this.startTag(element)
    if (PageSerialiser.empty.has(name)) return tag
    left.push(`</${name}>`, ...this.shown(element).reverse())
    // Scripts may have changed the document's address, and with it the meaning of relative addresses.
    const isMoved = name === "head" && !this.hasOwnBase && document.baseURI !== this.url
    return isMoved ? `${tag}<base href="${this.escaped(document.baseURI)}">` : tag
  }

  startTag(element: PageNode): string {
    const { maxStyled, computedMark } = PageSerialiser
    let tag = `<${element.localName}`
    const isStyled = this.styled++ < maxStyled
    const seen = isStyled ? this.seenBy(element) : ""
    if (element === document.documentElement) tag += ` ${computedMark}=""`
    if (seen !== "") tag += ` style="${this.escaped(seen)}"`
    for (const { name, value } of element.attributes) {
      if (name === computedMark || (name === "style" && isStyled && element.localName !== "img")) continue
      tag += ` ${name}="${this.escaped(this.written(element, name, value))}"`
    }
    return `${tag}>`
  }

  /** An attribute's value. Addresses in frames and in `base` are made absolute. */
  written(element: PageNode, name: string, value: string): string {
    const inFrame = element.ownerDocument !== document
    const isAddress = inFrame && (name === "href" || name === "src")
    const isBase = !inFrame && this.route !== "" && element.localName === "base" && name === "href"
    if (!isAddress && !isBase) return value
    const whole = URL.parse(value, element.ownerDocument.baseURI)?.href ?? value
    // The page is at a route of its scripts, so its base gets that route, as it would on a page without a base of its
    // own.
    return isBase ? whole.replace(/#.*$/, "") + this.route : whole
  }

  /** The computed styles that decide whether a reader sees the text of an element. */
  seenBy(element: PageNode): string {
    const { handedDown, own, far } = PageSerialiser
    const style = getComputedStyle(element)
    const value = (name: string) => style.getPropertyValue(name)
    if (value("display") === "none") return "display:none"
    const parts: string[] = []
    const above = element.parentElement === null ? null : getComputedStyle(element.parentElement)
    for (const name of handedDown)
      if (value(name) !== above?.getPropertyValue(name)) parts.push(`${name}:${value(name)}`)
    for (const [name, usual] of own) if (value(name) !== usual) parts.push(`${name}:${value(name)}`)
    if (value("background-image") !== "none") parts.push("background-image:url(x)")
    const position = value("position")
    const isLaid = position === "absolute" || position === "fixed"
    if (isLaid || value("display") === "grid") parts.push(isLaid ? `position:${position}` : "display:grid")
    if (!/^0s(?:, 0s)*$/.test(value("transition-duration")))
      parts.push(`transition:${value("transition-property")}`)
    const { width, height, right, bottom } = element.getBoundingClientRect()
    const isCut = /hidden|clip/.test(value("overflow-x") + value("overflow-y"))
    if (isCut && (width <= 1 || height <= 1))
      parts.push(`overflow:hidden;width:${width}px;height:${height}px`)
    if (width === 0 && height === 0 && value("transform") !== "none") parts.push("transform:scale(0)")
    else if (width + height > 0 && (right < far.left || bottom < far.top))
      parts.push("position:absolute;left:-9999px")
    if (Number.parseFloat(value("text-indent")) < far.top) parts.push("text-indent:-9999px")
    return parts.join(";")
  }

  frameBody(frame: PageNode): PageNode | null {
    const { width, height } = frame.getBoundingClientRect()
    const { minFramePixels } = PageSerialiser
    return width < minFramePixels || height < minFramePixels ? null : (frame.contentDocument?.body ?? null)
  }

  /** The nodes that are displayed in an element, in order. */
  shown(element: PageNode): PageNode[] {
    if (element.shadowRoot) return [...element.shadowRoot.childNodes]
    if (element.localName === "slot" && typeof element.assignedNodes === "function") {
      const assigned = element.assignedNodes()
      if (assigned.length > 0) return assigned
    }
    return [...element.childNodes]
  }

  escaped(text: string): string {
    return text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  }
}

/** Runs before the page's own scripts. There is no user to answer a dialog, and each one would block the page. */
export function muteDialogs(): void {
  Object.assign(globalThis, {
    alert: () => undefined,
    confirm: () => false,
    prompt: () => null,
    print: () => undefined,
  })
}

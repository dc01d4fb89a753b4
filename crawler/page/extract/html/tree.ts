import { Element, isBlockTag, SPECIAL } from "./element.ts"
import { ShadowRoots } from "./shadow-roots.ts"
import { QuoteType, Tokenizer, type TokenizerCallbacks } from "htmlparser2"

export { Element, isBlockTag } from "./element.ts"

// Maximum depth of the tree, so that every later pass can recurse. Only the text of deeper elements is kept.
const MAX_DEPTH = 400
// Maximum number of nodes, several times as many as the largest real pages have; the rest of a document is not read.
const MAX_NODES = 250_000
const MAX_ATTRIBUTE_CHARS = 20_000

// All attributes that a later pass needs. A short list keeps a hostile tag with a million attributes cheap.
const KEPT_ATTRIBUTES = new Set(
  (
    "alt alttext aria-controls aria-expanded aria-haspopup aria-hidden aria-label aria-level aria-modal bgcolor charset class close color " +
    "colspan commandfor content data-aos data-bs-target data-c data-fossick-computed data-href data-lang data-language data-latex " +
    "data-lazy data-lazy-src data-lazy-srcset data-line-number data-math data-mathml data-mml-node data-mode data-original data-src " +
    "data-srcset data-target data-testid data-tex datetime dir display download encoding for headers height hidden href hreflang http-equiv id " +
    "itemprop itemscope itemtype lang language linethickness mathvariant media name open popover popovertarget property rel role rowspan " +
    "shadowroot shadowrootmode sizes slot src srcset start style text title type value width xml:lang"
  ).split(" "),
)

const VOID = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
)
/** Elements whose content the tokenizer passes on as one raw text. */
const RAW_TEXT = new Set("script style title textarea xmp iframe noembed noframes plaintext".split(" "))
const HEAD_TAGS = new Set(
  "base basefont bgsound link meta noscript script style template title noframes".split(" "),
)
const SCOPE = new Set("html body table td th caption template object marquee applet".split(" "))
const LIST_SCOPE = new Set([...SCOPE, "ol", "ul"])
const TABLE_SCOPE = new Set(["html", "body", "table", "template"])
const TABLE_PARTS = new Set("td th tr tbody thead tfoot caption table".split(" "))

const CLOSES_PARAGRAPH = new Set(
  (
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul"
  ).split(" "),
)
const HEADING = /^h[1-6]$/

/** Parses any text as HTML. Never throws; the tree is never deeper than a few hundred levels. */
export function parseTree(source: string): Element {
  const html = withoutCdata(source)
  const builder = new TreeBuilder(html, attributesOfSelectors(html))
  const tokenizer = new Tokenizer({ decodeEntities: true }, builder)
  builder.stop = () => tokenizer.pause()
  tokenizer.write(html)
  if (tokenizer.running) tokenizer.end()
  builder.onend()
  return builder.root
}

/** Collects attributes in the selectors of the page's own style sheets (`[data-kind=x]`), because they decide what is displayed. */
function attributesOfSelectors(html: string): ReadonlySet<string> {
  const names = new Set<string>()
  STYLE.lastIndex = 0
  for (let open = STYLE.exec(html); open !== null; open = STYLE.exec(html)) {
    const end = html.indexOf("</", STYLE.lastIndex)
    const css = html.slice(STYLE.lastIndex, end === -1 ? html.length : end)
    for (const [, name] of css.matchAll(/\[\s*([a-z_][\w:-]{0,39})\s*[\]~|^$*=]/gi)) {
      if (names.size >= MAX_ASKED) return names
      if (!KEPT_ATTRIBUTES.has(name!.toLowerCase())) names.add(name!.toLowerCase())
    }
  }
  return names
}

const STYLE = /<style\b[^>]{0,200}>/gi
const MAX_ASKED = 30

/**
 * Outside SVG and MathML, `<![CDATA[` opens a bogus comment that ends at the next `>` (WHATWG HTML §13.2.5.42); the
 * tokenizer would swallow everything up to `]]>`. In lower case it behaves correctly.
 */
function withoutCdata(html: string): string {
  if (!html.includes("<![CDATA[")) return html
  let foreign = 0
  return html.replace(/<(\/?)(?:svg|math)\b|<!\[CDATA\[/gi, (found, slash: string | undefined) => {
    if (slash === undefined) return foreign > 0 ? found : found.toLowerCase()
    foreign = Math.max(0, foreign + (slash === "" ? 1 : -1))
    return found
  })
}

class TreeBuilder implements TokenizerCallbacks {
  readonly root = new Element("#document", null)
  stop: () => void = () => {}
  readonly #html: string
  readonly #asked: ReadonlySet<string>
  #top = this.root
  readonly #stack: Element[] = []
  readonly #open = new Map<string, number>()
  readonly #shadows = new ShadowRoots(MAX_DEPTH)
  #overflow = 0
  #nodes = 0
  #foreign = 0
  #text = ""
  #tag = ""
  #attributes: string[] = []
  #attributeName = ""
  #attributeValue = ""

  constructor(html: string, asked: ReadonlySet<string>) {
    this.#html = html
    this.#asked = asked
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  ontext(start: number, end: number): void {
    this.#text += this.#html.slice(start, end)
  }

  ontextentity(codePoint: number): void {
    this.#text += String.fromCodePoint(codePoint)
  }

  onopentagname(start: number, end: number): void {
    this.#flushText()
    const tag = this.#html.slice(start, end).toLowerCase()
    this.#tag = tag === "image" ? "img" : tag
    this.#attributes = []
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = end - start > 40 ? "" : this.#html.slice(start, end).toLowerCase()
    this.#attributeValue = ""
  }

  onattribdata(start: number, end: number): void {
    if (this.#attributeValue.length < MAX_ATTRIBUTE_CHARS)
      this.#attributeValue += this.#html.slice(start, Math.min(end, start + MAX_ATTRIBUTE_CHARS))
  }

  onattribentity(codePoint: number): void {
    if (this.#attributeValue.length < MAX_ATTRIBUTE_CHARS)
      this.#attributeValue += String.fromCodePoint(codePoint)
  }

  onattribend(_quote: QuoteType): void {
    const name = this.#attributeName
    if (!KEPT_ATTRIBUTES.has(name) && !this.#asked.has(name)) return
    for (let i = 0; i < this.#attributes.length; i += 2) if (this.#attributes[i] === name) return
    this.#attributes.push(name, this.#attributeValue)
  }

  onopentagend(): void {
    this.#openElement(false)
  }

  onselfclosingtag(): void {
    this.#openElement(this.#foreign > 0 || this.#tag === "svg" || this.#tag === "math")
  }

  onclosetag(start: number, end: number): void {
    this.#flushText()
    this.#close(this.#html.slice(start, end).toLowerCase())
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#foreign > 0) this.#text += this.#html.slice(start, end - endOffset)
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  onend(): void {
    this.#flushText()
    while (this.#stack.length > 0) this.#pop()
  }

  #flushText(): void {
    if (this.#text === "") return
    this.#top.children.push(this.#text)
    this.#text = ""
    this.#nodes++
  }

  #openElement(selfClosed: boolean): void {
    const tag = this.#tag
    if ((tag === "html" || tag === "body" || tag === "head") && this.#isOpen(tag)) return
    if (this.#foreign === 0) this.#closeImplied(tag)

    if (this.#stack.length >= MAX_DEPTH && !RAW_TEXT.has(tag)) {
      if (isBlockTag(tag) || tag === "br") this.#text += "\n"
      if (!selfClosed && !VOID.has(tag)) this.#overflow++
      return
    }

    if (this.#nodes++ > MAX_NODES) this.stop()
    const element = new Element(tag, this.#top)
    if (this.#attributes.length > 0) element.attributes = this.#attributes
    if (tag === "script" && /^\s*math\//i.test(element.get("type") ?? "")) dropSet(this.#top.children)
    this.#top.children.push(element)
    const isRoot = tag === "template" && (element.has("shadowrootmode") || element.has("shadowroot"))
    if (isBlockTag(tag) && !isRoot)
      for (let above: Element | null = this.#top; above && !above.containsBlock; above = above.parent)
        above.containsBlock = true
    if (selfClosed || VOID.has(tag)) return
    this.#shadows.opened(element)
    this.#stack.push(element)
    this.#open.set(tag, (this.#open.get(tag) ?? 0) + 1)
    if (tag === "svg" || tag === "math") this.#foreign++
    this.#top = element
  }

  #isOpen(tag: string): boolean {
    return (this.#open.get(tag) ?? 0) > 0
  }

  /** Closes elements whose end tags HTML lets an author leave out (WHATWG HTML §13.1.2.4). */
  #closeImplied(tag: string): void {
    if (this.#top.tag === "head" && !HEAD_TAGS.has(tag)) this.#pop()
    if (CLOSES_PARAGRAPH.has(tag)) this.#closeInScope("p", SCOPE)
    if (HEADING.test(tag) && HEADING.test(this.#top.tag)) this.#pop()
    switch (tag) {
      case "li":
        this.#closeInScope("li", LIST_SCOPE)
        break
      case "dd":
      case "dt":
        this.#closeInScope("dd", DEFINITION_SCOPE)
        this.#closeInScope("dt", DEFINITION_SCOPE)
        break
      case "option":
      case "optgroup":
        if (this.#top.tag === "option") this.#pop()
        break
      case "a":
        this.#closeInScope("a", SPECIAL)
        break
      case "td":
      case "th":
        this.#closeInScope("td", TABLE_SCOPE)
        this.#closeInScope("th", TABLE_SCOPE)
        break
      case "tr":
        this.#closeInScope("tr", TABLE_SCOPE)
        break
      case "tbody":
      case "thead":
      case "tfoot":
        for (const part of ["tbody", "thead", "tfoot"]) this.#closeInScope(part, TABLE_SCOPE)
        break
      default:
    }
  }

  #closeInScope(tag: string, barriers: ReadonlySet<string>): boolean {
    if (!this.#isOpen(tag)) return false
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const open = this.#stack[i]!.tag
      if (open === tag) {
        while (this.#stack.length > i) this.#pop()
        return true
      }
      if (barriers.has(open)) return false
    }
    return false
  }

  #close(name: string): void {
    if (name === "br") {
      this.#top.children.push(new Element("br", this.#top))
      return
    }
    // Browsers also display content after </body>.
    if (VOID.has(name) || name === "body" || name === "html") return
    if (this.#overflow > 0 && !RAW_TEXT.has(name)) {
      this.#overflow--
      return
    }
    if (this.#top.tag === name) this.#pop()
    else if (TABLE_PARTS.has(name)) this.#closeInScope(name, name === "table" ? CELL_FREE_SCOPE : TABLE_SCOPE)
    else if (name === "li") this.#closeInScope(name, LIST_SCOPE)
    else if (SPECIAL.has(name)) this.#closeInScope(name, SCOPE)
    else if (this.#foreign > 0) this.#closeInScope(name, CELL_FREE_SCOPE)
    else this.#closeInScope(name, SPECIAL)
  }

  #pop(): void {
    const element = this.#stack.pop()
    if (!element) return
    this.#shadows.closed(element)
    this.#open.set(element.tag, (this.#open.get(element.tag) ?? 1) - 1)
    if (element.tag === "svg" || element.tag === "math") this.#foreign--
    this.#top = this.#stack.at(-1) ?? this.root
  }
}

/** Removes MathJax 2's output, which comes before the source of its formula. */
function dropSet(before: (Element | string)[]): void {
  for (let last = before.at(-1); typeof last === "object"; last = before.at(-1)) {
    if (last.get("class")?.startsWith("MathJax") !== true) return
    before.pop()
  }
}

const DEFINITION_SCOPE = new Set([...SCOPE, "dl"])
const CELL_FREE_SCOPE = new Set(["html", "body", "template"])

/** Visits `element` and everything below it in document order; if the visitor returns false for an element, the element's descendants are skipped. */
export function walk(element: Element, visit: (element: Element) => boolean | void): void {
  if (visit(element) === false) return
  for (const child of element.children) if (typeof child !== "string") walk(child, visit)
}

/** `root` and all elements below it in document order, except the elements in `leftOut` and their descendants. */
export function elementsOf(root: Element, leftOut: ReadonlySet<Element> = NONE): Element[] {
  const elements: Element[] = []
  addElements(root, leftOut, elements)
  return elements
}

const NONE: ReadonlySet<Element> = new Set()

// This is not a nested function, because V8 drops the optimized code of a function with its last closure, at the end of
// a page.
function addElements(element: Element, leftOut: ReadonlySet<Element>, elements: Element[]): void {
  if (leftOut.has(element)) return
  elements.push(element)
  for (const child of element.children) if (typeof child !== "string") addElements(child, leftOut, elements)
}

export function firstElement(root: Element, matches: (element: Element) => boolean): Element | null {
  if (matches(root)) return root
  for (const child of root.children) {
    if (typeof child === "string") continue
    const found = firstElement(child, matches)
    if (found) return found
  }
  return null
}

/** The first match among an element and its ancestors, from the inside out. */
export function closest(from: Element | null, matches: (element: Element) => boolean): Element | null {
  let at = from
  while (at !== null && !matches(at)) at = at.parent
  return at
}

/** Whether `element` is `ancestor` or one of its descendants. */
export const isInside = (element: Element, ancestor: Element): boolean =>
  closest(element, (at) => at === ancestor) !== null

/** Maximum number of elements without text that are checked besides those with text. */
const EMPTY_NODES = 1000

/** All text below an element, except the parts to leave out, with white space collapsed. Scripts and styles have no text. */
export function textOf(
  element: Element,
  maxChars = 1_000_000,
  leaveOut?: (element: Element) => boolean,
): string {
  const text = new TextParts(maxChars, leaveOut)
  text.collect(element)
  return collapse(text.parts.join("").slice(0, maxChars))
}

class TextParts {
  readonly parts: string[] = []
  readonly #maxChars: number
  readonly #leaveOut: ((element: Element) => boolean) | undefined
  #chars = 0
  #nodes = 0

  constructor(maxChars: number, leaveOut: ((element: Element) => boolean) | undefined) {
    this.#maxChars = maxChars
    this.#leaveOut = leaveOut
  }

  collect(node: Element): void {
    for (const child of node.children) {
      // Elements without text count towards the limit too; otherwise calling this at every level of a deep tree would
      // take quadratic time.
      if (this.#chars > this.#maxChars || this.#nodes++ > this.#maxChars + EMPTY_NODES) return
      if (typeof child === "string") {
        this.parts.push(child)
        this.#chars += child.length
      } else if (this.#leaveOut?.(child) === true) continue
      else if (child.tag === "br") this.parts.push(" ")
      else if (child.tag !== "script" && child.tag !== "style" && child.tag !== "template") {
        const block = SPECIAL.has(child.tag)
        if (block) this.parts.push(" ")
        this.collect(child)
        if (block) this.parts.push(" ")
      }
    }
  }
}

export function collapse(text: string): string {
  return text.replace(/[\s\u200B\uFEFF\0]+/g, " ").trim()
}

import { isHeading, isPermalink } from "./anchors.ts"
import type { Element } from "./tree.ts"

/** Maximum length of a name; longer texts are not names. */
const MAX_ID_CHARS = 200
/** Maximum number of headings in one document that get an address: more than the longest real manuals have. */
const MAX_ANCHORS = 5000
/** Elements that mark a place and display nothing. Their name may be used for the next heading, while that of any other empty element may not. */
const PLACE_MARKS = new Set(["a", "span"])
/** Elements inside a heading that can carry its name. */
const NAMED_INLINE = new Set(["a", "button", "span", "b", "strong", "i", "em", "code", "tt", "font"])
const WITHOUT_TEXT = new Set(["script", "style", "template", "svg", "math", "noscript", "iframe", "object"])

/**
 * The fragments of the addresses of a document's headings, as RFC 3986 writes them. They are taken, in this order,
 * from: the link in the heading for copying its address; the heading's own id; a name inside it; the nearest name
 * before it with no text in between (`<a name>`, the `<section id>` that it opens); the panel that its button opens;
 * the link right after it. The head of a panel or of `<details>` is a heading too. A name belongs to the first heading
 * that has it, and is used only once.
 */
export function headingAnchors(root: Element): ReadonlyMap<Element, string> {
  const named = new NamedHeadings()
  named.visit(root)
  return named.anchors
}

class NamedHeadings {
  readonly anchors = new Map<Element, string>()
  readonly #taken = new Set<string>()
  /** The most recent name, if there has been no text since. */
  #pending: string | null = null
  /** A heading without a name, if there has been no text since. */
  #nameless: Element | null = null

  visit(element: Element): void {
    for (const child of element.children) {
      if (typeof child === "string") {
        if (child.trim() !== "") this.#pending = this.#nameless = null
        continue
      }
      if (WITHOUT_TEXT.has(child.tag)) continue
      if (child.head !== null) this.#give(child.head, child.head.get("id") ?? child.get("id"))
      if (isHeading(child) || isHeadOfDetails(child)) {
        const found =
          permalinkIn(child) ?? child.get("id") ?? nameIn(child) ?? this.#pending ?? controlledBy(child)
        this.#nameless = this.#give(child, found) ? null : child
        this.#pending = null
        continue
      }
      if (this.#nameless !== null && isPermalink(child)) {
        this.#give(this.#nameless, targetOf(child))
        this.#nameless = null
        continue
      }
      const before = this.#pending
      const own = nameOf(child)
      if (own !== null) this.#pending = own
      this.visit(child)
      if (own !== null && this.#pending === own && !PLACE_MARKS.has(child.tag)) this.#pending = before
    }
  }

  #give(heading: Element, id: string | null): boolean {
    const fragment = id === null ? null : fragmentOf(id)
    if (fragment === null || this.#taken.has(fragment) || this.anchors.size >= MAX_ANCHORS) return false
    this.#taken.add(fragment)
    this.anchors.set(heading, fragment)
    return true
  }
}

function nameOf(element: Element): string | null {
  return element.get("id") ?? (element.tag === "a" ? element.get("name") : null)
}

/** The fragment that a link on this page leads to, without the `#`. */
function targetOf(link: Element): string | null {
  const href = link.get("href")?.trim() ?? ""
  return href.startsWith("#") ? href.slice(1) : null
}

const permalinkIn = (heading: Element): string | null =>
  firstIn(heading, (element) => (isPermalink(element) ? targetOf(element) : null))

const nameIn = (heading: Element): string | null =>
  firstIn(heading, (element) => (NAMED_INLINE.has(element.tag) ? nameOf(element) : null))

/** The panel that a control in the heading opens. */
const controlledBy = (heading: Element): string | null =>
  firstIn(heading, (element) => (element.tag === "button" ? element.get("aria-controls") : null))

const isHeadOfDetails = (element: Element): boolean =>
  element.tag === "summary" && firstIn(element, (one) => (isHeading(one) ? one.tag : null)) === null

/** Number of elements of a heading that are checked. */
const MOST_IN_HEADING = 50

function firstIn(heading: Element, nameFrom: (element: Element) => string | null): string | null {
  let left = MOST_IN_HEADING
  const look = (element: Element): string | null => {
    for (const child of element.children) {
      if (typeof child === "string" || left-- <= 0) continue
      const name = nameFrom(child) ?? look(child)
      if (name !== null) return name
    }
    return null
  }
  return look(heading)
}

/**
 * An id as a fragment; null if it is not valid (WHATWG HTML §3.2.6). `#top` and an empty fragment mean the page itself.
 */
function fragmentOf(id: string): string | null {
  if (id === "" || id.length > MAX_ID_CHARS || /\s/.test(id)) return null
  const url = new URL("http://localhost/")
  url.hash = id
  return url.hash.slice(1) || null
}

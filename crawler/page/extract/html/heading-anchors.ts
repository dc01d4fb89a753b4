import { isHeading, isPermalink } from "./anchors.ts"
import type { Element } from "./tree.ts"

/** Longer ones are no names. */
const MAX_ID_CHARS = 200
/** Headings of one document that get an address: more than the longest honest manuals have. */
const MAX_ANCHORS = 5000
/** Marks of a place that show nothing: their name counts for what comes next, where another empty element's does not. */
const PLACE_MARKS = new Set(["a", "span"])
/** What may carry a heading's name inside it. */
const NAMED_INLINE = new Set(["a", "button", "span", "b", "strong", "i", "em", "code", "tt", "font"])
const WITHOUT_TEXT = new Set(["script", "style", "template", "svg", "math", "noscript", "iframe", "object"])

/**
 * The fragments of the address that lead to the headings of a document, as RFC 3986 writes them. In this order: the link that the
 * heading carries for copying its address; its own id; a name inside it; the nearest name before it with no text between
 * (`<a name>`, the `<section id>` that it opens); the panel that its button opens; the link right behind it. The head of a
 * panel or of `<details>` is a heading too. A name leads to the first heading that has it, and counts once.
 */
export function headingAnchors(root: Element): ReadonlyMap<Element, string> {
  const anchors = new Map<Element, string>()
  const taken = new Set<string>()
  /** What was named last, without any text since. */
  let pending: string | null = null
  /** A heading without a name, and no text since. */
  let nameless: Element | null = null

  const give = (heading: Element, id: string | null): boolean => {
    const fragment = id === null ? null : fragmentOf(id)
    if (fragment === null || taken.has(fragment) || anchors.size >= MAX_ANCHORS) return false
    taken.add(fragment)
    anchors.set(heading, fragment)
    return true
  }
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === "string") {
        if (child.trim() !== "") pending = nameless = null
        continue
      }
      if (WITHOUT_TEXT.has(child.tag)) continue
      if (child.head !== null) give(child.head, child.head.get("id") ?? child.get("id"))
      if (isHeading(child) || isHeadOfDetails(child)) {
        const found = permalinkIn(child) ?? child.get("id") ?? nameIn(child) ?? pending ?? controlledBy(child)
        nameless = give(child, found) ? null : child
        pending = null
        continue
      }
      if (nameless !== null && isPermalink(child)) {
        give(nameless, targetOf(child))
        nameless = null
        continue
      }
      const before: string | null = pending
      const own = nameOf(child)
      if (own !== null) pending = own
      visit(child)
      if (own !== null && pending === own && !PLACE_MARKS.has(child.tag)) pending = before
    }
  }
  visit(root)
  return anchors
}

function nameOf(element: Element): string | null {
  return element.get("id") ?? (element.tag === "a" ? element.get("name") : null)
}

/** Where a link on this page leads, without the `#`. */
function targetOf(link: Element): string | null {
  const href = link.get("href")?.trim() ?? ""
  return href.startsWith("#") ? href.slice(1) : null
}

const permalinkIn = (heading: Element): string | null =>
  firstIn(heading, (element) => (isPermalink(element) ? targetOf(element) : null))

const nameIn = (heading: Element): string | null =>
  firstIn(heading, (element) => (NAMED_INLINE.has(element.tag) ? nameOf(element) : null))

/** A panel that a control in the heading opens. */
const controlledBy = (heading: Element): string | null =>
  firstIn(heading, (element) => (element.tag === "button" ? element.get("aria-controls") : null))

const isHeadOfDetails = (element: Element): boolean =>
  element.tag === "summary" && firstIn(element, (one) => (isHeading(one) ? one.tag : null)) === null

/** Elements of a heading that are looked at. */
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

/** An id as a fragment; null: it is none (WHATWG HTML §3.2.6). `#top` and what is empty lead to the page itself. */
function fragmentOf(id: string): string | null {
  if (id === "" || id.length > MAX_ID_CHARS || /\s/.test(id)) return null
  const url = new URL("http://localhost/")
  url.hash = id
  return url.hash.slice(1) || null
}

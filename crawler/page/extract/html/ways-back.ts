import { isFragmentLink, isHeading, isLink } from "./anchors.ts"
import { closest, type Element, elementsOf, firstElement, isBlockTag, textOf } from "./tree.ts"

/** Maximum length of the text of a link back, such as "Back to top". */
const MAX_CHARS = 40
/** Number of characters read from a link, including white space. */
const MAX_READ_CHARS = 400
/** Maximum number of children of an element whose only text is links back. */
const MAX_BESIDE = 12
const MAX_SIBLINGS = 500
/** Maximum number of elements searched inside an element to make sure that it has no text. */
const MAX_EMPTY = 50
const LETTERS = /[\p{L}\p{N}]/u
/** The fragment for the top of any page (HTML, 7.4.6.3), even if no element has that name. */
const START = /^#top$/i
/** This fragment also means the top, but scripts use it for all kinds of buttons. */
const BARE = /^#$/
/** Ids that sites give to the top of a page or to the whole page. */
const HEAD_OF_PAGE =
  /top$|(?:^|[-_])(?:top|head|header|page|site|main|content|wrapper|container|nav|menu|toc|haut|oben|arriba|inicio|inizio|cima)(?:$|[-_])/i
/** Matches a script that scrolls, used in place of an address. */
const SCROLLS = /^javascript:[^;]{0,200}scroll/i
/** Links that open the source of this page in an editor, on code hosts and wikis. */
const EDITS =
  /\/(?:-\/)?_?edit\/[^?#]+\.(?:adoc|html?|ipynb|md|mdx|org|qmd|rmd|rst|tex|txt|xml)\b|[?&]action=edit\b/i
/** Elements in which a link may be the name of a row or an item, or a heading's link to itself. */
const NAMES = /^(?:h[1-6]|td|th|li|dt|dd|caption|summary|figcaption|blockquote)$/
const LIST = /^(?:ul|ol|nav)$/

/** An element and its position in document order. */
interface Placed {
  readonly element: Element
  readonly at: number
}

interface Places {
  /** Elements that are targets of links, by name. */
  readonly byName: ReadonlyMap<string, Placed>
  /** The position of the first heading in document order. */
  readonly heading: number
}

/**
 * Blocks that contain only links to the top of the page, to its contents ("Back to top", an arrow) or to its editor.
 * Links to other places are text.
 */
export function waysBack(document: Element): Element[] {
  const links: Placed[] = []
  let at = 0
  let heading = Number.POSITIVE_INFINITY
  for (const element of elementsOf(document)) {
    at++
    if (element.tag === "a") {
      if (isLink(element) && mayBeOne(element)) links.push({ element, at })
    } else if (at < heading && isHeading(element)) heading = at
  }
  const places: Places = { heading, byName: placesNamed(document, new Set(links.map(nameOf))) }
  const back = new Set(links.filter((one) => leadsBack(one, places)).map(({ element }) => element))
  const found = new Set<Element>()
  for (const link of back) {
    const block = blockOf(link, back)
    if (block !== null && (!BARE.test(hrefOf(link)) || isLast(block))) found.add(block)
  }
  return [...found]
}

/** The first element with each name. */
function placesNamed(document: Element, names: ReadonlySet<string>): Map<string, Placed> {
  const found = new Map<string, Placed>()
  let at = 0
  if (names.size === 0) return found
  for (const element of elementsOf(document)) {
    at++
    if (element.attributes.length === 0) continue
    const name = element.get("id") ?? (element.tag === "a" ? element.get("name") : null)
    if (name !== null && names.has(name) && !found.has(name)) found.set(name, { element, at })
  }
  return found
}

const nameOf = ({ element }: Placed): string => hrefOf(element).slice(1)

const hrefOf = (link: Element): string => link.get("href")!.trim()

const mayBeOne = (link: Element): boolean =>
  isFragmentLink(link) || SCROLLS.test(hrefOf(link)) || EDITS.test(hrefOf(link))

function leadsBack({ element: link, at }: Placed, { byName, heading }: Places): boolean {
  const href = hrefOf(link)
  if (textOf(link, MAX_READ_CHARS).length > MAX_CHARS) return false
  if (!isFragmentLink(link) || START.test(href)) return true
  if (BARE.test(href)) return !link.has("aria-expanded") && !link.has("aria-controls") && !holdsPicture(link)
  const name = href.slice(1)
  const place = byName.get(name)
  // The target is created by a script or no longer exists, so the name is the only clue.
  if (place === undefined) return HEAD_OF_PAGE.test(name)
  if (place.at >= at || isWithin(link, place.element)) return false
  return place.at <= heading || LIST.test(place.element.tag) || HEAD_OF_PAGE.test(name)
}

/** Whether a link is inside its target, in which case it may be the target's name. */
function isWithin(link: Element, place: Element): boolean {
  return !/^(?:body|main|article)$/.test(place.tag) && closest(link.parent, (at) => at === place) !== null
}

/** The largest block around a link that has no text except links in `back`, or null. */
function blockOf(link: Element, back: ReadonlySet<Element>): Element | null {
  let block: Element = link
  for (let above = link.parent; above !== null && above.tag !== "body"; above = above.parent) {
    if (NAMES.test(above.tag)) return null
    const isAll =
      above.children.length <= MAX_BESIDE &&
      above.children.every((child) => child === block || saysNothing(child, back))
    if (!isAll) break
    block = above
  }
  return isBlockTag(block.tag) || block.containsBlock || isBetweenBlocks(block) ? block : null
}

/** The nearest siblings that aren't blank; null if there are too many siblings. */
function besides(element: Element): readonly [before: Beside, behind: Beside] | null {
  const siblings = element.parent?.children ?? []
  if (siblings.length > MAX_SIBLINGS) return null
  const at = siblings.indexOf(element)
  const isWritten = (child: Element | string) => typeof child !== "string" || child.trim() !== ""
  return [siblings.slice(0, at).findLast(isWritten), siblings.slice(at + 1).find(isWritten)]
}

type Beside = Element | string | undefined

/** Whether an inline element is alone on its line. */
const isBetweenBlocks = (element: Element): boolean =>
  besides(element)?.every((one) => one === undefined || (typeof one !== "string" && isBlockTag(one.tag))) ===
  true

/** Whether nothing follows a block in its section: it is the last block, or comes before a heading or a rule. */
function isLast(block: Element): boolean {
  const behind = besides(block)?.[1]
  return behind === undefined || (typeof behind !== "string" && (isHeading(behind) || behind.tag === "hr"))
}

function saysNothing(child: Element | string, back: ReadonlySet<Element>): boolean {
  if (typeof child === "string") return !LETTERS.test(child)
  if (back.has(child)) return true
  let left = MAX_EMPTY
  const isEmpty = (element: Element): boolean =>
    left-- > 0 &&
    element.tag !== "img" &&
    element.children.every((one) => (typeof one === "string" ? !LETTERS.test(one) : isEmpty(one)))
  return isEmpty(child)
}

const holdsPicture = (element: Element): boolean => firstElement(element, ({ tag }) => tag === "img") !== null

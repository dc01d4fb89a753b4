import { isFactTable } from "./text-boxes.ts"
import type { TextMeasure } from "./text-measure.ts"
import { isHeading, isLink, siteOf } from "../html/anchors.ts"
import { closest, type Element, firstElement, textOf, walk } from "../html/tree.ts"

type Measures = ReadonlyMap<Element, TextMeasure>

const LISTS = new Set(["ul", "ol", "div", "section", "table", "dl"])
/** Minimum number of links in a list. A block with a single link is an address, a form or a download. */
const FEWEST_LINKS = 2
/** Minimum length of a link's text. Links with shorter text are buttons: "Chirper", "Next". */
const SHORT_LINK = 10
/** Maximum number of links checked in one list. */
const MOST_LINKS = 500

/** Whether an element is nothing but links to other pages: a menu, teasers. */
export function isLinkList(element: Element, own: TextMeasure, site: URL | null): boolean {
  return (
    LISTS.has(element.tag) &&
    own.linkChars > own.chars * 0.6 &&
    own.chars > 20 &&
    own.prose < own.chars * 0.2 &&
    leadsAround(element, own, site) &&
    !isFactTable(element)
  )
}

/** Whether most links lead to other pages of the site. Addresses, downloads and lists of sources are text. */
function leadsAround(element: Element, own: TextMeasure, site: URL | null): boolean {
  const targets = new Set<string>()
  let links = 0
  let files = 0
  let sources = 0
  walk(element, (below) => {
    if (links >= MOST_LINKS) return false
    if (!isLink(below)) return undefined
    links++
    const href = below.get("href")!
    targets.add(href)
    if (isFile(below, href, site)) files++
    else if (isSource(below, href, site)) sources++
    return false
  })
  if (files > links * 0.7) return false
  if (targets.size < FEWEST_LINKS) return sources === 0 && firstElement(element, isParagraph) === null
  return !LISTED.has(element.tag) || files + sources < links * 0.7 || own.linkChars < links * SHORT_LINK
}

const LISTED = new Set(["ul", "ol", "dl", "table"])
const isParagraph = ({ tag }: Element): boolean => tag === "p"

const FILE = /\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|zip|t?gz|epub|ics|gpx|kml|mp3|txt|json|xml|vcf|stl)$/i

const isFile = (link: Element, href: string, site: URL | null): boolean =>
  /^\s*(?:mailto|tel):/i.test(href) ||
  link.has("download") ||
  FILE.test(URL.parse(href, site?.href)?.pathname ?? "")

/** Whether a link leads to a source on another site. A picture that links there is an advertisement, and a link with an address in its query is for sharing the page. */
function isSource(link: Element, href: string, site: URL | null): boolean {
  const target = URL.parse(href, site?.href)
  if (target === null || site === null || /https?(?::|%3a)/i.test(target.search)) return false
  if (firstElement(link, ({ tag }) => tag === "img" || tag === "svg") !== null) return false
  return siteOf(target) !== siteOf(site)
}

/** Minimum average length of links that are titles of pages. */
const TITLE_CHARS = 15

/** Leaves out three or more paragraphs in a row that each consist of one link to a page of the site. */
export function skipLinkRuns(
  parent: Element,
  skipped: Set<Element>,
  measures: Measures,
  site: URL | null,
): void {
  let run: Element[] = []
  let chars = 0
  const close = () => {
    if (run.length >= MIN_CARDS && chars >= run.length * TITLE_CHARS) for (const one of run) skipped.add(one)
    run = []
    chars = 0
  }
  for (const child of parent.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") close()
      continue
    }
    const own = measures.get(child)
    if (skipped.has(child) || own?.chars === 0) continue
    if (child.tag === "p" && own && own.linkChars > own.chars * 0.9 && leadsWithin(child, site)) {
      run.push(child)
      chars += own.chars
    } else close()
  }
  close()
}

function leadsWithin(paragraph: Element, site: URL | null): boolean {
  const link = firstElement(paragraph, isLink)
  if (link === null) return false
  const href = link.get("href")!
  return !isFile(link, href, site) && !isSource(link, href, site)
}

const CARD_TAGS = new Set(["div", "article", "li", "section", "a", "figure"])
const MIN_CARDS = 3
const MAX_CARD_CHARS = 500
/** Maximum share of an article's prose that cards within its text can make up. */
const MAX_SECTION_SHARE = 0.3
/** Maximum amount of prose after the cards at the end of an article: a few lines of a footer. */
const MOST_AFTER = 200

/** State of the search for cards in a text. */
export interface Reading {
  readonly isArticle: boolean
  /** Amount of prose in the main content, without the cards left out so far. */
  prose: number
  /** Amount of prose in the paragraphs of the box that has the most of it. */
  readonly paragraphs: () => number
}

/**
 * Leaves out three or more boxes of one kind, each a short text with a link: in the text of an article, if they contain
 * little of its prose; and after its end, if each has a picture or a headline. `after`: amount of prose in the main
 * content after `parent`.
 */
export function skipCards(
  parent: Element,
  skipped: Set<Element>,
  measures: Measures,
  text: Reading,
  after: number,
): void {
  const groups = new Map<string, Element[]>()
  const { children } = parent
  // Starts from the end, so that a second list of teasers isn't taken for text after the first.
  for (let i = children.length - 1; i >= 0; i--) {
    const child = children[i]!
    if (typeof child === "string" || skipped.has(child) || !CARD_TAGS.has(child.tag)) continue
    const kind = `${child.tag} ${(child.get("class") ?? "").replace(/\d+/g, "").split(/\s+/, 2).join(" ")}`
    const group = groups.get(kind)
    if (group) group.push(child)
    else groups.set(kind, [child])
  }
  let at = children.length - 1
  let behind = after
  const isLast = (last: Element): boolean => {
    for (; children[at] !== last && behind <= MOST_AFTER; at--) {
      const child = children[at]!
      if (typeof child !== "string" && !skipped.has(child)) behind += measures.get(child)?.prose ?? 0
    }
    return behind <= MOST_AFTER
  }
  for (const group of groups.values()) {
    if (group.length < MIN_CARDS) continue
    const isShort = (element: Element) => (measures.get(element)?.chars ?? Infinity) <= MAX_CARD_CHARS
    const cards = group.filter((element) => isShort(element) && isCardAmongText(element, measures))
    const held = heldBy(cards, measures)
    if (text.isArticle && cards.length >= group.length * 0.8 && held <= text.prose * MAX_SECTION_SHARE) {
      skipAll(cards, skipped, text, held)
      continue
    }
    const teasers = group.filter((element) => isShort(element) && isTeaser(element))
    if (teasers.length < Math.max(MIN_CARDS, group.length * 0.8)) continue
    const taken = heldBy(teasers, measures)
    if (
      text.prose - taken >= Math.max(LEAST_TEXT, taken) &&
      isLast(group[0]!) &&
      leadAway(teasers, measures) &&
      (!isInArticle(parent) || text.paragraphs() >= (text.prose - taken) * PARAGRAPH_SHARE)
    )
      skipAll(teasers, skipped, text, taken)
  }
}

/** Minimum amount of prose before teasers. */
const LEAST_TEXT = 400
/** Minimum share of link text (the headlines) in the text of teasers. */
const LINKED_SHARE = 0.1
/** Minimum share of an `article`'s prose that a single box of paragraphs must contain for cards inside the article to mark its end: a ranking consists entirely of cards. */
const PARAGRAPH_SHARE = 0.4

function isCardAmongText(element: Element, measures: Measures): boolean {
  const own = measures.get(element)!
  return own.linkChars >= 15 && own.linkChars > own.chars * 0.15 && element.containsBlock && isCard(element)
}

const heldBy = (elements: readonly Element[], measures: Measures): number =>
  elements.reduce((sum, element) => sum + (measures.get(element)?.prose ?? 0), 0)

function skipAll(elements: readonly Element[], skipped: Set<Element>, text: Reading, held: number): void {
  for (const element of elements) skipped.add(element)
  text.prose -= held
}

/** Whether an element is a card: a short text with a link, and a picture or a headline that is a link. */
function isTeaser(element: Element): boolean {
  const link = firstElement(element, isLink)
  if (link === null) return false
  if (firstElement(element, isPicture) !== null) return true
  const heading = firstElement(element, isHeading)
  return heading !== null && isCard(element)
}

const isPicture = ({ tag }: Element): boolean => tag === "img" || tag === "picture"

/** Whether the teasers link to distinct pages and their links have text. */
function leadAway(teasers: readonly Element[], measures: Measures): boolean {
  const targets = new Set<string | null>()
  let chars = 0
  let linkChars = 0
  for (const teaser of teasers) {
    targets.add(firstElement(teaser, isLink)!.get("href"))
    chars += measures.get(teaser)!.chars
    linkChars += measures.get(teaser)!.linkChars
  }
  return targets.size >= MIN_CARDS && linkChars >= chars * LINKED_SHARE
}

const isInArticle = (element: Element): boolean => closest(element, ({ tag }) => tag === "article") !== null

/** Whether an element starts with a link: its heading or first text is a link, or the whole element is. */
export function isCard(element: Element): boolean {
  if (isLink(element)) return true
  for (const child of element.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") return false
      continue
    }
    if (isLink(child)) return true
    if (textOf(child, 50) === "") continue
    if (/^h[1-6]$/.test(child.tag))
      return child.children.some((inner) => typeof inner !== "string" && isLink(inner))
    return isCard(child)
  }
  return false
}

import type { TextMeasure } from "./text-measure.ts"
import { isLink } from "../html/anchors.ts"
import { type Element, firstElement, textOf, walk } from "../html/tree.ts"

type Measures = ReadonlyMap<Element, TextMeasure>

const LISTS = new Set(["ul", "ol", "div", "section", "table", "dl"])
/** With fewer, a block is no list: a paragraph that is one link is an address, a form or a download. */
const FEWEST_LINKS = 2
/** Links whose text is shorter are buttons: "Chirper", "Next". */
const SHORT_LINK = 10
/** Links looked at of one list. */
const MOST_LINKS = 500

/** Whether an element is nothing but links to other pages: a menu, teasers. */
export function isLinkList(element: Element, own: TextMeasure, site: URL | null): boolean {
  return (
    LISTS.has(element.tag) &&
    own.linkChars > own.chars * 0.6 &&
    own.chars > 20 &&
    own.prose < own.chars * 0.2 &&
    leadsAround(element, own, site)
  )
}

/** Addresses, downloads and lists of sources are text: what most of the links lead to is no other page of the site. */
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

/** Another site's page; but a picture that leads there is an advertisement, and an address within an address shares the page. */
function isSource(link: Element, href: string, site: URL | null): boolean {
  const target = URL.parse(href, site?.href)
  if (target === null || site === null || /https?(?::|%3a)/i.test(target.search)) return false
  if (firstElement(link, ({ tag }) => tag === "img" || tag === "svg") !== null) return false
  return hostOf(target) !== hostOf(site)
}

const hostOf = ({ host }: URL): string => host.replace(/^www\./, "")

/** Links of a run whose text is shorter on the average are no titles of pages. */
const TITLE_CHARS = 15

/** Leaves out three or more paragraphs in a row that each are one link to a page of the site: a list not marked as one. */
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

const CARD_TAGS = new Set(["div", "article", "li", "section", "a"])
const MIN_CARDS = 3
const MAX_SECTION_SHARE = 0.3
const MAX_CARD_CHARS = 500

/** Three or more boxes of one kind in a row, each a short text behind a link. */
export function skipCards(parent: Element, skipped: Set<Element>, measures: Measures, prose: number): void {
  const groups = new Map<string, Element[]>()
  for (const child of parent.children) {
    if (typeof child === "string" || skipped.has(child) || !CARD_TAGS.has(child.tag)) continue
    const kind = `${child.tag} ${(child.get("class") ?? "").split(/\s+/, 2).join(" ")}`
    const group = groups.get(kind)
    if (group) group.push(child)
    else groups.set(kind, [child])
  }
  for (const group of groups.values()) {
    if (group.length < MIN_CARDS) continue
    const cards = group.filter((element) => {
      const own = measures.get(element)
      return (
        own &&
        own.chars <= MAX_CARD_CHARS &&
        own.linkChars >= 15 &&
        own.linkChars > own.chars * 0.15 &&
        element.containsBlock &&
        isCard(element)
      )
    })
    if (cards.length < group.length * 0.8) continue
    const held = cards.reduce((sum, element) => sum + (measures.get(element)?.prose ?? 0), 0)
    if (held <= prose * MAX_SECTION_SHARE) for (const card of cards) skipped.add(card)
  }
}

/** Led by a link: its heading or first text is one, or all of it is. */
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
